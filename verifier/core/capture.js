// SPDX-License-Identifier: Apache-2.0
/** Checks what a seal says of a capture: its record, and its documents. */
import { sha256 } from "./bytes.js"
import { includes } from "./gather.js"

/**
 * @param {import("./gather.js").Capture} capture  @param {import("./gather.js").Evidence} evidence
 * @returns {Promise<{id: string, reading?: import("./record.js").Reading, sealFile?: import("./gather.js").SealFile,
 *     isChecked: boolean}>}
 */
export async function checkCapture(capture, evidence, facts, pace) {
  const { id, sealFile, records, encrypted } = capture
  const seal = sealFile?.seal
  const about = (records[0] ?? encrypted[0] ?? sealFile?.file)?.name
  let chosen
  for (const file of records) {
    const isSealed = seal ? facts.add(file.digest === seal.record, "recordDigest", { digest: file.digest }, file.name) : false
    const reading = checkRecord(file, evidence.readings.get(file), seal, evidence, facts)
    if (!chosen || isSealed) chosen = { file, reading, isSealed }
  }
  for (const file of encrypted) {
    if (seal) facts.add(file.digest === seal.stored, "storedDigest", { digest: file.digest }, file.name)
    if (records.length === 0) facts.missing("contents", {}, file.name)
  }
  if (!seal) {
    const isInterrupted = chosen?.reading && chosen.reading.end === undefined
    if (evidence.isStore && isInterrupted && records.length === 1) facts.open("interrupted", { id }, about)
    else if (records.length + encrypted.length > 0) facts.missing("sealMissing", { what: "record", id }, about)
    else facts.open("unownedDocument", { id }, (capture.signed[0] ?? capture.encryptedSigned[0])?.name)
    return { id, reading: chosen?.reading, isChecked: false }
  }
  const at = Number(seal.at)
  const { synchronized, maximumError } = seal.clock
  facts.open("clock", { n: seal.n, at, synchronized: String(synchronized), maximumError: Number(maximumError) }, sealFile.file.name)
  const isDeleted = evidence.seals.some(other => other.seal.deleted === id)
  if (records.length + encrypted.length === 0) missingRecord(id, seal, evidence, isDeleted, facts)
  else if (isDeleted) facts.open("deletedHere", { id }, about)
  const again = evidence.seals.find(other => other.seal.id === id && other.seal.n !== seal.n)
  if (again) facts.add(false, "sealedTwice", { id, n: again.seal.n }, again.file.name)
  await checkDocuments(capture, chosen, evidence, isDeleted, facts, pace)
  return { id, reading: chosen?.reading, sealFile, isChecked: chosen?.isSealed === true }
}

function missingRecord(id, seal, evidence, isDeleted, facts) {
  const others = evidence.captures.filter(other => other.sealFile && other.records.length + other.encrypted.length > 0)
  // Beside a record and its own seal, further seals show its place in the chain.
  const isContext = !evidence.isStore && others.length > 0
  if (isDeleted) facts.open("recordDeleted", { id, n: seal.n })
  else if (isContext) facts.open("recordElsewhere", { id, n: seal.n })
  else facts.missing("recordMissing", { id, n: seal.n })
}

function checkRecord(file, { reading, fault }, seal, evidence, facts) {
  const about = file.name
  if (fault) {
    facts.add(false, "recordReadable", { reason: fault.message, line: fault.values.line ?? 0 }, about)
    return undefined
  }
  const { header, end, flow } = reading
  facts.add(true, "recordReadable", {}, about)
  if (!seal) return reading
  facts.add(end?.outcome === "accepted", "recordAccepted", { outcome: end?.outcome ?? "interrupted" }, about)
  const shown = end?.shown
  const agrees = {
    id: header.id === seal.id, document: header.request.document?.sha256 === seal.document,
    startedAt: header.startedAt === seal.startedAt, sequence: header.sequence === seal.sequence,
    askedBy: header.askedBy === seal.askedBy,
    shown: String(shown && [shown.page, shown.signed]) === String(seal.shown)
  }
  const others = Object.keys(agrees).filter(name => !agrees[name])
  facts.add(others.length === 0, "recordSeal", { members: others.join(" ") }, about)
  if (shown) facts.open("screenPictures", {}, about)
  if (flow && end?.outcome === "accepted") checkFlow(flow, end, facts, about)
  return reading
}

function checkFlow(flow, end, facts, about) {
  const unmet = flow.unmet(end)
  if (unmet.length === 0) facts.add(true, "demands", {}, about)
  for (const { code, who, name } of unmet) {
    facts.add(false, `demand${code[0].toUpperCase()}${code.slice(1)}`, { ...(who !== undefined && { who }), ...(name !== undefined && { name }) }, about)
  }
  if (!flow.document) return
  const stated = (end.reading ?? []).map(({ pages, toEnd }) => `${pages} ${toEnd}`)
  const isSeen = String(stated) === String(flow.seen.map(({ pages, toEnd }) => `${pages} ${toEnd}`))
  facts.add(isSeen && stated.length === flow.seen.length, "reading", {}, about)
  flow.seen.forEach(({ toEnd }, index) => {
    if (!toEnd) facts.open("notAllSeen", { who: flow.who(index) }, about)
  })
  facts.open("pagePictures", {}, about)
}

async function checkDocuments({ id, sealFile, signed, encryptedSigned, document }, chosen, evidence, isDeleted, facts, pace) {
  const { seal } = sealFile
  let isDocumentInside = false
  for (const file of encryptedSigned) {
    facts.add(file.digest === seal.signedStored, "signedStoredDigest", { digest: file.digest }, file.name)
    if (signed.length === 0) facts.open("signedContents", {}, file.name)
  }
  for (const file of signed) {
    const isSealed = facts.add(file.digest === seal.signed, "signedDigest", { digest: file.digest }, file.name)
    const flow = chosen?.reading?.flow
    if (!flow?.document || seal.signed === undefined) continue
    const byteCount = flow.document.bytes
    const begins = file.bytes.length >= byteCount && await sha256(file.bytes.subarray(0, byteCount)) === seal.document
    facts.add(begins, "signedBegins", {}, file.name)
    if (begins && isSealed) isDocumentInside = true
    if (!begins) continue
    // Its signatures name the record; without a signature that was demanded, there may be none.
    const mustName = flow.document.fields.some(field => field.kind === "signature" && field.required)
    const isNamed = await includes(file.bytes.subarray(byteCount), chosen.file.digest, pace)
    if (isNamed || mustName) facts.add(isNamed, "signedNames", {}, file.name)
  }
  if (seal.signed !== undefined && signed.length + encryptedSigned.length === 0) {
    const isNeeded = evidence.isStore && !isDeleted
    if (isNeeded) facts.missing("signedDigest", { digest: seal.signed, id })
    else facts.open("signedDigest", { digest: seal.signed, id })
  }
  if (document) facts.add(document.digest === seal.document, "documentDigest", { digest: document.digest }, document.name)
  else if (seal.document !== undefined && !isDocumentInside) facts.open("documentDigest", { digest: seal.document, id })
}
