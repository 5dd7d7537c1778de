// SPDX-License-Identifier: Apache-2.0
// What a record says about its people: who was asked and answered what, in the order of their turns.

/**
 * @typedef {{text: string, value: boolean | string | number | null, heading?: string, label?: string}} Answer  null: not
 * answered. `heading`: what stood above several boxes; `label`: what stood at the place that was chosen
 */

const isSame = (one, other) => one.normalize("NFC") === other.normalize("NFC");

/** Questions, and what can be ticked in the document, each once. Notes are ink. */
function* asked({ questions = [], document, people = [] }) {
  const done = new Set();
  const isNew = (name) => !done.has(name.normalize("NFC")) && done.add(name.normalize("NFC"));
  for (const { name, kind, heading, text, person } of questions) {
    const index = Math.max(people.findIndex(({ role }) => role === person), 0);
    if (kind !== "note" && isNew(name)) yield { name, text, kind, index, heading };
  }
  const fields = document?.fields ?? [];
  for (const { name, kind, label, person: index } of fields) {
    if (kind === "check" && isNew(name)) yield { name, text: label ?? name, kind, index };
    // Each place of a choice has a label of its own.
    if (kind === "choice" && isNew(name)) yield { name, text: name, kind, index, places: fields.filter((each) => isSame(each.name, name)) };
  }
}

/** What stood above a page to write on, if it is not its name: the text of a note, or the label of a field. */
export function labelOf({ questions = [], document }, name) {
  const note = questions.find((question) => isSame(question.name, name));
  return note ? note.text : document?.fields.find((field) => isSame(field.name, name))?.label;
}

/**
 * @param {import("../core/report.js").Record} record
 * @returns {object[]} its people, each with `answers`
 */
export function peopleOf({ header, people, answers }) {
  const told = people.map((person) => ({ ...person, answers: [] }));
  if (!header.flow) return told;
  const given = new Map(answers.map(({ name, value }) => [name.normalize("NFC"), value]));
  for (const { name, text, kind, index, heading, places = [] } of asked(header.flow)) {
    const value = given.get(name.normalize("NFC")) ?? (kind === "check" ? false : null);
    const label = places.find((place) => typeof value === "string" && isSame(place.value, value))?.label;
    told[index]?.answers.push({ text, value, ...(heading !== undefined && { heading }), ...(label !== undefined && { label }) });
  }
  return told;
}
