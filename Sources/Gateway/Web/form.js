// SPDX-License-Identifier: Apache-2.0
// The form that asks for a signature.

import { texts } from "./texts.js";

/** Rows and people that a page has at most, and places of a document. */
const [ROWS, PEOPLE, PLACES] = [16, 8, 100];
/** Stands in requests for the id of the document, which is uploaded when the form is sent. */
export const DOCUMENT = "DOCUMENT";
/** What people do in a document, and the ways to say where. */
const KINDS = ["signature", "initials", "check", "choice", "date", "name"];
const WAYS = ["anchor", "rect", "field"];
/** The edges of a rectangle, in the order of the request. */
const EDGES = ["left", "lower", "right", "upper"];

/** Lines of a text that are not blank. */
const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

/** A control of an entry, which has it in a label. */
function control(element, part, label, properties = {}) {
  Object.assign(element, properties);
  element.dataset.part = part;
  const words = Object.assign(document.createElement("span"), { textContent: label });
  const around = document.createElement("label");
  around.append(words, element);
  return element;
}

function input(part, label, properties) {
  return control(document.createElement("input"), part, label, { maxLength: 200, ...properties });
}

/** With its label, which no other control has. */
function setHidden(element, isHidden) { element.parentElement.hidden = isHidden; }

function select(part, label, options) {
  const element = control(document.createElement("select"), part, label);
  element.append(...options.map(([value, text]) => new Option(text, value)));
  return element;
}

/** Entries that are added and removed one by one. */
class Entries {
  /**
   * @param {HTMLElement} list  gets them
   * @param {HTMLButtonElement} more  adds one
   * @param {{limit: number, kind: string, name: (number: number) => string, remove: string,
   *   make: (values: any) => HTMLElement[]}} options  `make` makes the controls of one, `name` tells them apart, and
   *   `remove` names the button that removes it
   * @param {() => void} changed
   */
  constructor(list, more, options, changed) {
    Object.assign(this, { list, more, options, changed });
    more.addEventListener("click", () => {
      this.add().querySelector("input, select").focus();
      changed();
    });
  }

  add(values) {
    const { kind, remove, make, limit } = this.options;
    const entry = document.createElement("div");
    entry.className = kind;
    entry.setAttribute("role", "group");
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "remove", textContent: "×" });
    button.setAttribute("aria-label", remove);
    button.addEventListener("click", () => {
      entry.remove();
      this.#count();
      this.more.hidden = false;
      this.more.focus();
      this.changed();
    });
    entry.append(...make(values).map((each) => each.parentElement));
    // At the end of a row, but in the upper corner of an entry with several lines.
    entry.insertBefore(button, kind === "row" ? null : entry.firstChild);
    this.list.append(entry);
    this.#count();
    this.more.hidden = this.list.children.length >= limit;
    return entry;
  }

  #count() {
    [...this.list.children].forEach((entry, index) => entry.setAttribute("aria-label", this.options.name(index + 1)));
  }

  /** The values of the controls of each entry, by their parts. */
  get values() {
    return [...this.list.children].map((entry) => Object.fromEntries(
      [...entry.querySelectorAll("[data-part]")].map((each) => [each.dataset.part, each.value.trim()])));
  }
}

export class RequestForm {
  /**
   * @param {HTMLFormElement} form  with the fields prompt, signer and reason
   * @param {HTMLElement} rows  gets the fields of the rows
   * @param {HTMLButtonElement} more  adds one
   * @param {() => void} changed  is called when a value or the number of rows has changed
   */
  constructor(form, rows, more, changed) {
    this.form = form;
    for (const name of ["prompt", "signer", "reason"]) form.elements[name].value = texts.example[name];
    form.elements.questions.placeholder = texts.example.questions;
    const all = () => {
      this.#showRoles();
      changed();
    };
    const find = (selector) => form.querySelector(selector);
    this.rows = new Entries(
      rows, more, { limit: ROWS, kind: "row", name: texts.row, remove: texts.removeRow, make: row }, all);
    for (const pair of texts.example.rows) this.rows.add(pair);
    this.people = new Entries(
      find("#people"), find("#add-person"),
      { limit: PEOPLE, kind: "entry", name: texts.numberedPerson, remove: texts.removePerson, make: person }, all);
    this.places = new Entries(
      find("#places"), find("#add-place"),
      { limit: PLACES, kind: "entry", name: texts.place, remove: texts.removePlace, make: place }, all);
    this.places.add();
    form.addEventListener("input", ({ target }) => {
      if (target.hasAttribute("aria-invalid")) this.blame(null);
      all();
    });
    this.#showRoles();
  }

