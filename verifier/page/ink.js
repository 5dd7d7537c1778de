// SPDX-License-Identifier: Apache-2.0
// From a record to what the page replays: sheets with strokes in pixels of the panel's screen, in a few arrays that move
// from the worker to the page without a copy.

import { inkName } from "../core/flow.js";
import { labelOf } from "./story.js";

/** Numbers of a point: time in microseconds, x and y in pixels, pressure 0 to 1 or -1 without one. */
export const POINT = 4;
/** Movements in the air of all sheets together. */
const MOST_SPANS = 5000;

/**
 * @typedef {object} Stroke
 * @property {Float64Array} points  as they were drawn, from where the contact entered the area to where it left
 * @property {Float64Array} t  of the samples, as they were measured; with `x`, `y` and `fourth` of the record
 * @property {boolean} isUndone  not among what was accepted
 * @property {number} removedAt  when it was undone or cleared, or replaced by a later sheet
 *
 * @typedef {object} Sheet
 * @property {string | null} name  null if the record has only one
 * @property {string} [label]  what stood above it
 * @property {number} person
 * @property {number[]} area  x, y, width and height in pixels
 * @property {boolean} isAccepted
 * @property {boolean} [isReplaced]  it was accepted, but it is a witness's, and another mark or none counts
 * @property {string} [same]  the field whose ink it has
 * @property {string} [part]  what was done in place of a signature: `mark`, `witness1`, `witness2`, `representative`,
 *     `confirmed`, `typed`
 * @property {boolean} [heard]  it was confirmed or typed after its page was read aloud
 * @property {{name: string, by: "person" | "staff", reason?: string}} [entered]  the name that was typed
 * @property {boolean} [host]  the host accepted that name, nobody on the pad
 * @property {Iterable<Stroke> & {length: number, at: (index: number) => Stroke}} strokes
 * @property {[number, number][]} air  spans in which a pen moved above the page
 * @property {boolean} hasPressure  a pressure was measured
 */

function mapping(header, index) {
  const device = header.devices[index];
  const [a, b, c, d, e, f] = device.transform;
  const { width, height } = header.screen;
  const least = device.pressure?.minimum ?? 0;
  const range = device.pressure ? device.pressure.maximum - least : 0;
  // Made-up transforms have sums that are no numbers.
  const within = (value, end) => Math.min(Math.max(value || 0, 0), end);
  return {
    place: (x, y) => [within(a * x + c * y + e, width), within(b * x + d * y + f, height)],
    force: (level) => (range > 0 && level === level ? within((level - least) / range, 1) : -1),
    least,
  };
}

/** Bits of a stroke. */
const [UNDONE, MEASURED] = [1, 2];

/**
 * The strokes of a sheet: parts of the columns of a whole record. Moving or copying as many buffers or objects as a
 * record may have strokes would take the browser minutes.
 */
class Strokes {
  constructor(ink, first, end) {
    this.ink = ink;
    this.first = first;
    this.length = end - first;
  }

  at(index) {
    return new Part(this.ink, this.first + index);
  }

  * [Symbol.iterator]() {
    for (let index = 0; index < this.length; index += 1) yield this.at(index);
  }
}

/** A stroke. @implements {Stroke} */
class Part {
  constructor(ink, index) {
    this.ink = ink;
    this.index = index;
  }

  column(name) {
    return this.ink[name].subarray(this.ink.starts[this.index], this.ink.starts[this.index + 1]);
  }

  get points() {
    return this.ink.points.subarray(this.ink.pointStarts[this.index], this.ink.pointStarts[this.index + 1]);
  }

  get t() {
    return this.column("t");
  }

  get x() {
    return this.column("x");
  }

  get y() {
    return this.column("y");
  }

  get fourth() {
    return this.ink.flags[this.index] & MEASURED ? this.column("fourth") : null;
  }

  get isUndone() {
    return (this.ink.flags[this.index] & UNDONE) !== 0;
  }

  get removedAt() {
    return this.ink.removedAt[this.index];
  }
}

function columnsFor(strokes) {
  const [count, samples] = [strokes.length, strokes.reduce((sum, { t }) => sum + t.length, 0)];
  const points = samples + strokes.reduce((sum, { enters, leaves }) => sum + (enters ? 1 : 0) + (leaves ? 1 : 0), 0);
  return {
    t: new Float64Array(samples), x: new Int32Array(samples), y: new Int32Array(samples), fourth: new Float64Array(samples),
    points: new Float64Array(points * POINT), starts: new Uint32Array(count + 1), pointStarts: new Uint32Array(count + 1),
    flags: new Uint8Array(count), removedAt: new Float64Array(count),
  };
}

/** Writes a stroke into the columns, behind the one before it. */
function put(ink, number, { place, force }, { t, x, y, fourth, places, enters, leaves, counts, removedAt }) {
  const start = ink.starts[number];
  let at = ink.pointStarts[number];
  const add = (time, left, top, pressure) => {
    ink.points[at] = time;
    ink.points[at + 1] = left;
    ink.points[at + 2] = top;
    ink.points[at + 3] = pressure;
    at += POINT;
  };
  if (enters) add(enters.t, enters.x, enters.y, enters.pressure ?? -1);
  for (let index = 0; index < t.length; index += 1) {
    const [left, top] = places ? [places[2 * index], places[2 * index + 1]] : place(x[index], y[index]);
    add(t[index], left, top, fourth ? force(fourth[index]) : -1);
  }
  if (leaves) add(leaves.t, leaves.x, leaves.y, leaves.pressure ?? -1);
  for (const [name, column] of Object.entries({ t, x, y, fourth })) if (column) ink[name].set(column, start);
  ink.starts[number + 1] = start + t.length;
  ink.pointStarts[number + 1] = at;
  ink.flags[number] = (counts ? 0 : UNDONE) | (fourth ? MEASURED : 0);
  ink.removedAt[number] = counts ? Infinity : removedAt ?? -Infinity;
}

