// SPDX-License-Identifier: Apache-2.0
// The report of a check, from the verdict to the digests of the files. What files say is quoted (quote.js).

import { element, mark } from "./dom.js";
import { documentLines, facts, first } from "./facts.js";
import { headSection } from "./head.js";
import { isWritten, kindOf, opened } from "./ink.js";
import { keySection } from "./key.js";
import { places } from "./place.js";
import { code, digest, quote } from "./quote.js";
import { replay } from "./replay.js";
import { examination } from "./samples.js";
import { date, has, measure, number, sentence, text } from "./words.js";

const STATES = { genuine: "ok", copy: "ok", changed: "wrong", undecided: "unchecked", nothing: "unchecked" };
const MOST_LINES = 60;
/** Signatures of a person that are drawn at once. */
const PORTION = 12;

const section = (name, title, ...content) => element("section", { class: name },
  element("h2", {}, text(title)), ...content);

/** Pairs of a word and what it stands for; those without a value are left out. */
function pairs(...rows) {
  return element("dl", {}, rows.filter(([, value]) => value !== null && value !== undefined)
    .map(([name, ...value]) => element("div", {}, element("dt", {}, text(name)), element("dd", {}, ...value))));
}

const lines = (list, show) => element("ul", { class: "plain" }, list.slice(0, MOST_LINES).map((item) => element("li", {}, show(item))),
  list.length > MOST_LINES ? element("li", {}, `… +${list.length - MOST_LINES}`) : null);

function headline(verdict, ...why) {
  const heading = element("h2", { tabindex: -1, id: "verdict" }, text(verdict));
  return [heading, element("section", { class: `verdict verdict-${verdict}`, "aria-labelledby": "verdict" },
    element("div", { class: "headline" }, mark(STATES[verdict]), heading), ...why)];
}

/** Files in which a genuine verdict has checked nothing. */
const UNREAD = new Set(["companion", "unownedDocument", "signersInArchive", "signedContents"]);

function notChecked({ facts: all }) {
  const names = [...new Set(all.filter(({ code: each, about }) => UNREAD.has(each) && about !== undefined).map(({ about }) => about))];
  if (!names.length) return null;
  const quoted = names.slice(0, 20).map((name, index) => [index ? ", " : null, quote(name, { code: true, longest: 120 })]);
  return element("p", { class: "reason" }, text("state.unchecked").replace(/[.。।]$/, ":"), " ", quoted, names.length > 20 ? ` … +${names.length - 20}` : null);
}

/** Under which name the key is in which of the reader's lists. */
function listed({ key }) {
  if (!key?.known) return [];
  return [" ", quote(key.name ?? ""), ...key.lists.slice(0, 8).map((name) => [" – ", quote(name, { code: true, longest: 120 })])];
}

function whyOf(report) {
  const paragraph = (...nodes) => element("p", {}, ...nodes);
  if (report.verdict === "nothing") return [];
  if (report.verdict === "genuine" || report.verdict === "copy") {
    return [
      paragraph(text(`${report.verdict}Why`)), documentLines(report), openButtons(report),
      paragraph(element("strong", {}, text(report.key?.known ? "genuineListed" : "keyStated")), ...listed(report)),
      notChecked(report),
      element("p", { class: "soft" }, text("genuineMeans"), " ", text("classInLaw")),
    ];
  }
  const reason = first(report, report.verdict === "changed" ? "wrong" : "unchecked");
  return [
    paragraph(text(`${report.verdict}Why`)), reason ? element("p", { class: "reason" }, reason) : null,
    report.verdict === "undecided" ? documentLines(report) : null, openButtons(report),
  ];
}

/** Addresses of documents that the page shows. @type {string[]} */
let addresses = [];

/** The document, in a tab of its own. */
function openButtons({ opened: documents }) {
  addresses.forEach((address) => URL.revokeObjectURL(address));
  addresses = (documents ?? []).map(({ bytes }) => URL.createObjectURL(new Blob([bytes], { type: "application/pdf" })));
  return addresses.map((address, index) => element("p", { class: "buttons" },
    element("a", { class: "button", href: address, target: "_blank", rel: "noopener" }, text("openIt"), " ",
      quote(documents[index].name, { code: true, longest: 120 }))));
}

