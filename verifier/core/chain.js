// SPDX-License-Identifier: Apache-2.0
/** Checks seals: their signatures, their keys, and that each follows the one before (docs/seals.md). */
import { Fault, areEqual, sha256 } from "./bytes.js"
import { NO_DIGEST } from "./seal.js"
import { isAllowedAt, signersOf } from "./signers.js"
import { checkSignature } from "./sshsig.js"

/**
 * Checks each chain, as two panels have one each.
 * @param {import("./gather.js").SealFile[]} seals  in the order of their numbers
 * @param {{signers: import("./signers.js").Signer[]|null, panel?: string, confirmed: string[]}} keys
 * @returns {Promise<Map<import("./gather.js").SealFile, import("./check.js").Key>>} the key of each seal, for the report
 */
export async function checkChains(seals, keys, facts, pace) {
  const known = new Map()
  const sealed = new Set()
  for (const chain of chainsOf(seals)) await checkChain(chain, sealed, known, keys, facts, pace)
  if (seals.length > 0) facts.open("time")
  return known
}

/** A chain is of one key and those that replaced it, or in the directory of one panel, whoever put a seal there. */
function chainsOf(seals) {
  const above = new Map()
  const root = name => {
    let at = name
    while (above.has(at)) at = above.get(at)
    return at
  }
  for (const { seal, file } of seals) {
    const others = [seal.replaces, file.place ? `in ${file.place.store}` : undefined]
    for (const other of others.filter(each => each !== undefined)) {
      const [one, two] = [root(seal.key), root(other)]
      if (one !== two) above.set(two, one)
    }
  }
  const chains = new Map()
  for (const each of seals) {
    const name = root(each.seal.key)
    if (!chains.has(name)) chains.set(name, [])
    chains.get(name).push(each)
  }
  return chains.values()
}

async function checkChain(seals, sealed, known, keys, facts, pace) {
  // A panel's directory has all seals between two of its own. Elsewhere, those of other records may be others' affair.
  const placed = seals.filter(({ file }) => file.place).map(({ seal }) => seal.n)
  const isWhole = (first, last) => placed.length > 0 && placed[0] <= first && last <= placed.at(-1)
  let before
  for (const each of seals) {
    if (pace.isDue) await pace.rest()
    const { seal, file } = each
    facts.add(true, "sealReadable", { n: seal.n }, file.name)
    known.set(each, await checkSignatures(each, keys, facts))
    // The same seal, as the panel's file and as a host's copy.
    if (before && areEqual(before.line, each.line)) continue
    if (seal.id !== undefined) {
      if (sealed.has(seal.id)) facts.add(false, "sealedTwice", { id: seal.id, n: seal.n }, file.name)
      sealed.add(seal.id)
    }
    if (before) await checkOrder(each, before, isWhole, facts)
    else if (seal.n === 1) facts.add(seal.previous === NO_DIGEST, "chainFirst", { n: 1 }, file.name)
    if (seal.replaces !== undefined) facts.open(seal.lost ? "keyLost" : "keyReplaced", { n: seal.n }, file.name)
    if (seal.deleted !== undefined) {
      facts.open("deleted", { n: seal.n, id: seal.deleted, reason: seal.reason, at: Number(seal.at) }, file.name)
    }
    before = each
  }
  if (seals[0].seal.n > 1) facts.open("earlierSeals", { n: seals[0].seal.n })
  facts.open("laterSeals", { n: before.seal.n, digest: await sha256(before.line) })
}

/** Whether the seals that somebody kept are still there. @param {string[]} heads  NUMBER:DIGEST */
export async function checkHeads(heads, seals, facts) {
  for (const head of heads) {
    const [n, digest] = head.split(":")
    const same = seals.filter(({ seal }) => String(seal.n) === n)
    if (same.length === 0) {
      facts.missing("head", { n: Number(n) })
      continue
    }
    // Two panels have seals of the same number.
    const digests = await Promise.all(same.map(({ line }) => sha256(line)))
    const at = Math.max(digests.indexOf(digest), 0)
    facts.add(digests[at] === digest, "head", { n: Number(n) }, same[at].file.name)
  }
}

async function checkOrder({ seal, file }, { seal: old, line }, isWhole, facts) {
  const { n } = seal
  if (n === old.n) return facts.add(false, "chainTwice", { n }, file.name)
  if (n > old.n + 1) {
    const gap = { n, first: old.n + 1, last: n - 1 }
    if (isWhole(old.n, n)) facts.missing("chainGap", gap, file.name)
    else facts.open("chainGap", gap, file.name)
  } else if (seal.previous === await sha256(line)) {
    facts.add(true, "chain", { n, previous: old.n }, file.name)
  } else if (seal.lost === true && seal.previous === NO_DIGEST) {
    facts.open("chainNew", { n, previous: old.n }, file.name)
  } else {
    facts.add(false, "chain", { n, previous: old.n }, file.name)
  }
  if (seal.at < old.at) facts.open("clockBack", { n, previous: old.n }, file.name)
  if ((seal.replaces ?? seal.key) !== old.key) {
    facts.add(false, "chainKey", { n, key: seal.key, previous: old.key }, file.name)
  }
}

async function checkSignatures({ seal, file, line, signatures }, keys, facts) {
  const { n } = seal
  const wanted = seal.replaces === undefined || seal.lost === true ? [seal.key] : [seal.key, seal.replaces]
  const fitting = new Map()
  const unfit = new Set()
  // All of them: another program may look at the one that a fitting one hides.
  for (const { blob, name } of signatures) {
    try {
      const { fits, key, fingerprint } = await checkSignature(blob, line)
      if (fits) fitting.set(fingerprint, key)
      else {
        unfit.add(fingerprint)
        facts.add(false, "sealSignature", { n, key: fingerprint }, name)
      }
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      facts.add(false, "signatureReadable", { reason: error.message, n }, name)
    }
  }
  let report
  for (const fingerprint of wanted) {
    if (fitting.has(fingerprint)) {
      facts.add(true, "sealSignature", { n, key: fingerprint }, file.name)
      const known = whose(fitting.get(fingerprint), fingerprint, seal, keys, file, facts)
      report ??= { fingerprint, ...known }
    } else if (!unfit.has(fingerprint)) {
      if (signatures.length === 0) facts.missing("signatureMissing", { n, key: fingerprint }, file.name)
      else facts.add(false, "sealSignature", { n, key: fingerprint }, file.name)
    }
  }
  return report ?? { fingerprint: seal.key, known: false, confirmed: false }
}

/** Whether the key is one that counts. An unknown one is never genuine. */
function whose(key, fingerprint, seal, { signers, panel, confirmed }, file, facts) {
  const { n } = seal
  const listed = signersOf(signers ?? [], key, panel)
  const allowed = listed.find(signer => isAllowedAt(signer, Number(BigInt(seal.at) / 1_000_000n)))
  // Who compares a fingerprint does not know until when the key was allowed. A list that says it, counts.
  const isConfirmed = listed.length === 0 && confirmed.includes(fingerprint)
  if (allowed) facts.add(true, "key", { n, key: fingerprint, name: allowed.names }, file.name)
  else if (isConfirmed) facts.add(true, "keyConfirmed", { n, key: fingerprint }, file.name)
  else facts.missing(listed.length > 0 ? "keyTime" : "key", { n, key: fingerprint, at: Number(seal.at) }, file.name)
  const isRefused = !allowed && listed.length > 0
  return {
    ...(allowed && { name: allowed.names }), known: allowed !== undefined, confirmed: isConfirmed,
    ...(isRefused && { refused: true })
  }
}
