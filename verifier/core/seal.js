// SPDX-License-Identifier: Apache-2.0
/** Reads the line of a seal, versions 1 and 2 (docs/seals.md). */
import { demand, textOf } from "./bytes.js"
import { canonical, readJSON } from "./json.js"
import { captureID, digest, fingerprint, list, object, oneOf, role, text, truth, whole, whole64 } from "./shape.js"

export const NAMESPACE = "inkpanel-seal"
export const NO_DIGEST = "0".repeat(64)
const LONGEST = 8 * 2 ** 10

const clock = { synchronized: truth, maximumError: whole64 }
const must = {
  format: oneOf(NAMESPACE), version: whole(1, 2), n: whole(1, 2 ** 53 - 1), previous: digest, key: fingerprint,
  at: whole(0, 2n ** 63n - 1n), clock: object(clock), program: text
}
const may = {
  boot: text, id: captureID, record: digest, stored: digest, document: digest, signed: digest, signedStored: digest,
  shown: list(digest), startedAt: whole64, sequence: whole64, askedBy: role, deleted: captureID,
  reason: oneOf("host", "age", "count", "withdrawn"), replaces: fingerprint, lost: truth
}
const isSeal = object(must, may)

/**
 * @param {Uint8Array} line  with its newline
 * @throws {import("./bytes.js").Fault} unless it is exactly the line that a panel writes
 */
export function readSeal(line) {
  demand(line.length <= LONGEST && line.at(-1) === 10, "it is not one line of at most 8 KiB")
  demand(line[0] === 0x7b && line.subarray(0, -1).every(byte => byte >= 0x20), "it is not one object of JSON")
  const written = textOf(line.subarray(0, -1))
  const seal = readJSON(written)
  demand(isSeal(seal), "it is not valid")
  const areKnown = Object.keys(seal).every(name => name in must || name in may)
    && Object.keys(seal.clock).every(name => name in clock)
  demand(areKnown, "it has members that this version does not know")
  demand(canonical(seal) === written, "it is not in the canonical form")
  const subjects = ["id", "deleted", "replaces"].filter(name => name in seal)
  demand(subjects.length === 1, "it is not of one record, deletion or change of the key")
  demand(!("id" in seal) || "record" in seal, "it has no digest of the record")
  demand(!("deleted" in seal) || "reason" in seal, "it has no reason of the deletion")
  demand((seal.version === 2) === ("signed" in seal), "it is of another version")
  demand(!("signed" in seal) || "id" in seal && "document" in seal, "a signed document is of no document")
  demand(!("signedStored" in seal) || "signed" in seal && "stored" in seal, "an encrypted document is of nothing")
  return seal
}
