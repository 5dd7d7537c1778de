// SPDX-License-Identifier: Apache-2.0
/** Which files belong together: seals and their signatures, captures and their records and documents. */
import { Fault, base64, latin1 } from "./bytes.js"
import { readRecord } from "./record.js"
import { ownNames, placeOf, roleOf, stem, storesIn } from "./roles.js"
import { readSeal } from "./seal.js"
import { checkSignature, signaturesIn } from "./sshsig.js"
import { takeTimeStamps } from "./stamps.js"

const LONGEST_SEAL_FILE = 16 * 2 ** 10
/** Checks of signatures, to find the seals of those whose names do not say it. */
const MOST_TRIES = 500

/**
 * @typedef {{name: string, bytes: Uint8Array, digest: string, role?: string,
 *     place?: {store: string, kind: string, id: string}}} File
 * @typedef {{file: File, seal: any, line: Uint8Array, signatures: {blob: Uint8Array, name: string}[],
 *     hasSignatureFile: boolean}} SealFile
 * @typedef {{id: string, sealFile?: SealFile, records: File[], encrypted: File[], signed: File[], encryptedSigned: File[],
 *     document?: File}} Capture
 * `hasPresent`: there is a capture with its seal; `deleted`: ids.
 * @typedef {{seals: SealFile[], captures: Capture[], signers: File[], unused: File[], isStore: boolean,
 *     hasPresent: boolean, deleted: Set<string>,
 *     readings: Map<File, {reading?: import("./record.js").Reading, fault?: Fault}>,
 *     stamps: Awaited<ReturnType<typeof takeTimeStamps>>}} Evidence
 */

/**
 * Finds roles, reads seals and records. What cannot be read becomes a fact.
 * @param {File[]} files  @returns {Promise<Evidence>}
 */
export async function gather(files, facts, pace) {
  const names = files.map(file => file.name)
  const stores = storesIn(names)
  const own = ownNames(names, stores)
  for (const file of files) {
    file.place = placeOf(file.name, stores)
    file.role = file.place ? ROLES[file.place.kind] : own.has(file.name) ? "companion" : roleOf(file.name, file.bytes)
  }
  const having = role => files.filter(file => file.role === role)
  const seals = readSeals(having("seal"), facts)
  recognise(files, seals)
  const documents = takeDocuments(files, seals)
  const chain = seals.filter(({ file }) => !documents.has(file))
  // The signature of a seal that was signed. Any other document may have the name of a seal.
  const ofDocuments = new Set([...documents].filter(({ role }) => role === "seal").map(({ name }) => `${name}.sig`))
  const isOfDocument = file => documents.has(file) || ofDocuments.has(file.name)
  await addSignatures(chain, having("signature").filter(file => !isOfDocument(file)), facts, pace)
  const evidence = {
    seals: chain, captures: [], signers: having("signers").filter(file => !documents.has(file)), unused: [],
    isStore: stores.length > 0, readings: new Map(),
    stamps: await takeTimeStamps(having("other").filter(file => !documents.has(file)), chain),
    deleted: new Set(chain.map(({ seal }) => seal.deleted)), hasPresent: false
  }
  const records = having("record").filter(file => !documents.has(file))
  for (const file of records) evidence.readings.set(file, await read(file, pace))
  const encrypted = having("encrypted").filter(file => !documents.has(file))
  evidence.captures = captures(chain, records, encrypted, having("signed"), evidence)
  evidence.hasPresent = evidence.captures.some(each => each.sealFile && each.records.length + each.encrypted.length > 0)
  const candidates = files.filter(file => documents.has(file) || ["other", "companion"].includes(file.role))
  const isUsed = addDocuments(evidence, candidates)
  evidence.unused = files.filter(file => !isUsed.has(file) && ["other", "companion", "identity"].includes(file.role))
  return evidence
}

/** Of the places in a panel's directory. */
const ROLES = { seal: "seal", record: "record", encrypted: "encrypted", signed: "signed", encryptedSigned: "encrypted" }

/** What a seal names as its record is one, whatever its form and name. */
function recognise(files, seals) {
  const named = new Map(seals.flatMap(({ seal }) =>
    [[seal.record, "record"], [seal.stored, "encrypted"], [seal.signedStored, "encrypted"]]))
  for (const file of files) {
    if (file.place || ["seal", "encrypted"].includes(file.role)) continue
    file.role = named.get(file.digest) ?? file.role
  }
}

async function read(file, pace) {
  try {
    return { reading: await readRecord(file.bytes, pace) }
  } catch (error) {
    pace.signal?.throwIfAborted()
    // Of a hostile file, a browser may not have the memory.
    return { fault: error instanceof Fault ? error : new Fault("it takes more memory than there is here") }
  }
}

