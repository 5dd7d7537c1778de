// SPDX-License-Identifier: Apache-2.0
// The form that asks for a signature.

import { texts } from "./texts.js";

/** Rows that a page has at most. */
const ROWS = 16;

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
    const lines = text("prompt").split("\n").map((line) => line.trim()).filter(Boolean);
    const body = {};
    if (lines.length) body.prompt = lines;
    if (rows.length) body.rows = rows;
    if (text("signer")) body.signer = text("signer");
    if (text("reason")) body.reason = text("reason");
    body.language = language;
    return body;
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
