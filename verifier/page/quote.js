// SPDX-License-Identifier: Apache-2.0
// Texts of files, as they are shown: in a frame that no word of the page has, isolated from its direction, with what
// is invisible made visible, and not longer than one can read.

import { element } from "./dom.js";

const LONGEST = 600;
/** Marks above or below one letter; more would reach into other lines. */
const MARKS = 3;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/u;
/** Where letters need joiners, and pictures need what selects their colours. */
const JOINED = /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Extended_Pictographic}\p{Mn}]/u;
const JOINERS = /[\u200c\u200d\ufe0f]/u;
/** A date as Arabic pads write it: what turns it stands where nobody can hide anything with it. */
const DATE = /^\d{1,4}(?:\u200f\/\d{1,4}){2}$/;
const SPACES = /[^\S \n]|[\u2800\u3164\uffa0]/u;
const MARK = /\p{M}/u;

/**
 * The parts of a text: strings that are shown as they are, and code points that need to be shown by their numbers.
 * @param {string} text
 * @returns {{parts: (string | number)[], left: number}}  `left`: how many characters are not among them
 */
export function parts(text, longest = LONGEST) {
  const found = [];
  let [plain, marks, before, count] = ["", 0, "", 0];
  const isDate = DATE.test(text);
  for (const character of text) {
    if (count === longest) break;
    count += 1;
    marks = MARK.test(character) ? marks + 1 : 0;
    const isJoiner = JOINERS.test(character) && JOINED.test(before);
    if (!isJoiner && !isDate && (UNSEEN.test(character) || SPACES.test(character) || marks > MARKS)) {
      if (plain) found.push(plain);
      found.push(character.codePointAt(0));
      plain = "";
    } else {
      plain += character;
    }
    before = character;
  }
  if (plain) found.push(plain);
  return { parts: found, left: count < longest ? 0 : [...text.slice(0, 100_000)].length - count };
}

const named = (code) => `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;

/**
 * @param {unknown} text  of a file
 * @param {{longest?: number, code?: boolean}} [options]  `code`: digests, names of files and the like
 * @returns {HTMLElement}
 */
export function quote(text, { longest = LONGEST, code = false } = {}) {
  const { parts: shown, left } = parts(String(text), longest);
  const inner = element("bdi", {}, shown.map((part) =>
    typeof part === "string" ? part : element("span", { class: "unseen-character" }, named(part))));
  if (left > 0) inner.append(element("span", { class: "unseen-character" }, `… +${left}`));
  return element("q", { class: code ? "said said-code" : "said" }, inner);
}

/** A digest or fingerprint of the page's own, in a form that wraps anywhere. */
export const code = (text) => element("code", { dir: "ltr" }, text);

/** A digest that a file states; a frame shows what has not exactly its form. */
export const digest = (text) => (/^[0-9a-f]{64}$/.test(text) ? code(text) : quote(text, { code: true }));
