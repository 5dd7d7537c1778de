// SPDX-License-Identifier: Apache-2.0
/** What files are, by their contents and, last, by their names. */
import { latin1, startsWith, textOf } from "./bytes.js"

/**
 * `other` may be a document, which can look like anything.
 * @typedef {"record"|"encrypted"|"seal"|"signature"|"signers"|"identity"|"companion"|"timeStamp"|"other"} Role
 */

const LONGEST_LIST = 4 * 2 ** 20
const ENDINGS = [".jsonl.age", ".pdf.age", ".jsonl", ".seal.sig", ".seal", ".pdf"]
/** How a desktop.ini begins, in UTF-8 or UTF-16. */
const SHELL = /^(?:\xff\xfe)?\s*\[\.ShellClassInfo\]/
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
  [/(?:^|\/)\.DS_Store$/, bytes => startsWith(bytes, "\0\0\0\x01Bud1")],
  // Windows, into folders that it has shown.
  [/(?:^|\/)Thumbs\.db$/, bytes => startsWith(bytes, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")],
  [/(?:^|\/)desktop\.ini$/i, bytes => SHELL.test(latin1(bytes.subarray(0, 200)).replaceAll("\0", ""))]
]
/** What a panel's directory has beside captures and seals (docs/record.md, "The store"), none of it evidence. */
const OWN = [
  /^(?:scatter|self-tests|sketch(?:-[^/]*)?)\.jsonl$/, /^certificate\.pem$/, /^(?:inkpanel\.key|key\.pem)(?:\.[a-z]+)?$/,
  /^(?:open|outbox|linked|\.backup\.[^/]*)\/./,
  // Its programs leave these when they are killed.
  /^\.(?:backup\.lock|restored|restoring(?:\.part)?)$/, /^(?:captures\/|seals\/)?\.inkpanel\.[0-9a-f]+\.part$/
]
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

/**
 * The directories of panels among names, each with its slash: a folder whose folder `seals` has a seal (docs/seals.md,
 * "Folders").
 * @param {string[]} names  @returns {string[]}
 */
export const storesIn = names => [...new Set(
  names.flatMap(name => name.match(/^(.*\/|)seals\/[^/]+\.seal$/)?.[1] ?? []))]

/** What a place in a panel's directory makes of a file there. @type {[RegExp, string][]} */
const PLACES = [
  [/^seals\/([^/]+)\.seal$/, "seal"], [/^captures\/([^/]+)\.jsonl$/, "record"],
  [/^captures\/([^/]+)\.jsonl\.age$/, "encrypted"], [/^captures\/([^/]+)\.pdf$/, "signed"],
  [/^captures\/([^/]+)\.pdf\.age$/, "encryptedSigned"]
]

/**
 * The place of a file in a panel's directory, which finds its files by their names.
 * @returns {{store: string, kind: string, id: string}|undefined} `id`: of the capture, except for seals
 */
export function placeOf(name, stores) {
  for (const store of stores.filter(each => name.startsWith(each))) {
    for (const [pattern, kind] of PLACES) {
      const found = name.slice(store.length).match(pattern)
      if (found) return { store, kind, id: found[1] }
    }
  }
  return undefined
}

/** The names among these that a panel's directory has for itself. @returns {Set<string>} */
export function ownNames(names, stores) {
  const isOwn = (name, store) => name.startsWith(store) && OWN.some(each => each.test(name.slice(store.length)))
  return new Set(names.filter(name => stores.some(store => isOwn(name, store))))
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