/** A verdict for each of several records. */
function verdicts({ table, ids }, { choose }) {
  if (table.length < 2) return null;
  // With roles, because narrow windows show its rows as blocks, which would be no table.
  const cell = (attributes, ...children) => element("td", { role: "cell", ...attributes }, ...children);
  const rows = table.map(({ id, verdict, startedAt, offset, signers }) => element("tr", { role: "row", class: `verdict-${verdict}` },
    cell({}, ids.includes(id) ? element("button", { type: "button", onclick: () => choose(id) }, id) : quote(id)),
    cell({}, signers.map((signer, index) => [index ? ", " : null, signer === "" ? text("noName") : quote(signer)])),
    cell({}, startedAt === undefined ? null : date(startedAt, offset ?? 0)),
    cell({ class: "outcome" }, mark(STATES[verdict]), " ", text(verdict))));
  const head = ["record", "signer", "when", "outcome"].map((name) => element("th", { role: "columnheader", scope: "col" }, text(name)));
  return element("div", { class: "wide" }, element("table", { role: "table", class: "verdicts" },
    element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, head)), element("tbody", { role: "rowgroup" }, rows)), ids.length > table.length ? element("p", {}, `… +${ids.length - table.length}`) : null);
}

/** Of the record and its seal, which may be of a time after the clock was set. */
function clockOf({ clock }, { clockSynchronized: atStart, clockMaximumError: errorAtStart }) {
  if (!(clock?.synchronized ?? atStart) || atStart === false) return text("clockFree");
  const error = Math.max(clock?.synchronized ? Number(clock.maximumError) : 0, atStart ? Number(errorAtStart ?? 0) : 0);
  return sentence("clockControlled", { error: own(measure(error / 1000, "millisecond")) });
}

function onGlass({ header, end, spoken }) {
  const { request, shows, flow } = header;
  const filled = Object.entries(flow?.document?.values ?? {});
  const isShown = (name) => !shows || shows[name];
  const unseen = (name) => (isShown(name) ? null : element("span", { class: "note" }, text("notShown")));
  const rows = request.rows ?? [];
  return section("glass", "onTheGlass",
    pairs(
      ["prompt", lines(request.prompt, quote), unseen("prompt")],
      ["details", rows.length ? lines(rows, ({ label, value }) => [quote(label), ": ", quote(value)]) : null, unseen("prompt")],
      ["reason", request.reason === undefined ? null : quote(request.reason), unseen("reason")],
      ["readAloud", spoken.length ? lines(spoken, quote) : null],
      ["filledBefore", filled.length ? lines(filled, ([name, value]) => [quote(name), ": ", quote(value)]) : null],
      ["dateOnPage", header.date ? quote(header.date.text) : null, unseen("date")],
      ["missingGlyphs", header.missingGlyphs?.length
        ? lines(header.missingGlyphs, ({ text: place, characters }) => [quote(place), ": ", quote(characters.join(" "))]) : null],
      ["pageDigests", end?.shown ? [element("p", {}, text("pageBefore"), " ", digest(end.shown.page)),
        element("p", {}, text("pageAccepted"), " ", digest(end.shown.signed))] : null]));
}

function choice({ ids }, { header }, { choose }) {
  if (ids.length < 2) return null;
  const select = element("select", { id: "record", onchange: () => choose(select.value) },
    ids.slice(0, 1000).map((id) => element("option", { value: id, selected: id === header.id }, id)));
  return element("p", {}, element("label", { for: "record" }, ...sentence("severalRecords", { count: ids.length })), " ", select);
}

/** A time stamp of the record's seal, or of a later one to which all seals between are here. */
function timeStamp({ seal, facts: all }, offset) {
  const follows = new Set(all.filter(({ code, state }) => code === "chain" && state === "ok").map(({ values }) => values.n));
  const isTied = (n) => n === seal.n || (n > seal.n && follows.has(n) && isTied(n - 1));
  const { values } = all.find(({ code, state, values: { n } }) => code === "timeStamp" && state === "unchecked" && isTied(n)) ?? {};
  return values && [date(values.at * 1e6, offset), " ", quote(values.by)];
}

