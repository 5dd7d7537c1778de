// SPDX-License-Identifier: Apache-2.0
// The form that asks for a signature.

import { texts } from "./texts.js";

/** Rows that a page has at most. */
const ROWS = 16;
/** Stands in requests for the id of the document, which is uploaded when the form is sent. */
export const DOCUMENT = "DOCUMENT";
/** Ways to say where people sign in a document. */
const PLACES = ["anchor", "rect", "field", "form"];

/** Lines of a text that are not blank. */
const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

export class RequestForm {
  /**
   * @param {HTMLFormElement} form  with the fields prompt, signer and reason
   * @param {HTMLElement} rows  gets the fields of the rows
   * @param {HTMLButtonElement} more  adds one
   * @param {() => void} changed  is called when a value or the number of rows has changed
   */
  constructor(form, rows, more, changed) {
    this.form = form;
    this.rows = rows;
    this.more = more;
    this.changed = changed;
    for (const name of ["prompt", "signer", "reason"]) form.elements[name].value = texts.example[name];
    for (const [label, value] of texts.example.rows) this.#addRow(label, value);
    for (const place of PLACES) form.elements.place.add(new Option(texts.places[place], place));
    for (const name of ["questions", "people"]) form.elements[name].placeholder = texts.example[name];
    this.#showPlace();
    form.elements.place.addEventListener("change", () => this.#showPlace());
    form.addEventListener("input", changed);
    more.addEventListener("click", () => this.#addRow().querySelector("input").focus());
  }

  /**
   * The body of POST /v1/captures.
   * @param {string} language  a BCP 47 tag
   */
  request(language) {
    const text = (name) => this.form.elements[name].value.trim();
    const part = (row, name) => row.querySelector(`[data-part=${name}]`).value.trim();
    const rows = [...this.rows.children]
      .map((row) => ({ label: part(row, "label"), value: part(row, "value") }))
      .filter((row) => row.label || row.value);
    const prompt = lines(text("prompt"));
    const body = {};
    if (prompt.length) body.prompt = prompt;
    if (rows.length) body.rows = rows;
    if (text("signer")) body.signer = text("signer");
    if (text("reason")) body.reason = text("reason");
    return { ...body, ...this.#flow(), language };
  }

  /** The chosen file; undefined for none. */
  get file() { return this.form.elements.document.files[0]; }

  /** What people read, answer and decide beside the page to sign on. */
  #flow() {
    const { seeAll, answerAll, decline, place, where, questions, people } = this.form.elements;
    const flow = {};
    const asked = lines(questions.value).map(question);
    if (answerAll.checked && !this.file) for (const one of asked) one.required = true;
    if (this.file) {
      const policy = {};
      if (seeAll.checked) policy.mustSeeAllPages = true;
      if (answerAll.checked) policy.requireAnswers = true;
      flow.document = { id: DOCUMENT, reference: this.file.name };
      const roles = lines(people.value).map((line) => person(line).role);
      if (place.value !== "form") {
        flow.document.fields = (lines(where.value).length ? lines(where.value) : [""])
          .map((line) => field(place.value, line, roles));
      }
      if (Object.keys(policy).length) flow.document.policy = policy;
    }
    if (asked.length) flow.questions = asked;
    if (lines(people.value).length) flow.people = lines(people.value).map(person);
    if (decline.checked) flow.decline = [];
    return flow;
  }

  #showPlace() {
    const { place, where } = this.form.elements;
    where.placeholder = texts.example.where[place.value] ?? "";
    where.disabled = place.value === "form";
  }

  #addRow(label = "", value = "") {
    const row = document.createElement("div");
    row.className = "row";
    for (const [name, text] of [["label", label], ["value", value]]) {
      const input = document.createElement("input");
      input.dataset.part = name;
      input.value = text;
      input.maxLength = 200;
      input.placeholder = texts[name];
      input.setAttribute("aria-label", texts[name]);
      row.append(input);
    }
    const remove = document.createElement("button");
    remove.type = "button";
    remove.className = "remove";
    remove.textContent = "×";
    remove.setAttribute("aria-label", texts.removeRow);
    remove.addEventListener("click", () => {
      row.remove();
      this.more.hidden = false;
      this.more.focus();
      this.changed();
    });
    row.append(remove);
    this.rows.append(row);
    this.more.hidden = this.rows.children.length >= ROWS;
    return row;
  }
}

/** A field of a document, of "Signature:", "1: 70,100,230,150" or the name of a field, perhaps after "Witness:". */
function field(place, line, roles) {
  const role = roles.find((role) => role && line.startsWith(role + ":"));
  if (role) return { person: role, ...field(place, line.slice(role.length + 1).trim(), []) };
  if (place !== "rect") return { [place]: line };
  const [page, ...numbers] = line.split(/[:,\s]+/).filter(Boolean).map(Number);
  return { page, rect: numbers };
}

/**
 * A question of "choice receipt The receipt? | on paper | by mail" or "check mail May we write to you? | by mail". The
 * panel says what is wrong with others.
 */
function question(line) {
  const [, kind, name, rest] = /^(\S+)\s*(\S*)\s*(.*)$/.exec(line);
  const [text, ...choices] = rest.split("|").map((part) => part.trim());
  if (kind === "check" && choices.length === 1) return { name, kind, heading: text, text: choices[0] };
  return choices.length ? { name, kind, text, choices } : { name, kind, text };
}

/** A person of "Customer: Anna" or "Witness sees Customer: Ben". */
function person(line) {
  const [, head, name] = /^([^:]*):?(.*)$/.exec(line);
  const [role, sees] = head.split(" sees ").map((part) => part.trim());
  return { role, ...(name.trim() && { name: name.trim() }), ...(sees && { sees }) };
}
