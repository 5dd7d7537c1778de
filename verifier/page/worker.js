// SPDX-License-Identifier: Apache-2.0
// All that reads files, away from the page, which ends it when its reader presses Stop.

import { sha256 } from "../core/bytes.js";
import { check } from "../core/check.js";
import { isIdentity as hasNothingElse, roleOf } from "../core/roles.js";
import { verdictOf } from "../core/report.js";
import { readSeal } from "../core/seal.js";
import { decrypt, isAge, isIdentity, isOtherIdentity, keysIn, recipientCount } from "../files/age.js";
import { checkSignedFile } from "../files/pdf.js";
import { pageSizes } from "../files/pdfpages.js";
import { isZip, unzip } from "../files/zip.js";
import { judgeAlone } from "./copy.js";
import { buffers, sheetsOf } from "./ink.js";
import { differences, listsOf } from "./lists.js";
import { peopleOf } from "./story.js";

/** Of all files together: what fits into the memory of a small computer. */
const MOST_BYTES = 512 << 20;
/** Of one archive. */
const MOST_UNPACKED = 256 << 20;
/** Each is a line of the report, at least. */
const MOST_FILES = 5000;
/** Records with a verdict each. */
const MOST_ROWS = 200;
/** What an archive of evidence has something of. */
const EVIDENCE = new Set(["record", "encrypted", "seal", "signature", "signers"]);

const say = (message, moved = []) => self.postMessage(message, moved);

/** Fractions of a part of the work, at most ten times a second. */
function progress(from, to) {
  let last = 0;
  return (fraction) => {
    const now = performance.now();
    if (now - last < 100) return;
    last = now;
    say({ fraction: from + (to - from) * fraction });
  };
}

const start = (bytes, length = 300) => new TextDecoder("latin1").decode(bytes.subarray(0, length));
const isPDF = (bytes) => start(bytes, 1024).includes("%PDF-");

const areSame = (one, other) => one.length === other.length && one.every((byte, at) => byte === other[at]);

const isList = ({ name, bytes }) => roleOf(name, bytes) === "signers";

/**
 * The same file twice counts once; of different ones with one name, no one is chosen silently. `isOwn`: a list of keys
 * that its reader gave by itself. One that came with a record proves nothing: whoever made the record could have made
 * it, too. A folder, an archive and the files of an unpacked archive can hide one.
 */
async function read(files, facts) {
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  if (total > MOST_BYTES) throw Object.assign(new Error(), { code: "tooMuch" });
  const all = [];
  const mixed = new Set();
  for (const [index, { name, file, batch }] of files.entries()) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    all.push({ name, bytes, batch });
    if (name.includes("/") || !isList({ name, bytes })) mixed.add(batch);
    say({ fraction: (0.1 * index) / files.length });
  }
  const found = [];
  const named = new Map();
  for (const { name, bytes, batch } of all) {
    const file = { name, bytes, isOwn: !mixed.has(batch) };
    const before = named.get(name) ?? [];
    const same = before.find((other) => areSame(other.bytes, bytes));
    if (same) {
      same.isOwn ||= file.isOwn;
      continue;
    }
    const isOther = before.some((other) => other.isOwn === file.isOwn || !isList(other) || !isList(file));
    if (isOther) facts.push({ state: "unchecked", code: "sameName", values: {}, about: name, needed: true });
    named.set(name, [...before, file]);
    found.push(file);
  }
  return found;
}

/** Digests of documents, as seals among the files name them. */
function namedBySeals(files) {
  const named = new Set();
  for (const { name, bytes } of files) {
    if (roleOf(name, bytes) !== "seal") continue;
    try {
      const { document, signed } = readSeal(bytes.subarray(0, bytes.indexOf(10) + 1));
      for (const digest of [document, signed]) named.add(digest);
    } catch {
      // The core says so.
    }
  }
  return named;
}

/**
 * Files in place of archives, and what could not be opened as facts. Documents of many programs are archives, too
 * (.docx, .odt): what a seal names, and what has no evidence in it, stays as it is.
 */
