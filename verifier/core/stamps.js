// SPDX-License-Identifier: Apache-2.0
/** Time stamps of seals (RFC 3161): others state when a seal existed. Whose the authority is, no reader here decides. */
import { checkSignature, fingerprint } from "../files/cms.js"
import { INTEGER, OCTET_STRING, SEQUENCE, SET, read } from "../files/der.js"
import { FileError, hex } from "../files/steps.js"
import { sha256 } from "./bytes.js"

const LONGEST = 64 * 1024
const SHA_256 = "2.16.840.1.101.3.4.2.1"

/**
 * @param {Uint8Array} bytes
 * @returns {{imprint: Uint8Array, token: Uint8Array}|undefined} undefined for any other file
 */
function readTimeStamp(bytes) {
  if (bytes[0] !== SEQUENCE || bytes.length > LONGEST) return undefined
  try {
    const outer = read(bytes)
    const [status, token] = outer.children
    const [granted] = status.as(SEQUENCE).children
    if (outer.raw.length !== bytes.length || granted.as(INTEGER).content.some(byte => byte > 1)) return undefined
    const [, , encapsulated, ...rest] = read(token.as(SEQUENCE).children[1].content).as(SEQUENCE).children
    // A signer and its certificate.
    if (rest.at(-1).as(SET).children.length !== 1 || rest.length < 2) return undefined
    const info = read(read(encapsulated.children[1].content).as(OCTET_STRING).content)
    const [algorithm, stamped] = info.as(SEQUENCE).children[2].children
    if (algorithm.children[0].oid !== SHA_256) return undefined
    return { imprint: stamped.as(OCTET_STRING).content, token: token.raw }
  } catch {
    return undefined
  }
}

/**
 * Takes files for time stamps that stamp one of the seals. Any other one is a file like others.
 * @param {import("./gather.js").File[]} files  @param {import("./gather.js").SealFile[]} seals
 */
export async function takeTimeStamps(files, seals) {
  const found = files.map(file => ({ file, stamp: readTimeStamp(file.bytes) })).filter(({ stamp }) => stamp)
  if (found.length === 0) return []
  const byDigest = new Map()
  for (const { seal, line } of seals) byDigest.set(await sha256(line), seal)
  const stamps = []
  for (const { file, stamp } of found) {
    const seal = byDigest.get(hex(stamp.imprint))
    if (!seal) continue
    file.role = "timeStamp"
    stamps.push({ file, seal, stamp })
  }
  return stamps
}

/** @param {Awaited<ReturnType<typeof takeTimeStamps>>} stamps */
export async function checkTimeStamps(stamps, facts) {
  for (const { file, seal: { n }, stamp } of stamps) {
    try {
      const signature = await checkSignature(stamp.token, async () => stamp.imprint)
      const { at, digestFits, signatureFits, certificateFits, certificate } = signature
      if (!digestFits || !signatureFits || !certificateFits || at === undefined) {
        facts.add(false, "timeStamp", { n }, file.name)
        continue
      }
      const time = new Date(at * 1000).toISOString().replace("T", " ").replace(".000Z", " UTC")
      facts.open("timeStamp", { n, time, by: certificate.subject, fingerprint: await fingerprint(certificate), at }, file.name)
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      facts.open("companion", {}, file.name)
    }
  }
}
