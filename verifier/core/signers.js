// SPDX-License-Identifier: Apache-2.0
/** `allowed_signers`, as ssh-keygen reads it (ssh-keygen(1), "ALLOWED SIGNERS"); but times without Z are UTC. */
import { Fault, areEqual, demand, fromBase64, latin1 } from "./bytes.js"
import { NAMESPACE } from "./seal.js"
import { KEY_TYPE, publicKey } from "./sshsig.js"

const LONGEST = 4 * 2 ** 20

/** @typedef {{names: string, key: Uint8Array, namespaces?: string, from?: number, until?: number}} Signer */

/**
 * The lines of keys on P-256. A line that cannot be used allows nobody; the others count.
 * @param {Uint8Array} bytes
 * @param {import("./pace.js").Pace} pace
 * @returns {Promise<{signers: Signer[], unusable: {line: number, reason: string}[]}>}
 */
export async function readSigners(bytes, pace) {
  demand(bytes.length <= LONGEST, "it has more than 4 MiB")
  const signers = []
  const unusable = []
  for (const [index, line] of latin1(bytes).split("\n").entries()) {
    if (pace.isDue) await pace.rest()
    try {
      const signer = await readLine(line)
      if (signer) signers.push(signer)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      unusable.push({ line: index + 1, reason: error.message })
    }
  }
  return { signers, unusable }
}

/** @param {string} line  a character for each byte */
async function readLine(line) {
  const text = line.split("\0")[0].replace(/^[ \t]+/, "")
  if (text === "" || text.startsWith("#")) return null
  // Up to white space, or to the end of a part in quotes, which has no escapes.
  const word = /^([^ \t\r"]*)(?:"([^"]*)"|[ \t\r])[ \t\r]*/.exec(text)
  demand(word, "it ends too early: names, options, a key")
  const names = word[1] + (word[2] ?? "")
  const rest = text.slice(word[0].length)
  const key = await keyAt(rest)
  if (key) return key === OTHER ? null : { names, key }
  const end = optionsEnd(rest)
  const options = readOptions(rest.slice(0, end))
  const after = await keyAt(rest.slice(end).replace(/^[ \t]+/, ""))
  demand(after, "there is no key after the names and options")
  demand(!options.isAuthority, "certificate authorities (cert-authority) are not supported")
  return after === OTHER ? null : { names, key: after, ...options }
}

/** A key of another type. */
const OTHER = Symbol("other")

/** @param {string} text  @returns {Promise<Uint8Array|symbol|null>} null if there is no key at the beginning */
async function keyAt(text) {
  const match = /^([^ \t]+)[ \t]+([^ \t]+)/.exec(text)
  if (!match) return null
  // OpenSSH's Base64 passes over white space.
  const blob = fromBase64(match[2].replace(/[\v\f\r]/g, ""))
  if (match[1] === KEY_TYPE) {
    demand(blob, "the key is damaged")
    await publicKey(blob)
    return blob
  }
  if (!blob) return null
  const size = blob.length >= 4 ? new DataView(blob.buffer).getUint32(0) : Infinity
  return size <= blob.length - 4 && latin1(blob.subarray(4, 4 + size)) === match[1] ? OTHER : null
}

/** Where the options end: at a blank outside of quotes. @param {string} text */
function optionsEnd(text) {
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\" && text[at + 1] === '"') at++
    else if (text[at] === '"') isQuoted = !isQuoted
    else if (!isQuoted && (text[at] === " " || text[at] === "\t")) return at
  }
  throw new Fault(isQuoted ? "a quotation mark is missing" : "it ends too early: names, options, a key")
}

/** @param {string} text */
function readOptions(text) {
  /** @type {{namespaces?: string, from?: number, until?: number, isAuthority?: boolean}} */
  const options = {}
  const members = { namespaces: "namespaces", "valid-after": "from", "valid-before": "until" }
  let rest = text
  while (rest !== "") {
    const flag = /^cert-authority/i.exec(rest)
    const option = /^(namespaces|valid-after|valid-before)="((?:\\"|[^"])*)"/i.exec(rest)
    if (flag) {
      options.isAuthority = true
      rest = rest.slice(flag[0].length)
    } else if (option) {
      const name = members[option[1].toLowerCase()]
      demand(!(name in options), "an option is there twice")
      const value = option[2].replaceAll('\\"', '"')
      options[name] = name === "namespaces" ? value : seconds(value)
      rest = rest.slice(option[0].length)
    }
    if (rest === "") break
    // More commas than one count as one, but none may be the last.
    demand(rest.startsWith(",") && rest.length > 1, "an option is unknown")
    rest = rest.slice(1)
  }
  demand(!(options.until <= options.from), "valid-before is not after valid-after")
  return options
}

/** Since 1970, UTC. @param {string} text */
function seconds(text) {
  const match = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(?:Z|UTC)?$/i.exec(text)
  demand(match, "a time is not YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS")
  const [year, month, day, hour, minute, second] = match.slice(1).map(part => Number(part ?? 0))
  const isDay = year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 31
  // What does not exist, such as 30 February, counts on, as in C.
  const time = Date.UTC(year, month - 1, day, hour, minute, second) / 1000
  demand(isDay && hour < 24 && minute < 60 && second < 62 && time > 0, "a time does not exist, or is before 1970")
  return time
}

/** @param {string} text  @param {string} patterns  separated by commas; one with ! excludes */
function matches(text, patterns) {
  let isFound = false
  for (const pattern of patterns.split(",")) {
    const isExcluding = pattern.startsWith("!")
    if (!isLike(text, isExcluding ? pattern.slice(1) : pattern)) continue
    if (isExcluding) return false
    isFound = true
  }
  return isFound
}

/** With `*` for any text and `?` for any character. Goes back to the last `*` only, so that no pattern takes long. */
function isLike(text, pattern) {
  let [at, place, star, back] = [0, 0, -1, 0]
  while (at < text.length) {
    if (pattern[place] === "*") {
      star = place++
      back = at
    } else if (place < pattern.length && (pattern[place] === "?" || pattern[place] === text[at])) {
      at++
      place++
    } else if (star >= 0) {
      place = star + 1
      at = ++back
    } else {
      return false
    }
  }
  return /^\**$/.test(pattern.slice(place))
}

/**
 * The signers with a key that may sign seals.
 * @param {Signer[]} signers  @param {Uint8Array} key  @param {string} [name]  that they must have
 */
export function signersOf(signers, key, name) {
  const bytes = name === undefined ? undefined : latin1(new TextEncoder().encode(name))
  return signers.filter(signer => areEqual(signer.key, key) && matches(NAMESPACE, signer.namespaces ?? "*")
    && (bytes === undefined || matches(bytes, signer.names)))
}

/** @param {Signer} signer  @param {number} time  in seconds since 1970 */
export const isAllowedAt = ({ from = 0, until = Infinity }, time) => from <= time && time <= until