async function unpack(files, facts) {
  const unpacked = [];
  // What is unpacked stays in memory beside the archives.
  let left = MOST_BYTES - files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  for (const file of files) {
    if (!isZip(file.bytes)) {
      unpacked.push({ file, entries: [file] });
      continue;
    }
    try {
      const entries = await unzip(file.bytes, { bytes: Math.min(left, MOST_UNPACKED) }, { progress: progress(0.1, 0.2) });
      left -= entries.reduce((sum, { bytes }) => sum + bytes.length, 0);
      unpacked.push({ file, entries: entries.map((entry) => ({ ...entry, archive: file.name })) });
    } catch (error) {
      unpacked.push({ file, entries: [], code: error.code ?? "zipFile" });
    }
  }
  const named = namedBySeals(unpacked.flatMap(({ entries }) => entries));
  const isNamed = async ({ bytes }) => named.size > 0 && named.has(await sha256(bytes));
  const found = [];
  for (const { file, entries, code } of unpacked) {
    if (entries[0] === file) {
      found.push(file);
      continue;
    }
    let hasEvidence = entries.some(({ name, bytes }) => EVIDENCE.has(roleOf(name, bytes)));
    for (const entry of hasEvidence ? [] : entries) hasEvidence ||= await isNamed(entry);
    if (await isNamed(file) || (!code && !hasEvidence)) found.push(file);
    else if (code) facts.push({ state: "unchecked", code, values: {}, about: file.name, needed: true });
    else found.push(...entries);
  }
  if (found.length > MOST_FILES) throw Object.assign(new Error(), { code: "tooMuch" });
  return found;
}

/** The same file in two places is one: of a seal and its copy, the copy would have no signature. */
function unique(files) {
  const named = new Map();
  return files.filter(({ name, bytes }) => {
    const before = named.get(name) ?? [];
    if (before.some((other) => areSame(other, bytes))) return false;
    named.set(name, [...before, bytes]);
    return true;
  });
}

/** Why no key opens a file: what is wrong with the file itself comes first. */
const reasonOf = (codes) => codes.find((code) => !["identity", "otherRecipient"].includes(code))
  ?? codes.find((code) => code === "otherRecipient") ?? codes[0];

/** Adds what can be decrypted with what was typed and with files that are nothing but identities. */
async function open(files, typed, facts) {
  const sources = files.filter(({ bytes }) => isIdentity(bytes))
    .map((file) => ({ file, keys: new TextDecoder().decode(file.bytes) }));
  if (typed.trim()) sources.unshift({ keys: keysIn(typed) });
  const opened = [];
  const used = new Set();
  for (const file of files.filter(({ bytes }) => isAge(bytes))) {
    // The core says what is still encrypted.
    const codes = [];
    for (const { file: source, keys } of sources) {
      try {
        const bytes = await decrypt(file.bytes, keys, { progress: progress(0.2, 0.4) });
        opened.push({ ...file, name: file.name.replace(/\.age$/, ""), bytes });
        used.add(source);
        codes.length = 0;
        break;
      } catch (error) {
        codes.push(error.code ?? "ageFile");
      }
    }
    if (codes.length) facts.push({ state: "unchecked", code: reasonOf(codes), values: {}, about: file.name });
  }
  // With comments of somebody in it, it is a file like any other, unless it opens something: then they are told.
  const secrets = files.filter((file) => isIdentity(file.bytes) && (hasNothingElse(file.bytes) || used.has(file)));
  for (const { name, bytes } of secrets) {
    if (!hasNothingElse(bytes)) facts.push({ state: "unchecked", code: "companion", values: {}, about: name });
  }
  const rest = files.filter((file) => !secrets.includes(file));
  for (const { name } of rest.filter(({ bytes }) => isOtherIdentity(bytes))) {
    facts.push({ state: "unchecked", code: "ageKind", values: {}, about: name });
  }
  return { found: [...rest, ...opened], secrets };
}

/** What the page shows of a record: the one that its reader chose, or the first one. */
function shown(report, chosen) {
  const { captures, record: first, ...rest } = report;
  const record = captures.find(({ id, record: own }) => own && id === chosen)?.record ?? first;
  const capture = captures.find((each) => each.record === record);
  const written = record && sheetsOf(record);
  const story = record && { header: record.header, end: record.end, outcome: record.outcome, people: peopleOf(record), spoken: record.spoken.map((each) => each.text) };
  const ids = captures.filter((each) => each.record).map(({ id }) => id);
  // Of seals alone there is nothing to say.
  const table = captures.filter(({ isPresented }) => isPresented).slice(0, MOST_ROWS).map((each) => ({
    id: each.id, verdict: verdictOf(each, report.facts), startedAt: each.record?.header.startedAt,
    offset: each.record?.header.date?.offsetSeconds, signers: (each.record?.people ?? []).slice(0, 8).map(({ name, role }) => name ?? role ?? ""),
  }));
  const key = capture?.key ?? report.key;
  return { ...rest, ...(key && { key: { ...key, lists: report.lists.get(key.fingerprint) ?? [] } }), lists: undefined, table, ...(capture?.seal && { seal: capture.seal, clock: { at: capture.seal.at, ...capture.seal.clock } }), ids, story, written };
}

