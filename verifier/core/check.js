// SPDX-License-Identifier: Apache-2.0
/**
 * The verdict about records, seals, signatures and documents, from their bytes.
 *
 * Runs in a page, in a Worker and in Node; needs `crypto.subtle`. Written from docs/record.md and docs/seals.md.
 */
import { Fault, sha256 } from "./bytes.js"
import { checkCapture } from "./capture.js"
import { checkChains, checkHeads } from "./chain.js"
import { gather } from "./gather.js"
import { Pace } from "./pace.js"
import { describe } from "./report.js"
import { readSigners } from "./signers.js"
import { checkTimeStamps } from "./stamps.js"

/**
 * A fact. Texts of files are only in `values`, never in `code`. `needed`: while it is unchecked, nothing is genuine.
 * @typedef {{state: "ok"|"wrong"|"unchecked", code: string, values: {[name: string]: string|number}, about?: string,
 *     needed?: true}} Fact
 */

/**
 * The key of a seal. `refused`: it is listed, but not for the time of the seal.
 * @typedef {{fingerprint: string, name?: string, known: boolean, confirmed: boolean, refused?: true}} Key
 */

/**
 * @typedef {{
 *   verdict: "genuine"|"changed"|"undecided",
 *   facts: Fact[],
 *   captures: {id: string, isChecked: boolean, names: string[], isPresented: boolean,
 *     record?: import("./report.js").Record, seal?: any, number?: number, key?: Key}[],
 *   record?: import("./report.js").Record,
 *   seal?: any,
 *   key?: Key,
 *   clock?: {at: number, synchronized: boolean, maximumError: number},
 *   files: {name: string, role: string, digest: string, size: number}[]
 * }} Report
 * `captures` are all that were found; `record`, `seal` and `key` are those of the first one. `seal` is its JSON. `key.name` is
 * the name of the signer in the signers' file; `key.known` whether that file allows the key, `key.confirmed` whether the
 * reader says so. Times are microseconds.
 */

/**
 * The codes of facts, with the members of `values` that they have. (needed) can be an unchecked fact without which
 * nothing is genuine; (info) is always unchecked: left to people, or told for completeness.
 *
 * - seals: `sealReadable` n | reason; `signatureReadable` reason, n?; `sealSignature` n, key; `signatureMissing` n, key
 *   (needed); `key` n, key, name? | at (needed: not among the signers); `keyTime` n, key, at (needed: not allowed at that
 *   time); `keyConfirmed` n, key (the reader says so); `signersReadable` reason (needed); `signersLine` line, reason (info)
 * - chain: `chain` n, previous; `chainFirst` n; `chainTwice` n; `chainKey` n, key, previous; `chainGap` n, first, last
 *   (needed in a panel's directory); `chainNew` n, previous (info); `keyLost`, `keyReplaced` n (info); `deleted` n, id,
 *   reason, at (info);
 *   `timeStamp` n, time, by, fingerprint, at (info: a seal existed then, says an authority) | n;
 *   `clockBack` n, previous (info); `earlierSeals` n (info); `laterSeals` n, digest (info); `time` (info); `clock` n, at,
 *   synchronized ("true" or "false"), maximumError (info); `head` n (needed: the seal is not here)
 * - records: `recordDigest` digest; `recordReadable` reason, line; `recordAccepted` outcome; `recordSeal` members (names
 *   of those that the seal has otherwise); `earlyInk`; `storedDigest` digest; `contents` (needed: encrypted); `sealMissing` what
 *   ("signature" or "record"), id? (needed); `recordMissing` id, n (needed); `recordElsewhere` id, n (info: a further seal
 *   of the chain); `recordDeleted` id, n (info); `deletedHere` id (info); `interrupted` id (info); `sealedTwice` id, n;
 *   `noRecord` (needed)
 * - several pages: `demands`; `demandInk` name; `demandAnswer` name; `demandPages` who; `demandTime` who; `reading`;
 *   `notAllSeen` who (info); `pagePictures`, `screenPictures` (info); `noSecondReader` (info); `drawnDifferently`,
 *   `notDrawn` pages (info)
 * - documents: `documentDigest` digest, id?; `signedDigest` digest, id?; `signedStoredDigest` digest; `signedContents`
 *   (info: encrypted); `signedBegins`; `signedNames`; `unownedDocument` id (needed: no seal of it); `companion` (info);
 *   `unknownFile` role (needed)
 *
 * `reason` is a phrase of ours in English, for examiners. `who` is a role, empty if there is one person only.
 */