// Seals

function readSeals(files, facts) {
  const seals = []
  for (const file of files) {
    const end = file.bytes.indexOf(10) + 1
    try {
      if (file.bytes.length > LONGEST_SEAL_FILE) throw new Fault("it has more than 16 KiB")
      const line = file.bytes.subarray(0, end)
      const seal = readSeal(line)
      const rest = file.bytes.subarray(end)
      const inside = rest.length > 0 ? signaturesIn(rest, false) : []
      seals.push({
        file, seal, line, signatures: inside.map(blob => ({ blob, name: file.name })), hasSignatureFile: rest.length > 0
      })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      facts.add(false, "sealReadable", { reason: error.message }, file.name)
    }
  }
  return seals.sort((one, other) => one.seal.n - other.seal.n)
}

/** Gives each file of signatures to its seal: the one of its name, the only one, or the one whose line it fits. */
async function addSignatures(seals, files, facts, pace) {
  // A panel's own file has its signature inside.
  const alone = seals.filter(({ file }) => !file.place)
  const byName = first(alone, seal => `${seal.file.name}.sig`)
  const known = new Set(seals.flatMap(({ signatures }) => signatures.map(({ blob }) => base64(blob))))
  let tries = MOST_TRIES
  const [named, others] = [true, false].map(isNamed => files.filter(({ name }) => byName.has(name) === isNamed))
  for (const file of [...named, ...others]) {
    if (pace.isDue) await pace.rest()
    let blobs = []
    try {
      if (file.bytes.length > LONGEST_SEAL_FILE) throw new Fault("it has more than 16 KiB")
      blobs = signaturesIn(file.bytes, true)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      facts.add(false, "signatureReadable", { reason: error.message }, file.name)
    }
    let owner = byName.get(file.name)
    // A copy with another name.
    if (!owner && blobs.length > 0 && blobs.every(blob => known.has(base64(blob)))) continue
    for (const blob of blobs) known.add(base64(blob))
    if (!owner) {
      const loose = alone.filter(seal => seal.signatures.length === 0 || seal.hasLoose)
      if (loose.length === 1) owner = loose[0]
      else if ((tries -= loose.length) >= 0) owner = await fitting(loose, blobs)
    }
    if (!owner) {
      if (blobs.length > 0) facts.missing("sealMissing", { what: "signature" }, file.name)
      continue
    }
    // The panel's own file has its signature inside.
    if (owner.signatures.length > 0 && !owner.hasLoose && owner.hasSignatureFile) continue
    owner.hasLoose = true
    owner.hasSignatureFile = true
    owner.signatures.push(...blobs.map(blob => ({ blob, name: file.name })))
  }
  // A copy of a seal may lack the signature.
  const signed = first(seals.filter(({ signatures }) => signatures.length > 0), ({ line }) => latin1(line))
  for (const seal of alone) if (!seal.hasSignatureFile) seal.signatures = signed.get(latin1(seal.line))?.signatures ?? []
}

async function fitting(seals, blobs) {
  for (const seal of seals) {
    for (const blob of blobs) {
      try {
        if ((await checkSignature(blob, seal.line)).fits) return seal
      } catch (error) {
        if (!(error instanceof Fault)) throw error
      }
    }
  }
  return undefined
}

// Documents

/** Files that a seal names as its document, and that are no evidence of their own: a record can be signed again. */
function takeDocuments(files, seals) {
  const named = new Map()
  for (const { file, seal } of seals) {
    for (const digest of [seal.document, seal.signed].filter(each => each !== undefined)) {
      if (!named.has(digest)) named.set(digest, [])
      named.get(digest).push(file)
    }
  }
  const records = new Set(seals.map(({ seal }) => seal.record))
  const stored = new Set(seals.map(({ seal }) => seal.stored))
  const digests = new Set(files.map(file => file.digest))
  const names = new Set(files.map(file => file.name))
  const ofFile = first(seals, each => each.file)
  return new Set(files.filter(file => {
    if (file.place) return false
    // A seal cannot name itself.
    if (!named.get(file.digest)?.some(sealFile => sealFile !== file)) return false
    const own = ofFile.get(file)?.seal
    const isEvidence = file.role === "record" && records.has(file.digest)
      || file.role === "encrypted" && stored.has(file.digest)
      || own && (digests.has(own.record) || digests.has(own.stored))
      || file.role === "signature" && names.has(file.name.replace(/\.sig$/, ""))
    return !isEvidence
  }))
}

// Captures

