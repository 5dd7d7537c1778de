// SPDX-License-Identifier: Apache-2.0
// Files without any record, seal or signature of a seal: a signed document alone, which is what a customer keeps, or
// nothing that a panel made.

import { Pace } from "../core/pace.js";
import { isAllowedAt, readSigners, signersOf } from "../core/signers.js";
import { fingerprint } from "../core/sshsig.js";

const UNCHANGED = ["no", "signed"];
const NO_RECORD = { state: "unchecked", code: "noRecord", values: {} };

/** What lists say of the key of a signature. @returns {Promise<{known: boolean, name?: string, refused?: true}>} */
async function standing(print, at, lists) {
  let isListed = false;
  for (const { bytes } of lists) {
    const { signers } = await readSigners(bytes, new Pace({}, 1)).catch(() => ({ signers: [] }));
    for (const signer of signers) {
      if (!signersOf([signer], signer.key).length || await fingerprint(signer.key) !== print) continue;
      if (at !== undefined && isAllowedAt(signer, at)) return { known: true, name: signer.names };
      isListed = true;
    }
  }
  return { known: false, ...(isListed && { refused: true }) };
}

/**
 * Gives a report about files without a record the verdict `copy` or `nothing`, if it is one of these.
 * @param {object} report  of the core; its facts and its key change
 * @param {{name: string, size: number, signatures: import("../files/pdf.js").SignatureReport[]}[]} documents
 * @param {{lists: {name: string, bytes: Uint8Array}[], confirmed: string[], facts: object[]}} known  `facts`: about the
 *     signatures in PDF files, and about what was not read
 * @returns {Promise<string[]>} the names of documents with a panel's signatures
 */
export async function judgeAlone(report, documents, { lists, confirmed, facts }) {
  const [ours, others] = [["record", "encrypted", "seal", "signature"], ["signers", "companion", "identity"]];
  const alone = report.files.filter(({ role }) => !others.includes(role)).map(({ name }) => name);
  if (!alone.length || report.captures.length || report.files.some(({ role }) => ours.includes(role))) return [];
  if ([...report.facts, ...facts].some(({ needed, code }) => needed && !["noRecord", "unknownFile"].includes(code))) return [];
  if (!documents.length && !facts.some(({ code }) => code.startsWith("pdf"))) {
    report.facts = [...report.facts.filter(({ code }) => !["noRecord", "unknownFile"].includes(code)), NO_RECORD];
    report.verdict = "nothing";
    return [];
  }
  const panels = documents.map(({ name, signatures }) => ({ name, signatures: signatures.filter(({ record }) => record !== undefined) }));
  const all = panels.flatMap(({ signatures }) => signatures);
  const isCopy = panels.length === alone.length && panels.every(({ signatures }) => signatures.length)
    && all.every(({ intact, fingerprint: print }) => intact === true && print === all[0].fingerprint);
  if (!isCopy) return [];
  const names = panels.map(({ name }) => name);
  for (const { name, signatures } of panels) {
    for (const { name: field, changedAfter } of signatures) {
      if (UNCHANGED.includes(changedAfter)) continue;
      const isForbidden = changedAfter === "forbidden";
      report.facts.push({ state: isForbidden ? "wrong" : "unchecked", code: "pdfAfter", values: { field }, about: name, ...(!isForbidden && { needed: true }) });
    }
  }
  const key = all[0].fingerprint;
  const told = await standing(key, all[0].at, lists);
  const isConfirmed = !told.known && !told.refused && confirmed.includes(key);
  report.key = { fingerprint: key, confirmed: isConfirmed, ...told };
  report.facts = report.facts.filter(({ code, about }) => code !== "noRecord" && !(code === "unknownFile" && names.includes(about)));
  report.facts.push(NO_RECORD);
  if (told.known) report.facts.push({ state: "ok", code: "key", values: { key, name: told.name } });
  else if (isConfirmed) report.facts.push({ state: "ok", code: "keyConfirmed", values: { key } });
  else report.facts.push({ state: "unchecked", code: told.refused ? "keyTime" : "key", values: { key }, about: names[0], needed: true });
  report.verdict = "copy";
  return names;
}
