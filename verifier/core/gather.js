// SPDX-License-Identifier: Apache-2.0
/** Which files belong together: seals and their signatures, captures and their records and documents. */
import { Fault, latin1 } from "./bytes.js"
import { readRecord } from "./record.js"
import { isInStore, roleOf, stem } from "./roles.js"
import { readSeal } from "./seal.js"
import { checkSignature, signaturesIn } from "./sshsig.js"

const LONGEST_SEAL_FILE = 16 * 2 ** 10

/**
 * @typedef {{name: string, bytes: Uint8Array, digest: string, role?: string}} File
 * @typedef {{file: File, seal: any, line: Uint8Array, signatures: {blob: Uint8Array, name: string}[], hasSignatureFile: boolean}} SealFile
 * @typedef {{id: string, sealFile?: SealFile, records: File[], encrypted: File[], signed: File[], encryptedSigned: File[],
 *     document?: File}} Capture
 * @typedef {{seals: SealFile[], captures: Capture[], signers: File[], unused: File[], isStore: boolean,
 *     readings: Map<File, {reading?: import("./record.js").Reading, fault?: Fault}>}} Evidence
 */

/**
 * Finds roles, reads seals and records. What cannot be read becomes a fact.
 * @param {File[]} files  @returns {Promise<Evidence>}
 */
export async function gather(files, facts, pace) {
  for (const file of files) file.role = roleOf(file.name, file.bytes)
  const having = role => files.filter(file => file.role === role)
  const seals = readSeals(having("seal"), facts)
  const documents = takeDocuments(files, seals)
  const chain = seals.filter(({ file }) => !documents.has(file))
  const isOfDocument = file => documents.has(file) || [...documents].some(({ name }) => `${name}.sig` === file.name)
  await addSignatures(chain, having("signature").filter(file => !isOfDocument(file)), facts)
  const isUsed = new Set()
  const evidence = {
    seals: chain, captures: [], signers: having("signers").filter(file => !documents.has(file)), unused: [],
    isStore: files.some(file => isInStore(file.name)), readings: new Map()
  }
  const records = having("record").filter(file => !documents.has(file))
  for (const file of records) evidence.readings.set(file, await read(file, pace))
  evidence.captures = captures(chain, records, having("encrypted").filter(file => !documents.has(file)), evidence)
  addDocuments(evidence, files.filter(file => documents.has(file) || ["other", "companion"].includes(file.role)), isUsed)
  evidence.unused = files.filter(file => !isUsed.has(file) && ["other", "companion"].includes(file.role))
  return evidence
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
async function addSignatures(seals, files, facts) {
  for (const file of files) {
    let blobs = []
    try {
      if (file.bytes.length > LONGEST_SEAL_FILE) throw new Fault("it has more than 16 KiB")
      blobs = signaturesIn(file.bytes, true)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      facts.add(false, "signatureReadable", { reason: error.message }, file.name)
    }
    const loose = seals.filter(seal => seal.signatures.length === 0 || seal.hasLoose)
    const namesake = seals.find(seal => `${seal.file.name}.sig` === file.name)
    const owner = namesake ?? (loose.length === 1 ? loose[0] : await fitting(loose, blobs))
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
  const taken = new Set()
  for (const file of files) {
    const isNamed = seals.some(({ file: sealFile, seal }) => sealFile !== file && [seal.document, seal.signed].includes(file.digest))
    if (!isNamed) continue
    const own = seals.find(each => each.file === file)
    const isEvidence = file.role === "record" && seals.some(({ seal }) => seal.record === file.digest)
      || file.role === "encrypted" && seals.some(({ seal }) => seal.stored === file.digest)
      || own && files.some(other => [own.seal.record, own.seal.stored].includes(other.digest))
      || file.role === "signature" && files.some(other => `${other.name}.sig` === file.name)
    if (!isEvidence) taken.add(file)
  }
  return taken
}

// Captures

function captures(chain, records, encrypted, evidence) {
  /** @type {Capture[]} */
  const found = []
  for (const sealFile of chain) {
    const { id } = sealFile.seal
    if (id === undefined || found.some(capture => capture.id === id)) continue
    found.push({ id, sealFile, records: [], encrypted: [], signed: [], encryptedSigned: [] })
  }
  const sealed = [...found]
  const unowned = id => {
    const capture = found.find(each => each.id === id && !each.sealFile)
      ?? { id, records: [], encrypted: [], signed: [], encryptedSigned: [] }
    if (!found.includes(capture)) found.push(capture)
    return capture
  }
  for (const file of records) {
    const id = evidence.readings.get(file).reading?.header.id
    // A name that is the id of a capture says that this is its record.
    const owner = sealed.find(capture => capture.id === stem(file.name))
      ?? sealed.find(({ sealFile }) => sealFile.seal.record === file.digest) ?? sealed.find(capture => capture.id === id)
      ?? sealed.find(({ sealFile }) => stem(sealFile.file.name) === stem(file.name))
      ?? (sealed.length === 1 && records.length === 1 ? sealed[0] : undefined)
    ;(owner ?? unowned(id ?? stem(file.name))).records.push(file)
  }
  for (const file of encrypted) {
    const signed = sealed.find(({ sealFile }) => sealFile.seal.signedStored === file.digest)
    if (signed || file.name.endsWith(".pdf.age")) {
      const owner = signed ?? sealed.find(capture => capture.id === stem(file.name)) ?? unowned(stem(file.name))
      owner.encryptedSigned.push(file)
      continue
    }
    const owner = sealed.find(capture => capture.id === stem(file.name))
      ?? sealed.find(({ sealFile }) => sealFile.seal.stored === file.digest)
      ?? sealed.find(({ sealFile }) => stem(sealFile.file.name) === stem(file.name))
      ?? (sealed.length === 1 && encrypted.length === 1 ? sealed[0] : unowned(stem(file.name)))
    owner.encrypted.push(file)
  }
  return found
}

function addDocuments(evidence, candidates, isUsed) {
  const sealed = evidence.captures.filter(({ sealFile }) => sealFile)
  for (const capture of sealed) {
    const { document, signed } = capture.sealFile.seal
    capture.document = candidates.find(file => file.digest === document)
    const isNamed = ({ name }) => name.endsWith(".pdf") && stem(name) === capture.id && (signed !== undefined || isInStore(name))
    capture.signed = candidates.filter(file => file.digest === signed || file !== capture.document && isNamed(file))
    for (const file of [capture.document, ...capture.signed]) if (file) isUsed.add(file)
  }
  // The only other file must be a document of the only seal that names any.
  const withDocument = sealed.filter(({ sealFile }) => sealFile.seal.document !== undefined)
  const others = candidates.filter(file => !isUsed.has(file) && file.role !== "companion" && !isInStore(file.name))
  if (others.length !== 1 || withDocument.length !== 1) return
  const [capture] = withDocument
  if (capture.sealFile.seal.signed !== undefined && capture.signed.length === 0) capture.signed = others
  else if (!capture.document) capture.document = others[0]
  else return
  isUsed.add(others[0])
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
