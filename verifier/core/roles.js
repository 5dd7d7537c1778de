// SPDX-License-Identifier: Apache-2.0
/** What files are, by their contents and, last, by their names. */
import { latin1, startsWith } from "./bytes.js"

/**
 * `other` may be a document, which can look like anything.
 * @typedef {"record"|"encrypted"|"seal"|"signature"|"signers"|"identity"|"companion"|"other"} Role
 */

const ENDINGS = [".jsonl.age", ".pdf.age", ".jsonl", ".seal.sig", ".seal", ".pdf"]
/** What an evidence archive has for people, by its names. The verdict does not rest on it. */
const COMPANION = /(?:^|\/)(?:verify\.html|README\.txt|signature(?:-[0-9]+)?\.png)$/
/** @type {{[ending: string]: Role}} */
const BY_ENDING = { ".age": "encrypted", ".seal.sig": "signature", ".seal": "seal", ".jsonl": "record" }
/** Names of a list of signers, and names without an ending that says otherwise. */
const LIST = /(?:^|\/|\.)(?:allowed_)?signers$/
const MAY_BE_LIST = /(?:^|\/)[^./]*$|\.(?:txt|pub)$/
const KEY = /^\S+[ \t]+(?:\S+[ \t]+)?(?:ecdsa-sha2-|ssh-|sk-)\S+[ \t]+AAAA/

/** The last part of a name, without an ending of the panel and the number of a seal. @param {string} name */
export function stem(name) {
  const last = name.split("/").at(-1)
  const ending = ENDINGS.find(each => last.endsWith(each)) ?? ""
  const base = last.slice(0, last.length - ending.length)
  return ending.startsWith(".seal") ? base.replace(/^[0-9]{10}-/, "").replace(/\.deleted$/, "") : base
}

/** Whether a name is one in the directory of a panel. @param {string} name */
export const isInStore = name => /(?:^|\/)(?:captures|seals)\/[^/]+$/.test(name)

/** Whether names are those of a panel's directory, in which each record must be. @param {string[]} names */
export const isStore = names =>
  ["captures", "seals"].every(folder => names.some(name => isInStore(name) && name.split("/").at(-2) === folder))

/** @param {string} name  @param {Uint8Array} bytes  @returns {Role} */
export function roleOf(name, bytes) {
  if (startsWith(bytes, "age-encryption.org/")) return "encrypted"
  if (startsWith(bytes, "-----BEGIN SSH SIGNATURE-----")) return "signature"
  if (bytes[0] === 0x7b) {
    const start = latin1(bytes.subarray(0, 256 * 1024))
    const line = start.split("\n", 1)[0]
    if (line.slice(0, 8192).includes('"format":"inkpanel-seal"')) return "seal"
    if (line.includes('"format":"inkpanel-capture"')) return "record"
  }
  const ending = Object.keys(BY_ENDING).find(each => name.endsWith(each))
  if (ending) return BY_ENDING[ending]
  if (LIST.test(name)) return "signers"
  const lines = latin1(bytes.subarray(0, 64 * 1024)).split("\n")
    .filter(line => line.trim() !== "" && !line.startsWith("#"))
  // The last one may be cut.
  const whole = bytes.length > 64 * 1024 ? lines.slice(0, -1) : lines
  if (whole.length > 0 && whole.every(line => line.startsWith("AGE-SECRET-KEY-1"))) return "identity"
  if (MAY_BE_LIST.test(name) && whole.length > 0 && whole.every(line => KEY.test(line))) return "signers"
  return COMPANION.test(name) ? "companion" : "other"
}