function overview(report, { header, end, outcome, people }, hooks) {
  const { request, machine, askedBy } = header;
  const offset = header.date?.offsetSeconds ?? 0;
  const signers = people.map(({ name, role }) => [role === undefined ? null : [quote(role), ": "], name === undefined ? text("noName") : quote(name)]);
  const { document } = request;
  return section("overview", "whatWasSigned", choice(report, { header }, hooks),
    pairs(
      ["signer", signers.length > 1 ? lines(signers, (signer) => signer) : signers[0]],
      ["document", document ? [document.reference === undefined ? null : quote(document.reference), " ", document.sha256 ? digest(document.sha256) : null] : null],
      ["outcome", text(outcome === "accepted" ? "accepted" : "notAccepted")],
      ["when", element("p", {}, date(header.startedAt, offset), end ? [" – ", date(end.endedAt, offset)] : null),
        element("p", {}, clockOf(report, header))],
      ["sealedAt", report.seal?.at === undefined ? null : date(Number(report.seal.at), offset)],
      ["role.timeStamp", report.seal ? timeStamp(report, offset) : null],
      ["panel", header.panel === undefined ? null : quote(header.panel), " ", quote(header.program, { code: true }),
        machine?.id ? [" ", quote(machine.id, { code: true })] : null],
      ["device", lines(header.devices.slice(0, 8), ({ name }) => quote(name))],
      ["operator", request.operator ?? askedBy ? [request.operator === undefined ? null : quote(request.operator), " ",
        askedBy === undefined ? null : quote(askedBy, { code: true })] : null],
      ["record", quote(header.id, { code: true })]),
    element("p", { class: "soft" }, text("claims")));
}

function answerOf(value) {
  if (value === null) return text("notAnswered");
  if (typeof value === "boolean") return text(value ? "ticked" : "notTicked");
  return typeof value === "number" ? sentence("rating", { stars: value }) : quote(value);
}

function reading({ seen: { pages, toEnd }, seconds = 0 }, total) {
  return sentence(toEnd ? "readAll" : "readSome", { pages: pages.length, total, seconds: own(measure(seconds, "second")) });
}

/** Words of the page as a value of a sentence. */
const own = (words) => element("span", {}, words);

const sheetName = ({ name, label }) => (name === null ? text("signature") : [quote(name), label === undefined ? null : [" ", quote(label)]]);

/** What was done in place of a signature; the name that was typed, and why, are the record's. */
function insteadOf(sheet) {
  const { part, entered, host, heard } = sheet;
  if (part === undefined) return null;
  if (part !== "typed") return element("p", {}, text(kindOf(sheet)));
  return [
    pairs([kindOf(sheet), quote(entered.name)], ["reason", entered.reason ? quote(entered.reason) : null]),
    host ? element("p", {}, text("instead.host")) : null,
    heard ? element("p", {}, text("instead.afterReading")) : null];
}

function signature(sheet, screen, hasTitle, placed) {
  // Ink from before a confirmation or a typed name is among the samples only.
  const isInk = isWritten(sheet);
  return element("div", { class: "sheet" },
    hasTitle ? element("h4", {}, sheetName(sheet)) : null,
    insteadOf(sheet),
    sheet.same ? element("p", {}, ...sentence("sameInk", { field: sheet.same })) : null,
    isInk && sheet.strokes.length ? replay(sheet, screen) : null, isInk ? placed(sheet) : null);
}

/** Sheets in portions: each has a picture, which takes memory. */
function signatures(sheets, screen, hasTitle, placed) {
  const list = element("div");
  const next = element("button", { type: "button" }, text("next"));
  let shown = 0;
  const more = () => {
    list.append(...sheets.slice(shown, shown + PORTION).map((sheet) => signature(sheet, screen, hasTitle, placed)));
    shown += PORTION;
    next.hidden = shown >= sheets.length;
  };
  next.addEventListener("click", more);
  more();
  return [list, next];
}