  /**
   * Ties the message of an error to the control that it is about.
   * @param {string | null} pointer  to a member of the request, in JSON; null if nothing is wrong
   */
  blame(pointer) {
    for (const each of this.form.querySelectorAll("[aria-invalid]")) {
      each.removeAttribute("aria-invalid");
      each.removeAttribute("aria-describedby");
    }
    const control = pointer && this.#controlOf(pointer.split("/").slice(1));
    control?.setAttribute("aria-invalid", "true");
    control?.setAttribute("aria-describedby", "error");
  }

  #controlOf([name, ...rest]) {
    // The form lists the document's fields as places.
    const isPlace = name === "document";
    const list = { rows: this.rows, people: this.people, document: this.places }[name];
    const [number, part] = isPlace ? rest.slice(1) : rest;
    // The request leaves out rows and people without a word.
    const isAsked = (entry) => isPlace || [...entry.querySelectorAll("input")].some(({ value }) => value.trim());
    const entry = [...list?.list.children ?? []].filter(isAsked)[Number(number)];
    const find = (selector) => entry.querySelector(selector);
    if (entry) return find(`[data-part="${CSS.escape(part ?? "")}"]`) ?? find("[data-part]");
    return ["prompt", "signer", "reason", "questions", "document"].includes(name) ? this.form.elements[name] : null;
  }

  /**
   * The body of POST /v1/captures.
   * @param {string} language  a BCP 47 tag
   */
  request(language) {
    const text = (name) => this.form.elements[name].value.trim();
    const rows = this.rows.values.filter((row) => row.label || row.value);
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
    const { seeAll, answerAll, decline, questions } = this.form.elements;
    const flow = {};
    const asked = lines(questions.value).map(question);
    if (answerAll.checked && !this.file) for (const one of asked) one.required = true;
    if (this.file) {
      const policy = {};
      if (seeAll.checked) policy.mustSeeAllPages = true;
      if (answerAll.checked) policy.requireAnswers = true;
      flow.document = { id: DOCUMENT, reference: this.file.name };
      const fields = this.places.values.map(field);
      if (fields.length) flow.document.fields = fields;
      if (Object.keys(policy).length) flow.document.policy = policy;
    }
    if (asked.length) flow.questions = asked;
    const people = this.people.values.filter(({ role, name }) => role || name);
    if (people.length) {
      flow.people = people.map(({ role, name, sees }) => ({ role, ...(name && { name }), ...(sees && { sees }) }));
    }
    if (decline.checked) flow.decline = [];
    return flow;
  }

  /** Offers the roles that are there where one is chosen. One person alone needs no choice. */
  #showRoles() {
    const roles = this.people.values.map(({ role }) => role).filter(Boolean);
    for (const each of this.form.querySelectorAll("select[data-part=person], select[data-part=sees]")) {
      const own = each.dataset.part === "sees" && each.closest(".entry").querySelector("[data-part=role]").value.trim();
      const wanted = ["", ...roles.filter((role) => role !== own)];
      const chosen = each.value;
      if (wanted.join("\n") !== [...each.options].map(({ value }) => value).join("\n")) {
        const none = each.dataset.part === "sees" ? texts.seesNobody : texts.firstPerson;
        each.replaceChildren(
          ...wanted.map((role) => new Option(role && own !== false ? texts.sees(role) : role || none, role)));
        each.value = wanted.includes(chosen) ? chosen : "";
      }
      setHidden(each, roles.length === 0 || own !== false && wanted.length === 1);
    }
  }
}

// MARK: the controls of an entry

function row([label, value] = ["", ""]) {
  return [input("label", texts.label, { value: label }), input("value", texts.value, { value })];
}

function person() {
  return [input("role", texts.role), input("name", texts.name), select("sees", texts.seesLabel, [])];
}

function place() {
  const kind = select("kind", texts.kind, KINDS.map((name) => [name, texts.kinds[name]]));
  const way = select("way", texts.way, WAYS.map((name) => [name, texts.ways[name]]));
  const text = input("text", texts.ways.anchor);
  const numbers = ["page", ...EDGES].map((part) =>
    input(part, texts.edges[part], { type: "number", min: part === "page" ? 1 : 0, step: part === "page" ? 1 : "any" }));
  const show = () => {
    setHidden(text, way.value === "rect");
    text.previousElementSibling.textContent = texts.ways[way.value];
    text.placeholder = texts.example.where[way.value] ?? "";
    for (const each of numbers) setHidden(each, way.value !== "rect");
  };
  way.addEventListener("change", show);
  show();
  return [kind, select("person", texts.person, []), way, text, ...numbers];
}

/** A field of the request. The panel says what is missing in it. */
function field({ kind, person, way, text, page, ...values }) {
  const common = { ...(kind !== "signature" && { kind }), ...(person && { person }) };
  if (way !== "rect") return { ...common, [way]: text };
  return { ...common, page: Number(page), rect: EDGES.map((edge) => Number(values[edge])) };
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
