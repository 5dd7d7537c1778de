// SPDX-License-Identifier: Apache-2.0
/** Checks what a seal says of a capture: its record, and its documents. */
import { sha256 } from "./bytes.js"
import { includes } from "./gather.js"

/**
 * @param {import("./gather.js").Capture} capture  @param {import("./gather.js").Evidence} evidence
 * @returns {Promise<{id: string, reading?: import("./record.js").Reading, sealFile?: import("./gather.js").SealFile,
 *     isChecked: boolean, names: string[], isPresented: boolean}>} `names`: of the files that have something of it
 */
export async function checkCapture(capture, evidence, facts, pace) {
  const { id, sealFile, records, encrypted, signed, encryptedSigned } = capture
  const seal = sealFile?.seal
  const about = (records[0] ?? encrypted[0] ?? sealFile?.file)?.name
  let chosen
  for (const file of records) {
    const { digest, name } = file
    const isSealed = seal ? facts.add(digest === seal.record, "recordDigest", { digest }, name) : false
    const reading = checkRecord(file, evidence.readings.get(file), seal, evidence, facts)
    if (!chosen || isSealed) chosen = { file, reading, isSealed }
  }
  for (const file of encrypted) {
    if (seal) facts.add(file.digest === seal.stored, "storedDigest", { digest: file.digest }, file.name)
    if (records.length === 0) facts.missing("contents", {}, file.name)
  }
  if (!seal) {
    const isInterrupted = chosen?.reading && chosen.reading.end === undefined
    for (const { name } of [...signed, ...encryptedSigned]) facts.missing("unownedDocument", { id }, name)
    if (isInterrupted && records.every(isAmongCaptures)) facts.open("interrupted", { id }, about)
    else if (records.length + encrypted.length > 0) facts.missing("sealMissing", { what: "record", id }, about)
    const [names, isThere] = [namesOf(capture), isPresented(capture)]
    return { id, reading: chosen?.reading, isChecked: false, names, isPresented: isThere }
  }
  const [synchronized, maximumError] = [String(seal.clock.synchronized), Number(seal.clock.maximumError)]
  facts.open("clock", { n: seal.n, at: Number(seal.at), synchronized, maximumError }, sealFile.file.name)
  const isDeleted = evidence.deleted.has(id)
  if (records.length + encrypted.length === 0) missingRecord(id, seal, evidence, isDeleted, facts)
  else if (isDeleted) facts.open("deletedHere", { id }, about)
  await checkDocuments(capture, chosen, evidence, isDeleted, facts, pace)
  const isChecked = chosen?.isSealed === true
  const [names, isThere] = [namesOf(capture), isPresented(capture)]
  return { id, reading: chosen?.reading, sealFile, isChecked, names, isPresented: isThere }
}

/** No ink is earlier (docs/record.md), in microseconds after the start. */
const EARLIEST_INK = -1e6

/** Whether a record lies where a panel leaves those of interrupted captures. */
const isAmongCaptures = ({ name }) => /(?:^|\/)captures\/[^/]+\.jsonl$/.test(name)

/** Whether there is more than a seal. @param {import("./gather.js").Capture} capture */
const isPresented = ({ records, encrypted, signed, encryptedSigned }) =>
  [records, encrypted, signed, encryptedSigned].some(files => files.length > 0)

/** The files that have something of a capture. @param {import("./gather.js").Capture} capture */
const namesOf = ({ sealFile, records, encrypted, signed, encryptedSigned, document }) => [
  ...[...records, ...encrypted, ...signed, ...encryptedSigned, ...(document ? [document] : [])].map(({ name }) => name),
  ...(sealFile ? [sealFile.file.name, ...sealFile.signatures.map(({ name }) => name)] : [])
]

function missingRecord(id, seal, evidence, isDeleted, facts) {
  // Beside a record and its own seal, further seals show its place in the chain.
  const isContext = !evidence.isStore && evidence.hasPresent
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
  if (reading.strokes.some(({ t }) => t.some(time => time < EARLIEST_INK))) facts.add(false, "earlyInk", {}, about)
  const shown = end?.shown
  const agrees = {
    id: header.id === seal.id, document: header.request.document?.sha256 === seal.document,
    startedAt: header.startedAt === seal.startedAt, sequence: header.sequence === seal.sequence,
    askedBy: header.askedBy === seal.askedBy,
    shown: JSON.stringify(shown && [shown.page, shown.signed]) === JSON.stringify(seal.shown)
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
  for (const { code, ...values } of unmet) facts.add(false, code, values, about)
  if (!flow.document) return
  const stated = (end.reading ?? []).map(({ pages, toEnd }) => ({ pages, toEnd }))
  facts.add(JSON.stringify(stated) === JSON.stringify(flow.seen), "reading", {}, about)
  flow.seen.forEach(({ toEnd }, index) => {
    if (!toEnd) facts.open("notAllSeen", { who: flow.who(index) }, about)
  })
  if (end.check) checkDrawing(end.check, facts, about)
  facts.open("pagePictures", {}, about)
}

/** What the panel found when it compared the pages with what other programs show. */
function checkDrawing({ second, differences = [], notDrawn = [] }, facts, about) {
  const pagesOf = places =>
    [...new Set(places.map(({ page }) => Number(page)))].sort((one, other) => one - other).join(", ")
  if (second === undefined) facts.open("noSecondReader", {}, about)
  if (differences.length > 0) facts.open("drawnDifferently", { pages: pagesOf(differences) }, about)
  if (notDrawn.length > 0) facts.open("notDrawn", { pages: pagesOf(notDrawn) }, about)
}

async function checkDocuments(capture, chosen, evidence, isDeleted, facts, pace) {
  const { id, sealFile, signed, encryptedSigned, document } = capture
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
  if (document) {
    const { digest, name } = document
    facts.add(digest === seal.document, "documentDigest", { digest }, name)
  } else if (seal.document !== undefined && !isDocumentInside) {
    facts.open("documentDigest", { digest: seal.document, id })
  }
}