/** Pressure is measured only if two values above the least differ (docs/record.md, `devices[].pressure`). */
function isMeasured(header, strokes) {
  let level = NaN;
  for (const { device, fourth } of strokes) {
    const { least } = mapping(header, device);
    for (const value of fourth ?? []) {
      if (!(value > least)) continue;
      if (level === level && value !== level) return true;
      level = value;
    }
  }
  return false;
}

/** Samples of a pen above the page, in columns; `distance` is NaN if it was not measured. */
function columnsOf(movements) {
  const count = movements.reduce((sum, { t }) => sum + t.length, 0);
  const air = {
    t: new Float64Array(count), x: new Int32Array(count), y: new Int32Array(count), distance: new Float64Array(count).fill(NaN),
  };
  let at = 0;
  for (const { t, x, y, fourth } of movements) {
    for (const [name, column] of Object.entries({ t, x, y, distance: fourth })) if (column) air[name].set(column, at);
    at += t.length;
  }
  return air;
}

/** Whether ink counts for it. @param {Sheet} sheet */
export const isWritten = ({ part }) => part !== "confirmed" && part !== "typed";

/** The text that says what a sheet is. @param {Sheet} sheet */
export function kindOf({ part, heard, entered }) {
  if (part === undefined) return "signature";
  if (part === "confirmed") return heard ? "instead.heard" : "instead.confirmed";
  if (part === "typed") return entered.by === "staff" ? "instead.entered" : "instead.typed";
  return part.startsWith("witness") ? "instead.witness" : `instead.${part}`;
}

/**
 * @param {import("../core/report.js").Record} record
 * @returns {{ink: object, air: object, sheets: object[]}} in the order of writing, as the page opens them
 */
export function sheetsOf({ header, strokes, inAir, events, fields, outcome }) {
  const sheets = new Map();
  // Texts that Unicode counts as the same are one name.
  const keyOf = (name, person) => `${person} ${name?.normalize("NFC") ?? ""}`;
  const open = (name, person, area) => {
    const key = keyOf(name, person);
    if (!sheets.has(key)) sheets.set(key, { name, person, area, isAccepted: false, written: [], strokes: [], air: [] });
    return sheets.get(key);
  };
  let [turn, current] = [0, null];
  if (!header.flow) open(null, 0, header.screen.signingArea).isAccepted = outcome === "accepted";
  for (const { kind, value } of events) {
    // A part of a field is a member that nobody knows.
    const part = kind === "instead" ? value.part : undefined;
    if (kind === "person") turn = value;
    else if (kind === "confirmed" || kind === "typed") open(value.name, turn, header.screen.signingArea);
    else if (kind === "accepted") {
      if (value.same !== undefined) current = open(value.name, turn, header.screen.signingArea);
      Object.assign(current, { isReplaced: true, same: value.same });
    } else if (kind === "field" || part) {
      current = open(inkName(value.name, part), value.person, value.signingArea);
      current.part = part;
    }
  }
  for (const { name, person, part, heard, entered, host } of fields) {
    Object.assign(sheets.get(keyOf(name, person)), { isAccepted: true, isReplaced: false, part, heard, entered, host });
  }
  for (const stroke of strokes) sheets.get(keyOf(stroke.field, stroke.person))?.written.push(stroke);
  const all = [...sheets.values()].filter(({ written, isAccepted }) => written.length || isAccepted);
  const ink = columnsFor(all.flatMap(({ written }) => written));
  const mappings = header.devices.map((_, index) => mapping(header, index));
  let [number, left] = [0, MOST_SPANS];
  const told = all.map(({ written, strokes: none, ...sheet }) => {
    if (header.flow) sheet.label = labelOf(header.flow, sheet.name);
    sheet.first = number;
    for (const stroke of written) put(ink, number++, mappings[stroke.device], stroke);
    sheet.end = number;
    sheet.hasPressure = isMeasured(header, written);
    if (!written.length) return sheet;
    const begin = written[0].t[0];
    const last = written[written.length - 1].t;
    for (const { t } of left > 0 ? inAir : []) {
      const [from, until] = [t[0], t[t.length - 1]];
      if (until > begin && from < last[last.length - 1] && left-- > 0) sheet.air.push([from, until]);
    }
    return sheet;
  });
  return { ink, air: columnsOf(inAir), sheets: told };
}

/** The buffers of the columns, which move to the page: as many for each record. */
export const buffers = ({ ink, air }) => [ink, air].flatMap(Object.values).map(({ buffer }) => buffer);

/** What the worker sent, as sheets. @returns {Sheet[]} */
export const opened = ({ ink, sheets }) => sheets.map((sheet) => ({ ...sheet, strokes: new Strokes(ink, sheet.first, sheet.end) }));