/** The first item of each key; a store may have very many. */
function first(items, ...keysOf) {
  const found = new Map()
  for (const keyOf of keysOf) {
    for (const item of items) {
      const key = keyOf(item)
      if (key !== undefined && !found.has(key)) found.set(key, item)
    }
  }
  return found
}

/** @returns {Capture} */
const empty = (id, sealFile) =>
  ({ id, ...(sealFile && { sealFile }), records: [], encrypted: [], signed: [], encryptedSigned: [] })

/** @returns {Capture[]} those of seals first */
function captures(chain, records, encrypted, signed, evidence) {
  const seals = first(chain.filter(({ seal }) => seal.id !== undefined), ({ seal }) => seal.id)
  const sealed = [...seals].map(([id, sealFile]) => empty(id, sealFile))
  const by = keyOf => first(sealed, ({ sealFile }) => keyOf(sealFile))
  const [byID, byRecord, byStored, bySigned] =
    ["id", "record", "stored", "signedStored"].map(name => by(({ seal }) => seal[name]))
  const byStem = by(({ file }) => stem(file.name))
  const others = new Map()
  const unowned = id => {
    if (!others.has(id)) others.set(id, empty(id))
    return others.get(id)
  }
  const only = files => sealed.length === 1 && files.length === 1 ? sealed[0] : undefined
  /** The capture of the place in a panel's directory. */
  const placed = ({ place }) => place && (byID.get(place.id) ?? unowned(place.id))
  for (const file of signed) placed(file).signed.push(file)
  for (const file of records) {
    const id = evidence.readings.get(file).reading?.header.id
    // A name that is the id of a capture says that this is its record.
    const owner = placed(file) ?? byID.get(stem(file.name)) ?? byRecord.get(file.digest) ?? byID.get(id)
      ?? byStem.get(stem(file.name)) ?? only(records) ?? unowned(id ?? stem(file.name))
    owner.records.push(file)
  }
  for (const file of encrypted) {
    const ofSigned = bySigned.get(file.digest)
    if (file.place ? file.place.kind === "encryptedSigned" : ofSigned || file.name.endsWith(".pdf.age")) {
      const owner = placed(file) ?? ofSigned ?? byID.get(stem(file.name)) ?? unowned(stem(file.name))
      owner.encryptedSigned.push(file)
      continue
    }
    const owner = placed(file) ?? byID.get(stem(file.name)) ?? byStored.get(file.digest) ?? byStem.get(stem(file.name))
      ?? only(encrypted) ?? unowned(stem(file.name))
    owner.encrypted.push(file)
  }
  return [...sealed, ...others.values()]
}

/** @returns {Set<File>} the files that belong to captures */
function addDocuments(evidence, candidates) {
  const isUsed = new Set()
  const sealed = evidence.captures.filter(({ sealFile }) => sealFile)
  const byDigest = first(candidates, file => file.digest)
  const byName = first(candidates.filter(file => file.name.endsWith(".pdf")), file => stem(file.name))
  const used = new Set()
  for (const capture of sealed) {
    const { document, signed } = capture.sealFile.seal
    capture.document = byDigest.get(document)
    const named = byName.get(capture.id)
    const isMeant = named && named.digest !== document && signed !== undefined
    const meant = [byDigest.get(signed), isMeant ? named : undefined].filter(file => file)
    capture.signed = [...new Set([...capture.signed, ...meant])]
    for (const file of [capture.document, ...capture.signed]) if (file) used.add(file.digest)
  }
  // A copy with another name is the same document. The only other one must be that of the only seal that names any.
  const withDocument = sealed.filter(({ sealFile }) => sealFile.seal.document !== undefined)
  const isLeft = file => !used.has(file.digest) && file.role !== "companion"
  const others = [...first(candidates.filter(isLeft), file => file.digest).values()]
  const [capture] = withDocument
  if (others.length === 1 && withDocument.length === 1) {
    const lacksSigned = capture.sealFile.seal.signed !== undefined && capture.signed.length === 0
    if (lacksSigned) capture.signed = others
    else if (!capture.document) capture.document = others[0]
    if (lacksSigned || capture.document === others[0]) used.add(others[0].digest)
  }
  return new Set(candidates.filter(file => used.has(file.digest)))
}

/** Whether bytes have a text of ASCII. @param {Uint8Array} bytes  @param {string} text */
export async function includes(bytes, text, pace) {
  const piece = 2 ** 20
  for (let at = 0; at < bytes.length; at += piece) {
    if (latin1(bytes.subarray(at, at + piece + text.length - 1)).includes(text)) return true
    if (pace.isDue) await pace.rest()
  }
  return false
}
