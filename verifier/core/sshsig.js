// SPDX-License-Identifier: Apache-2.0
/** Signatures of `ssh-keygen -Y sign` (OpenSSH, PROTOCOL.sshsig) with keys on P-256. */
import { areEqual, base64, bytesOf, demand, fromBase64, joined, latin1, startsWith } from "./bytes.js"
import { NAMESPACE } from "./seal.js"

const KEY_TYPE = "ecdsa-sha2-nistp256"
const ARMOUR = /-----BEGIN SSH SIGNATURE-----\n((?:[A-Za-z0-9+/=]+\n)+)-----END SSH SIGNATURE-----\n/y
const MAGIC = "SSHSIG"
const MOST = 2

/**
 * The strings of SSH's wire format: four bytes of length, then so many.
 * @param {Uint8Array} data  @param {number} count
 */
function strings(data, count) {
  const found = []
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  let at = 0
  while (at < data.length) {
    demand(at + 4 <= data.length, "a string of it ends early")
    const end = at + 4 + view.getUint32(at)
    demand(end <= data.length, "a string of it ends early")
    found.push(data.subarray(at + 4, end))
    at = end
  }
  demand(found.length === count, "it has more or fewer parts")
  return found
}

/** @param {Uint8Array} bytes  @param {string} text */
const says = (bytes, text) => bytes.length === text.length && startsWith(bytes, text)

/** The bytes of a number of ECDSA, without zeros before it. @param {Uint8Array} number */
function positive(number) {
  const isShortest = number[0] > 0 && number[0] < 0x80 || number[0] === 0 && number[1] >= 0x80
  demand(isShortest, "a number of it is not positive, or is not in its shortest form")
  return number[0] === 0 ? number.subarray(1) : number
}

/** A key for `crypto.subtle`. @param {Uint8Array} blob  in SSH's wire format */
export async function publicKey(blob) {
  const [kind, curve, point] = strings(blob, 3)
  const isOurs = says(kind, KEY_TYPE) && says(curve, "nistp256") && point.length === 65 && point[0] === 4
  demand(isOurs, "its key is not of the type ecdsa-sha2-nistp256")
  try {
    return await crypto.subtle.importKey("raw", point, { name: "ECDSA", namedCurve: "P-256" }, true, ["verify"])
  } catch {
    demand(false, "its key is no point of P-256")
  }
}

/** As `ssh-keygen -lf` prints it. @param {Uint8Array} blob */
export async function fingerprint(blob) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", blob))
  return `SHA256:${base64(digest).replace(/=+$/, "")}`
}

/**
 * The signatures in a file, each in its armour.
 * @param {Uint8Array} bytes  @param {boolean} isOwnFile  a file `.sig`, whose last newline may be missing
 * @returns {Uint8Array[]}
 */
export function signaturesIn(bytes, isOwnFile) {
  let text = latin1(bytes)
  if (isOwnFile && !text.endsWith("\n")) text += "\n"
  const found = []
  ARMOUR.lastIndex = 0
  while (ARMOUR.lastIndex < text.length) {
    const match = ARMOUR.exec(text)
    demand(match && found.length < MOST, "it is not one or two signatures of ssh-keygen")
    const blob = fromBase64(match[1].replaceAll("\n", ""))
    demand(blob, "its Base64 has another form")
    found.push(blob)
  }
  return found
}

/**
 * Whether a signature fits a line.
 * @param {Uint8Array} blob  one of {@link signaturesIn}  @param {Uint8Array} line
 * @returns {Promise<{fits: boolean, key: Uint8Array, fingerprint: string}>}
 * @throws {import("./bytes.js").Fault} if it has another form
 */
export async function checkSignature(blob, line) {
  demand(startsWith(blob, `${MAGIC}\0\0\0\u0001`), "it is no signature of version 1")
  const [key, namespace, reserved, hash, signature] = strings(blob.subarray(10), 5)
  demand(reserved.length === 0 && says(hash, "sha512"), "its hash is not sha512")
  const [kind, numbers] = strings(signature, 2)
  demand(says(kind, KEY_TYPE), "it is of another type")
  const [r, s] = strings(numbers, 2).map(positive)
  const imported = await publicKey(key)
  const print = await fingerprint(key)
  if (!says(namespace, NAMESPACE) || r.length > 32 || s.length > 32) return { fits: false, key, fingerprint: print }
  const raw = new Uint8Array(64)
  raw.set(r, 32 - r.length)
  raw.set(s, 64 - s.length)
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-512", line))
  const parts = [bytesOf(NAMESPACE), new Uint8Array(0), bytesOf("sha512"), digest]
  const signed = joined([bytesOf(MAGIC), ...parts.flatMap(part => [new Uint8Array([0, 0, 0, part.length]), part])])
  const fits = await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, imported, raw, signed)
  return { fits, key, fingerprint: print }
}

export { areEqual, KEY_TYPE }
