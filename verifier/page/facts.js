// SPDX-License-Identifier: Apache-2.0
// Each fact in a sentence: what fits, what does not, what was not checked and why.

import { element, mark } from "./dom.js";
import { quote } from "./quote.js";
import { has, sentence, text } from "./words.js";

const ORDER = ["wrong", "needed", "ok", "unchecked"];
const MOST = 300;

/** Codes that one sentence says for a layman; their values say the rest. */
const SAME = {
  storedDigest: "recordDigest", signedStoredDigest: "signedDigest", signedContents: "contents",
  demandInk: "demands", demandAnswer: "demands", demandPages: "demands", demandTime: "demands",
  screenPictures: "pictures", pagePictures: "pictures", signatureReadable: "sealSignature",
  chainFirst: "chain", chainTwice: "chain", chainKey: "chain", chainNew: "keyReplaced", keyLost: "keyReplaced",
  earlierSeals: "chainGap", recordElsewhere: "recordMissing", recordDeleted: "deleted", deletedHere: "deleted",
  unownedDocument: "unknownFile", signersReadable: "signersLine", signedBegins: "signedNames", clock: "time",
  ageTooLarge: "tooLarge", zipTooLarge: "tooLarge", zipName: "zipFile", pdfOtherKind: "pdfSignature",
};
/** Values that tell a layman nothing, or that the page has elsewhere. */
const ELSEWHERE = new Set(["digest", "key", "n", "at", "previous", "first", "last", "synchronized", "maximumError", "line", "reason", "role", "bytes", "fingerprint", "record", "signer", "what", "name", "outcome", "members"]);

/** Facts that the page says elsewhere, too, in the same words. */
const TEXTS = {
  "recordAccepted.ok": "accepted", "recordAccepted.wrong": "notAccepted", "interrupted.unchecked": "notAccepted",
  "keyConfirmed.ok": "keyStated",
  "pdfOtherSignature.ok": "fact.pdfSignature.ok", "pdfOtherSignature.wrong": "fact.pdfSignature.wrong",
};
/** What other facts imply for a layman. */
const IMPLIED = new Set(["sealReadable.ok", "chainFirst.ok"]);

/** Facts that many seals have alike. */
const SEALS = new Set(["sealSignature.ok", "key.ok", "key.unchecked", "keyConfirmed.ok", "chain.ok", "recordElsewhere.unchecked"]);

/** @returns {string} the key of a fact's sentence; empty if the page has none */
export function keyOf({ code, state }) {
  const told = TEXTS[`${code}.${state}`];
  if (told) return told;
  const key = `fact.${SAME[code] ?? code}.${state}`;
  return has(key) ? key : "";
}

/** A fact as a sentence in the reader's language; codes that the page does not know are shown as they are. */
function words(fact) {
  const key = keyOf(fact);
  const values = fact.values ?? {};
  if (!key) return [quote(`${fact.code} ${JSON.stringify(values)}`, { code: true })];
  const nodes = sentence(key, values);
  for (const [name, value] of Object.entries(values)) {
    const isSaid = text(key).includes(`{${name}}`);
    // The only person has no role.
    if (!isSaid && value !== "" && typeof value === "string" && (!ELSEWHERE.has(name) || (name === "name" && fact.code.startsWith("demand")))) nodes.push(" ", quote(value));
  }
  // In the words of the program, for examiners.
  if (fact.values?.reason) nodes.push(" ", element("code", { lang: "en", dir: "ltr" }, fact.values.line ? `${fact.values.line}: ` : "", fact.values.reason));
  return nodes;
}

/** The files that a fact is about. */
const places = (abouts) => [abouts.slice(0, MOST).map((about) => element("span", { class: "about" }, " ", quote(about, { code: true, longest: 120 }))),
  abouts.length > MOST ? ` … +${abouts.length - MOST}` : null];

/** The first fact of a state, which a layman reads below the verdict. */
export function first(report, state) {
  const reason = report.facts.find((fact) => fact.state === state && (state === "wrong" || fact.needed));
  // Such as a key that does not fit, of a file that needs its key.
  const found = reason?.about === undefined ? reason : report.facts.find((fact) => fact.state === state && fact.about === reason.about);
  return found && element("span", {}, words(found), places(found.about === undefined ? [] : [found.about]));
}

/** What the verdict rests on beside the record: whether the document is here, and the one that was signed. */
export function documentLines({ facts: all, table }) {
  const found = all.filter(({ code }) => code === "signedDigest" || code === "documentDigest");
  // The id of the only record says nothing.
  const told = distinct(table.length > 1 ? found : found.map((fact) => ({ ...fact, values: {} })));
  return told.slice(0, 20).map((fact) => element("p", { class: `fact fact-${fact.state} document` }, mark(fact.state),
    element("span", {}, element("strong", {}, words(fact)), places([...fact.abouts]))));
}

/**
 * Those that say the same become one with all their files; of the time, one is enough. Of seals one after the other, all
 * numbers become one range.
 */
function distinct(facts) {
  const said = new Map();
  for (const fact of facts) {
    const sentence = keyOf(fact);
    if (IMPLIED.has(`${fact.code}.${fact.state}`)) continue;
    const isOfTime = sentence.startsWith("fact.time.");
    const isOfSeals = SEALS.has(`${fact.code}.${fact.state}`);
    const { n, previous, id, at, ...values } = fact.values ?? {};
    const key = JSON.stringify([sentence || fact.code, fact.state, fact.needed, isOfTime ? {} : isOfSeals ? values : fact.values]);
    if (!said.has(key)) said.set(key, { ...fact, abouts: new Set(), numbers: new Set() });
    if (fact.about !== undefined && !isOfTime) said.get(key).abouts.add(fact.about);
    if (isOfSeals && typeof n === "number") said.get(key).numbers.add(n);
  }
  return [...said.values()].map(({ numbers, ...fact }) => numbers.size < 2 ? fact
    : { ...fact, values: { ...fact.values, n: element("span", { dir: "ltr" }, ranges([...numbers].sort((a, b) => a - b))), id: "" } });
}

/** `3–7, 9` */
function ranges(numbers) {
  const found = [];
  for (const n of numbers) {
    if (found.length && found.at(-1)[1] === n - 1) found.at(-1)[1] = n;
    else found.push([n, n]);
  }
  return found.map(([from, to]) => (from === to ? from : `${from}–${to}`)).join(", ");
}

/** @param {object} report  @param {Node} [more]  what the reader can add */
export function facts(report, more) {
  const rank = ({ state, needed }) => ORDER.indexOf(needed ? "needed" : state);
  const sorted = distinct(report.facts).sort((a, b) => rank(a) - rank(b));
  const items = sorted.slice(0, MOST).map((fact) => element("li", { class: `fact fact-${fact.state}` }, mark(fact.state),
    element("span", {}, element("strong", {}, text(`state.${fact.state}`)), " ", words(fact), places([...fact.abouts]))));
  if (sorted.length > MOST) items.push(element("li", {}, `… +${sorted.length - MOST}`));
  return element("section", { class: "facts" }, element("h2", {}, text("facts")),
    element("ul", { class: "plain" }, items), more);
}
