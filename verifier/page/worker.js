// SPDX-License-Identifier: Apache-2.0
// All that reads files, away from the page, which ends it when its reader presses Stop.

import { check } from "../core/check.js";
import { isIdentity, roleOf } from "../core/roles.js";
import { decrypt, isAge } from "../files/age.js";
import { checkSignedFile } from "../files/pdf.js";
import { isZip, unzip } from "../files/zip.js";
import { buffers, sheetsOf } from "./ink.js";
import { peopleOf } from "./story.js";

/** Of all files together: what fits into the memory of a small computer. */
const MOST_BYTES = 512 << 20;
const IDENTITY = /^\s*(?:#[^\n]*\n\s*)*AGE-SECRET-KEY-1/;

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

async function read(files) {
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  if (total > MOST_BYTES) throw Object.assign(new Error(), { code: "tooMuch" });
  const found = [];
  for (const [index, { name, file }] of files.entries()) {
    found.push({ name, bytes: new Uint8Array(await file.arrayBuffer()) });
    say({ fraction: (0.1 * index) / files.length });
  }
  return found;
}

/** Files in place of archives, and what could not be opened as facts. */
async function unpack(files, facts) {
  const found = [];
  for (const file of files) {
    if (!isZip(file.bytes)) {
      found.push(file);
      continue;
    }
    try {
      const entries = await unzip(file.bytes, {}, { progress: progress(0.1, 0.2) });
      found.push(...entries.map((entry) => ({ ...entry, archive: file.name })));
    } catch (error) {
      facts.push({ state: "unchecked", code: error.code ?? "zipFile", values: {}, about: file.name, needed: true });
    }
  }
  return found;
}

/** Adds what can be decrypted, and takes identities away: they are no evidence. */
async function open(files, typed, facts) {
  const identities = [typed];
  const rest = [];
  for (const file of files) {
    const hasIdentity = file.bytes.length < 100_000 && IDENTITY.test(start(file.bytes, 2000));
    if (hasIdentity) identities.push(new TextDecoder().decode(file.bytes));
    // With more in it, it is a file like any other.
    if (!isIdentity(file.bytes)) rest.push(file);
  }
  const identity = identities.filter((text) => text.trim()).join("\n");
  const opened = [];
  for (const file of rest.filter(({ bytes }) => isAge(bytes))) {
    // The core says what is still encrypted.
    if (!identity) continue;
    try {
      const bytes = await decrypt(file.bytes, identity, { progress: progress(0.2, 0.4) });
      opened.push({ ...file, name: file.name.replace(/\.age$/, ""), bytes });
    } catch (error) {
      facts.push({ state: "unchecked", code: error.code ?? "ageFile", values: {}, about: file.name });
    }
  }
  return [...rest, ...opened];
}

/** What the page shows of a record: the one that its reader chose, or the first one. */
function shown(report, chosen) {
  const { captures, record: first, ...rest } = report;
  const record = captures.find(({ id, record: own }) => own && id === chosen)?.record ?? first;
  const capture = captures.find((each) => each.record === record);
  const sheets = record ? sheetsOf(record) : [];
  const story = record && { header: record.header, end: record.end, outcome: record.outcome, people: peopleOf(record) };
  const ids = captures.filter((each) => each.record).map(({ id }) => id);
  return { ...rest, ...(capture?.seal && { seal: capture.seal, clock: { at: capture.seal.at, ...capture.seal.clock } }), ids, story, sheets };
}

async function work({ files, identity, confirmed, chosen }) {
  if (!self.crypto?.subtle) throw Object.assign(new Error(), { code: "noCryptography" });
  const facts = [];
  const found = await open(await unpack(await read(files), facts), identity, facts);
  // A list of keys that came with the record proves nothing: whoever made the record could have made it, too.
  const isOwnList = ({ name, bytes, archive }) => archive !== undefined && roleOf(name, bytes) === "signers";
  const own = found.filter(isOwnList);
  for (const { name } of own) facts.push({ state: "unchecked", code: "signersInArchive", values: {}, about: name });
  const given = found.filter((file) => !isOwnList(file));
  const report = await check(given.map(({ name, bytes }) => ({ name, bytes })), {
    confirmed: confirmed ? [confirmed] : [], progress: progress(0.4, 0.8),
  });
  const documents = [];
  for (const [index, { name, bytes }] of given.entries()) {
    if (!isPDF(bytes)) continue;
    const owner = report.captures.find(({ seal }) => seal?.signed === report.files[index].digest);
    const from = owner?.record?.header.flow?.document?.bytes;
    const checked = await checkSignedFile(bytes, { seal: owner?.seal, from, progress: progress(0.8, 0.95) });
    facts.push(...checked.facts.map((fact) => ({ ...fact, about: name })));
    if (checked.signatures.length) documents.push({ name, size: bytes.length, signatures: checked.signatures });
  }
  report.facts.push(...facts);
  if (report.facts.some(({ state }) => state === "wrong")) report.verdict = "changed";
  else if (report.facts.some(({ needed }) => needed)) report.verdict = "undecided";
  const result = { ...shown(report, chosen), documents };
  say({ report: result }, buffers(result.sheets));
}

self.onmessage = async ({ data }) => {
  try {
    await work(data);
  } catch (error) {
    say({ failed: error.code ?? "failed", detail: String(error.message).slice(0, 300) });
  }
};
