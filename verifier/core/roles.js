// SPDX-License-Identifier: Apache-2.0
/** What files are, by their contents and, last, by their names. */
import { latin1, startsWith, textOf } from "./bytes.js"

/**
 * `other` may be a document, which can look like anything.
 * @typedef {"record"|"encrypted"|"seal"|"signature"|"signers"|"identity"|"companion"|"other"} Role
 */

const LONGEST_LIST = 4 * 2 ** 20
const ENDINGS = [".jsonl.age", ".pdf.age", ".jsonl", ".seal.sig", ".seal", ".pdf"]
/**
 * What lies beside evidence, by its names, with what the contents must be: a contract may have any name. The verdict
 * does not rest on it. First what an evidence archive has for people.
 * @type {[RegExp, (bytes: Uint8Array) => boolean][]}
 */
const COMPANIONS = [
  [/(?:^|\/)signature(?:-[0-9]+)?\.png$/, bytes => startsWith(bytes, "\x89PNG\r\n\x1a\n")],
  [/(?:^|\/)README\.txt$/, bytes => startsWith(bytes, "Evidence of the capture ") && isText(bytes)],
  [/(?:^|\/)verify\.html$/, bytes => startsWith(bytes, "<!DOCTYPE html>")
    && latin1(bytes.subarray(0, 1024)).includes("made by tools/build-verifier")],
  // macOS writes these beside files, into archives and onto sticks.
  [/(?:^|\/)\._[^/]+$/, bytes => startsWith(bytes, "\0\x05\x16\x07")],
  [/(?:^|\/)\.DS_Store$/, bytes => startsWith(bytes, "\0\0\0\x01Bud1")]
]
/** What a panel's directory has beside captures and seals (docs/record.md, "The store"), none of it evidence. */
const OWN = /^(?:(?:scatter|self-tests|sketch(?:-[^/]*)?)\.jsonl|certificate\.pem|(?:inkpanel\.key|key\.pem)(?:\.[a-z]+)?|(?:open|outbox|linked)\/.+)$/
/** @type {{[ending: string]: Role}} */
const BY_ENDING = { ".seal.sig": "signature", ".seal": "seal", ".jsonl": "record" }
/** Names of a list of signers, which may have comments and lines that allow nobody, and names that may be of one. */
const LIST = /(?:^|\/)(?:allowed_)?signers$/
const MAY_BE_LIST = /(?:^|\/)[^./]*$|\.(?:txt|pub|signers|allowed_signers)$/
const KEY = /^[^#].*AAAA/
/** In files of other names, nobody writes more than a word after a key. */
const BARE_KEY = /^\S+[ \t]+(?:\S+[ \t]+)?(?:ecdsa-sha2-|ssh-|sk-)\S+[ \t]+AAAA\S+(?:[ \t]+\S+)?[ \t]*$/
/** An identity of age, which nobody takes for a text. */
const IDENTITY = /^(?:AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}|age-secret-key-1[02-9ac-hj-np-z]{58})$/

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

/** The names among these that a panel's directory has for itself. @param {string[]} names  @returns {Set<string>} */
export function ownNames(names) {
  const having = folder => new Set(names.flatMap(name => name.match(`^(.*/|)${folder}/[^/]+$`)?.[1] ?? []))
  const seals = having("seals")
  const stores = [...having("captures")].filter(store => seals.has(store))
  const isOwn = name => stores.some(store => name.startsWith(store) && OWN.test(name.slice(store.length)))
  return new Set(stores.length > 0 ? names.filter(isOwn) : [])
}

/** @param {Uint8Array} bytes */
function isText(bytes) {
  try {
    return bytes.every(byte => byte >= 0x20 && byte !== 0x7f || [9, 10, 13].includes(byte))
      && textOf(bytes) !== ""
  } catch {
    return false
  }
}

/** Lines as any program shows them, without those of white space. */
const linesOf = bytes => latin1(bytes).split(/\r\n|\n|\r/).filter(line => line.trim() !== "")

/** Whether a file is a list of keys: by its name, or because it has nothing else that somebody could read in it. */
function isList(name, bytes) {
  const isNamed = LIST.test(name)
  if (bytes.length > LONGEST_LIST || !isNamed && !(MAY_BE_LIST.test(name) && isText(bytes))) return false
  const lines = linesOf(bytes)
  if (isNamed) return lines.some(line => KEY.test(line))
  return lines.length > 0 && lines.every(line => BARE_KEY.test(line))
}

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
  // A document has its own name, or any other.
  if (latin1(bytes.subarray(0, 1024)).includes("%PDF-")) return "other"
  if (COMPANIONS.some(([names, isKind]) => names.test(name) && isKind(bytes))) return "companion"
  const ending = Object.keys(BY_ENDING).find(each => name.endsWith(each))
  if (ending) return BY_ENDING[ending]
  if (isList(name, bytes)) return "signers"
  return isIdentity(bytes) ? "identity" : "other"
}

/** Whether a file has identities of age, with the comments of age-keygen, and nothing else. @param {Uint8Array} bytes */
export function isIdentity(bytes) {
  if (bytes.length > 64 * 1024) return false
  const lines = linesOf(bytes).filter(line => !/^# (?:created: [-+:0-9TZ]+|public key: age1[a-z0-9]+)$/.test(line))
  return lines.length > 0 && lines.every(line => IDENTITY.test(line))
}
