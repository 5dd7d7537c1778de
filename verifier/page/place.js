// SPDX-License-Identifier: Apache-2.0
// A page of the document in small, with the ink at its place. The page's own contents are for the button that opens it.

import { drawing, element } from "./dom.js";
import { POINT } from "./ink.js";
import { number, text } from "./words.js";

/** Points of all strokes of a picture. */
const MOST_POINTS = 3000;
/** Pages of one ink: a name may have several places. */
const MOST_PLACES = 4;
const INKED = ["signature", "initials"];

const isSame = (one, other) => one !== null && one.normalize("NFC") === other.normalize("NFC");

/** The ink as lines in a box that it keeps its form in. */
function lines(strokes, [left, bottom, right, top], height) {
  const written = [...strokes].filter(({ isUndone }) => !isUndone).map(({ points }) => points);
  const xs = written.flatMap((points) => Array.from({ length: points.length / POINT }, (_, at) => points[at * POINT + 1]));
  const ys = written.flatMap((points) => Array.from({ length: points.length / POINT }, (_, at) => points[at * POINT + 2]));
  if (!xs.length) return "";
  const least = (list) => list.reduce((one, other) => Math.min(one, other));
  const most = (list) => list.reduce((one, other) => Math.max(one, other));
  const [x, y, width, tall] = [least(xs), least(ys), most(xs) - least(xs), most(ys) - least(ys)];
  const scale = Math.min((right - left) / Math.max(width, 1), (top - bottom) / Math.max(tall, 1));
  const [startX, startY] = [left + (right - left - width * scale) / 2, height - top + (top - bottom - tall * scale) / 2];
  const step = POINT * Math.ceil(xs.length / MOST_POINTS);
  return written.map((points) => {
    let path = "";
    for (let at = 0; at < points.length; at += step) {
      path += `${path ? "L" : "M"}${(startX + (points[at + 1] - x) * scale).toFixed(1)} ${(startY + (points[at + 2] - y) * scale).toFixed(1)}`;
    }
    return path;
  }).join("");
}

/**
 * @param {import("./ink.js").Sheet} sheet
 * @param {Iterable<object>} strokes  of the sheet, or of the one whose ink it has
 * @param {{fields: object[], pages: number}} document  of the record's header
 * @param {number[][]} sizes  of its pages in points; empty if they are not known
 * @returns {HTMLElement | null}
 */
export function places(sheet, strokes, document, sizes) {
  if (sizes.length !== Number(document.pages) || sheet.name === null) return null;
  const fields = document.fields.filter(({ name, kind, person }) => INKED.includes(kind) && person === sheet.person && isSame(sheet.name, name));
  if (!fields.length) return null;
  return element("div", { class: "places" }, fields.slice(0, MOST_PLACES).map(({ page, rectangle }) => {
    const [width, height] = sizes[page - 1];
    const [left, bottom, right, top] = rectangle;
    const words = `${number(page)} / ${number(document.pages)}`;
    return element("figure", {},
      drawing("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${text("document")} ${words}` },
        drawing("rect", { class: "sheet-of-paper", x: 0, y: 0, width, height }),
        drawing("rect", { class: "place", x: left, y: height - top, width: right - left, height: top - bottom }),
        drawing("path", { class: "ink", d: lines(strokes, rectangle, height) })),
      element("figcaption", { class: "legend" }, words));
  }));
}