function personSection(person, index, { header }, sheets, sizes) {
  /** On its page of the document. */
  const placed = (sheet) => {
    const inked = sheet.same ? sheets.find(({ name, person: other }) => name === sheet.same && other === sheet.person) : sheet;
    const { document } = header.flow ?? {};
    return document && sheet.isAccepted ? places(sheet, inked?.strokes ?? [], document, sizes) : null;
  };
  const own = sheets.filter((sheet) => sheet.person === index && !sheet.isReplaced);
  const title = person.role === undefined ? null : element("h3", {}, quote(person.role), person.name === undefined ? null : [" – ", quote(person.name)]);
  return element("div", { class: "person" }, title,
    person.sees === undefined ? null : element("p", {}, ...sentence("witnessOf", { role: person.sees })),
    pairs(
      ["read", person.seen ? reading(person, header.flow.document.pages) : null],
      ["answers", person.answers.length ? lines(person.answers, ({ text: asked, value, heading, label }) => [heading === undefined ? null : [quote(heading), " "], quote(asked), " ",
        element("strong", {}, label === undefined ? null : [quote(label), " "], answerOf(value))]) : null]),
    own.length ? signatures(own, header.screen, header.flow !== undefined, placed) : element("p", { class: "soft" }, text("noInk")));
}

/** The signatures in PDF files: by whom, whose certificate, how much they cover, what came after them. */
function documentSection({ documents }) {
  if (!documents.length) return null;
  return section("documents", "pdfSignatures", documents.map(({ name, size, signatures }) => element("div", { class: "person" },
    element("h3", {}, quote(name, { code: true, longest: 120 })),
    signatures.slice(0, 50).map((each) => pairs(
      ["signature", quote(each.name), each.signer === undefined ? null : [" ", quote(each.signer)]],
      ["when", each.at === undefined ? null : date(each.at * 1e6)],
      ["certificate", each.subject === undefined ? null : quote(each.subject), each.fingerprint === undefined ? null : [" ", code(each.fingerprint)]],
      ["covers", `${number(each.covers)} / ${number(size)}`])))));
}

function roleText(role) {
  if (role === "identity") return "identityLabel";
  return has(`role.${role}`) ? `role.${role}` : "role.other";
}

function fileList(report) {
  return section("files", "files",
    element("ul", { class: "plain" }, report.files.slice(0, 200).map(({ name, role, digest: hash, recipients }) => element("li", {},
      quote(name, { code: true, longest: 120 }), " ", element("span", { class: "role" }, text(roleText(role))),
      recipients ? [" – ", ...sentence("openedBy", { count: recipients })] : null, hash ? [" ", code(hash)] : null))));
}

/**
 * @param {HTMLElement} root
 * @param {{report: object} | {failed: string, detail: string}} result  of the worker
 * @param {{confirm: (fingerprint: string, isSame: boolean) => void, heads: string[], keep: (head: string) => void,
 *     drop: (head: string) => void, choose: (id: string) => void}} hooks
 * @returns {HTMLElement} the heading with the verdict
 */
export function show(root, result, hooks) {
  if (!result.report) {
    const key = `failed.${result.failed}`;
    const [heading, block] = headline("undecided", element("p", {}, text(has(key) ? key : "failed.failed")),
      result.detail ? element("p", { class: "soft" }, quote(result.detail, { code: true })) : null);
    root.append(block);
    return heading;
  }
  const { report } = result;
  const { story, written } = report;
  const sheets = written ? opened(written) : [];
  const [heading, block] = headline(report.verdict, ...whyOf(report), verdicts(report, hooks));
  root.append(block);
  if (report.key) root.append(keySection(report, hooks));
  if (story) {
    root.append(
      overview(report, story, hooks), onGlass(story),
      section("people", "signatures", story.people.slice(0, 50).map((person, index) => personSection(person, index, story, sheets, report.sizes))));
  }
  const checks = facts(report, report.seal && headSection(hooks));
  root.append(...[documentSection(report), checks, fileList(report)].filter(Boolean));
  if (sheets.some(({ strokes }) => strokes.length > 0)) {
    root.append(examination(sheets, written.air, story.header.screen, sheetName));
  }
  root.append(element("p", { class: "soft made" }, text("madeAt"), " ", date(Date.now() * 1000, -60 * new Date().getTimezoneOffset())));
  return heading;
}
