// SPDX-License-Identifier: Apache-2.0
// Why a call failed, in words for the people in front of a page. The gateway's own words are for programmers, and go to
// the browser's console.

const english = {
  busy: "The pad is in use. Try again when it is free.",
  crowded: "The pad has too many calls at once. Try again in a minute.",
  silent: "The pad does not answer. Try again in a minute.",
  unknown: "The pad does not know this page’s token.",
  forbidden: "This page’s token does not allow that.",
  ended: "The signature has ended already.",
  stored: "The signature is being stored already.",
  gone: "The pad no longer has this signature.",
  full: "The pad cannot store signatures. Ask the person who looks after it.",
  encrypted: "Only its recipients can read this signature.",
  long: (field) => `The pad’s screen is too small for ${field ?? "this text"}.`,
  glyphs: (field) => `The pad has no font for a character of ${field ?? "this text"}.`,
  wrong: (field) => `The pad cannot show ${field} as it is.`,
  refused: "The pad refuses the document.",
  other: "That did not work. Try again.",
  field: (label) => `“${label}”`,
};

const german = {
  busy: "Das Pad ist belegt. Bitte versuchen, wenn es frei ist.",
  crowded: "Das Pad hat zu viele Anfragen auf einmal. Bitte in einer Minute noch einmal versuchen.",
  silent: "Das Pad antwortet nicht. Bitte in einer Minute noch einmal versuchen.",
  unknown: "Das Pad kennt das Token dieser Seite nicht.",
  forbidden: "Das Token dieser Seite erlaubt das nicht.",
  ended: "Die Unterschrift ist schon beendet.",
  stored: "Die Unterschrift wird schon gespeichert.",
  gone: "Das Pad hat diese Unterschrift nicht mehr.",
  full: "Das Pad kann keine Unterschriften speichern. Bitte die Person fragen, die es betreut.",
  encrypted: "Diese Unterschrift können nur ihre Empfänger lesen.",
  long: (field) => `Der Bildschirm des Pads ist zu klein für ${field ?? "diesen Text"}.`,
  glyphs: (field) => `Das Pad hat keine Schrift für ein Zeichen in ${field ?? "diesem Text"}.`,
  wrong: (field) => `Das Pad kann ${field} so nicht zeigen.`,
  refused: "Das Pad nimmt das Dokument nicht.",
  other: "Das ging nicht. Bitte noch einmal versuchen.",
  field: (label) => `„${label}“`,
};

/** The text of each reason of an InkpanelError that a page can meet. */
const KINDS = {
  busy: ["busy", "pairing"],
  crowded: [
    "too-many-calls", "too-many-captures", "too-many-documents", "too-many-followers", "too-many-sessions",
    "too-many-wrong-tokens", "too-slow",
  ],
  silent: ["unreachable", "offline", "panel-not-running", "unavailable"],
  unknown: ["bad-token", "no-token", "wrong-token", "expired-token"],
  forbidden: ["missing-scope", "wrong-origin", "permission-denied", "permission", "session-used", "mixed"],
  ended: ["not-running"],
  stored: ["being-stored"],
  gone: ["not-found"],
  full: ["store-full", "store-failed"],
  encrypted: ["encrypted"],
  long: ["too-small-screen", "too-large"],
  glyphs: ["missing-glyphs"],
  wrong: ["invalid-parameter"],
  refused: ["document-refused"],
};

/**
 * @param {InkpanelError} error
 * @param {"en" | "de"} language
 * @param {Object<string, string>} [labels] of the page's fields, by their names in the request
 */
export function explain(error, language, labels = {}) {
  console.info(error);
  const texts = language === "de" ? german : english;
  const kind = Object.keys(KINDS).find((kind) => KINDS[kind].includes(error.reason)) ?? "other";
  const text = texts[kind];
  if (kind === "refused") return `${text} (${error.message})`;
  if (typeof text === "string") return text;
  const [part] = error.problem?.errors ?? [];
  const names = part?.pointer.split("/") ?? [];
  const label = labels[names[1]];
  if (kind === "wrong" && !label) return texts.other;
  const words = text(label && texts.field(label));
  // Whoever writes questions and places is a programmer, and needs to know which member is meant.
  return kind === "wrong" && names.length > 2 ? `${words} (${part.pointer}: ${part.detail})` : words;
}