/** The facts that were found so far, and how they are written down. */
class Facts {
  constructor() {
    /** @type {Fact[]} */
    this.all = []
  }

  /** @param {boolean} holds */
  add(holds, code, values = {}, about) {
    this.all.push({ state: holds ? "ok" : "wrong", code, values, ...(about !== undefined && { about }) })
    return holds
  }

  /** Something that is left to people. */
  open(code, values = {}, about) {
    this.all.push({ state: "unchecked", code, values, ...(about !== undefined && { about }) })
  }

  /** Something without which there is no verdict. */
  missing(code, values = {}, about) {
    this.all.push({ state: "unchecked", code, values, ...(about !== undefined && { about }), needed: true })
  }

  /** @returns {Report["verdict"]} */
  verdict(isAnythingChecked) {
    if (this.all.some(fact => fact.state === "wrong")) return "changed"
    return isAnythingChecked && !this.all.some(fact => fact.needed) ? "genuine" : "undecided"
  }
}

/**
 * Checks files. What is wrong with a file is a fact; this throws only the reason of `signal`.
 * @param {{name: string, bytes: Uint8Array}[]} files  unpacked and decrypted, in any order; encrypted ones may be there,
 *     too. Names may have folders, such as `store/captures/ID.jsonl`
 * @param {{panel?: string, confirmed?: string[], heads?: string[], progress?: (fraction: number) => void,
 *     signal?: AbortSignal}} options
 *     `panel`: the name that the signers must have; `confirmed`: fingerprints that the reader has compared; `heads`:
 *     seals that somebody kept, as NUMBER:DIGEST
 * @returns {Promise<Report>}
 */
export async function check(files, options = {}) {
  const facts = new Facts()
  // Each file is digested, and then read.
  const pace = new Pace(options, 2 * files.reduce((sum, file) => sum + file.bytes.length, 0))
  pace.signal?.throwIfAborted()
  const given = []
  for (const { name, bytes } of files) {
    given.push({ name, bytes, digest: await sha256(bytes) })
    pace.step(bytes.length)
    await pace.rest()
  }
  const evidence = await gather(given, facts, pace)
  const signers = await signersIn(evidence.signers, facts, pace)
  const keys = { signers, panel: options.panel, confirmed: options.confirmed ?? [] }
  const known = await checkChains(evidence.seals, keys, facts, pace)
  await checkTimeStamps(evidence.stamps, facts)
  await checkHeads(options.heads ?? [], evidence.seals, facts)
  const captures = []
  for (const capture of evidence.captures) captures.push(await checkCapture(capture, evidence, facts, pace))
  for (const file of evidence.unused) {
    const { name, role } = file
    if (role === "companion") facts.open("companion", {}, name)
    else facts.missing("unknownFile", { role }, name)
  }
  const isChecked = captures.some(capture => capture.isChecked)
  // Also of a chain whose records were all deleted: nothing is shown as genuine.
  const hasReason = facts.all.some(fact => fact.state === "wrong" || fact.needed)
  if (captures.length === 0 || !isChecked && !hasReason) facts.missing("noRecord")
  options.progress?.(1)
  return describe(facts.verdict(isChecked), facts.all, captures, known, given)
}

/** Lines of a list that are told one by one. */
const MOST_LINES = 20

async function signersIn(files, facts, pace) {
  if (files.length === 0) return null
  const all = []
  for (const file of files) {
    try {
      const { signers, unusable } = await readSigners(file.bytes, pace)
      all.push(...signers)
      const told = unusable.slice(0, MOST_LINES)
      const left = unusable.length - told.length
      if (left > 0) told.push({ line: unusable[MOST_LINES].line, reason: `${left} lines from here on` })
      for (const { line, reason } of told) facts.open("signersLine", { line, reason }, file.name)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      facts.missing("signersReadable", { reason: error.message }, file.name)
    }
  }
  return all
}
