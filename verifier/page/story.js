// SPDX-License-Identifier: Apache-2.0
// What a record says about its people: who was asked and answered what, in the order of their turns.

/**
 * @typedef {{text: string, value: boolean | string | number | null}} Answer  null: not answered
 */

/** Questions, and what can be ticked in the document, each once. Notes are ink. */
function* asked({ questions = [], document, people = [] }) {
  const done = new Set();
  const isNew = (name) => !done.has(name.normalize("NFC")) && done.add(name.normalize("NFC"));
  for (const { name, kind, text, person } of questions) {
    const index = Math.max(people.findIndex(({ role }) => role === person), 0);
    if (kind !== "note" && isNew(name)) yield { name, text, kind, index };
  }
  for (const { name, kind, label, person: index } of document?.fields ?? []) {
    if ((kind === "check" || kind === "choice") && isNew(name)) yield { name, text: label ?? name, kind, index };
  }
}

/**
 * @param {import("../core/report.js").Record} record
 * @returns {object[]} its people, each with `answers`
 */
export function peopleOf({ header, people, answers }) {
  const told = people.map((person) => ({ ...person, answers: [] }));
  if (!header.flow) return told;
  const given = new Map(answers.map(({ name, value }) => [name.normalize("NFC"), value]));
  for (const { name, text, kind, index } of asked(header.flow)) {
    const value = given.get(name.normalize("NFC")) ?? (kind === "check" ? false : null);
    told[index]?.answers.push({ text, value });
  }
  return told;
}
