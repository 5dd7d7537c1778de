// SPDX-License-Identifier: Apache-2.0
// The page's own words, in the language of its reader. Values are put between them as nodes, never as text of a sentence.

import { quote } from "./quote.js";

/** The files of verifier/texts as one object by their names: JSON, deflated, in Base64. Put in by the build. */
import packed from "texts";

const RIGHT_TO_LEFT = new Set(["ar", "he"]);
let language = "en";
/** @type {Record<string, Record<string, string>>} */
let all = {};

/** Must end before anything else is called. */
export async function readTexts() {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  all = await new Response(stream).json();
}

/** Languages with their own names, in the order of the tags. */
export const languages = () => Object.keys(all).sort().map((tag) => [tag, all[tag].language]);

/** The first of the reader's languages that the page has. */
export function preferred(tags) {
  for (const tag of tags) {
    const lower = tag.toLowerCase();
    if (/^zh-(hant|tw|hk|mo)/.test(lower)) return "zh-Hant";
    if (lower.startsWith("zh")) return "zh-Hans";
    const short = lower.split("-")[0].replace(/^(no|nn)$/, "nb").replace(/^iw$/, "he");
    if (all[short]) return short;
  }
  return "en";
}

export function setLanguage(tag) {
  language = all[tag] ? tag : "en";
  document.documentElement.lang = language;
  document.documentElement.dir = RIGHT_TO_LEFT.has(language) ? "rtl" : "ltr";
  document.title = text("title");
  for (const element of document.querySelectorAll("[data-text]")) element.textContent = text(element.dataset.text);
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", text(element.dataset.label));
  }
}

export const currentLanguage = () => language;
export const has = (key) => Object.hasOwn(all.en, key);

/** A text of the page without values. */
export function text(key) {
  const found = Object.hasOwn(all[language], key) ? all[language][key] : all.en[key];
  return found ?? key;
}

/**
 * A text with values in place of `{name}`. Strings of `values` are of files: they are quoted. Nodes and numbers are not.
 * @param {string} key
 * @param {Record<string, Node | string | number>} values
 * @returns {(string | Node)[]}
 */
export function sentence(key, values = {}) {
  return text(key).split(/(\{[a-zA-Z]+\})/).map((part) => {
    const name = part.slice(1, -1);
    if (!part.startsWith("{")) return part;
    const value = Object.hasOwn(values, name) ? values[name] : "";
    if (typeof value === "number") return number(value);
    return typeof value === "string" ? quote(value) : value;
  });
}

/** The reader's own region; without one, English is written as in most of its countries. */
function region() {
  const own = navigator.languages.find((tag) => tag.includes("-") && preferred([tag]) === language);
  const isTag = own !== undefined && Intl.DateTimeFormat.supportedLocalesOf([own]).length > 0;
  return isTag && language.length === 2 ? own.replace(/-u-.*$/, "") : language === "en" ? "en-GB" : language;
}

// Digits as in files and on the pad, in every language.
const locale = () => `${region()}-u-ca-gregory-nu-latn`;

export const number = (value, digits = 0) =>
  new Intl.NumberFormat(locale(), { maximumFractionDigits: digits }).format(value);

/** Bytes, seconds and so on, as the language writes them. */
export const measure = (value, unit, digits = 1) => new Intl.NumberFormat(
  locale(), { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: digits }).format(value);

/**
 * @param {number} microseconds  since 1970-01-01 UTC
 * @param {number} offset  seconds ahead of UTC
 */
export function date(microseconds, offset = 0) {
  // What is ahead of UTC by days is no place on earth.
  if (!(Math.abs(offset) < 172_800)) return date(microseconds);
  const time = new Date(microseconds / 1000 + offset * 1000);
  if (Number.isNaN(time.getTime())) return `${microseconds} µs`;
  const zone = `UTC${offset ? (offset < 0 ? "−" : "+") + new Date(Math.abs(offset) * 1000).toISOString().slice(11, 16) : ""}`;
  const local = new Intl.DateTimeFormat(locale(), { dateStyle: "long", timeStyle: "medium", timeZone: "UTC" });
  return `${local.format(time)} (${zone})`;
}