async function work({ files, unread, identity, confirmed, heads, chosen }) {
  if (!self.crypto?.subtle) throw Object.assign(new Error(), { code: "noCryptography" });
  const facts = (unread ?? []).map((about) => ({ state: "unchecked", code: "tooDeep", values: {}, about, needed: true }));
  const { found, secrets } = await open(await unpack(await read(files, facts), facts), identity, facts);
  const unopened = facts.splice(0);
  const isHidden = (file) => !file.isOwn && isList(file);
  for (const { name, archive } of found.filter(isHidden)) {
    // With its archive: the reader's own list often has the same name.
    const about = archive === undefined ? name : `${archive}/${name}`;
    facts.push({ state: "unchecked", code: "signersInArchive", values: {}, about });
  }
  const given = unique(found.filter((file) => !isHidden(file)));
  const lists = await listsOf(given.filter(isList));
  const report = await check(given.map(({ name, bytes }) => ({ name, bytes })), {
    confirmed: confirmed ?? [], heads: heads ?? [], progress: progress(0.4, 0.8),
  });
  // Why something could not be opened is the reason of what is missing then.
  report.facts.unshift(...unopened);
  const documents = [];
  for (const [index, { name, bytes }] of given.entries()) {
    if (isAge(bytes)) report.files[index].recipients = recipientCount(bytes);
    if (!isPDF(bytes)) continue;
    const { digest } = report.files[index];
    const owner = report.captures.find(({ seal }) => seal?.signed === digest);
    const from = owner?.record?.header.flow?.document?.bytes;
    // No part of the evidence of a record: its signatures are what there is to check.
    const isAlone = !report.captures.some(({ seal }) => [seal?.signed, seal?.document].includes(digest));
    const checked = await checkSignedFile(bytes, { seal: owner?.seal, from, isAlone, progress: progress(0.8, 0.95) });
    facts.push(...checked.facts.map((fact) => ({ ...fact, about: name })));
    if (checked.signatures.length) documents.push({ name, size: bytes.length, signatures: checked.signatures });
  }
  const copies = await judgeAlone(report, documents, { lists: given.filter(isList), confirmed: confirmed ?? [], facts });
  const keys = new Set(report.facts.filter(({ code }) => code === "key" || code === "keyTime").map(({ values }) => values.key));
  facts.push(...differences(lists, keys));
  report.lists = new Map([...keys].map((key) => [key, lists.filter(({ known }) => known.has(key)).map(({ name }) => name)]));
  // What only looks like an identity must not vanish, either.
  const isTold = new Set(report.facts.map(({ about }) => about));
  for (const { name, role } of report.files) {
    if (role === "identity" && !isTold.has(name)) facts.push({ state: "unchecked", code: "identity", values: {}, about: name, needed: true });
  }
  // Nothing of their contents: not even a digest.
  report.files.push(...secrets.map(({ name, bytes }) => ({ name, role: "identity", size: bytes.length })));
  report.facts.push(...facts);
  if (report.facts.some(({ state }) => state === "wrong")) report.verdict = "changed";
  else if (report.facts.some(({ needed }) => needed)) report.verdict = "undecided";
  const result = { ...shown(report, chosen), documents };
  // The document to read, for a button: copies, as those of an archive are parts of its bytes.
  const own = new Set([result.seal?.signed ?? result.seal?.document]);
  const isOwn = ({ name, bytes }, index) => isPDF(bytes) && (own.has(report.files[index].digest) || copies.includes(name));
  const opened = given.filter(isOwn).slice(0, 1);
  result.opened = opened.map(({ name, bytes }) => ({ name, bytes: bytes.slice() }));
  // Of a file that is not understood, places are not shown.
  result.sizes = result.story?.header.flow?.document && opened.length ? await pageSizes(opened[0].bytes).catch(() => []) : [];
  say({ report: result }, [...(result.written ? buffers(result.written) : []), ...result.opened.map(({ bytes }) => bytes.buffer)]);
}

self.onmessage = async ({ data }) => {
  try {
    await work(data);
  } catch (error) {
    say({ failed: error.code ?? "failed", detail: String(error.message).slice(0, 300) });
  }
};
