// SPDX-License-Identifier: Apache-2.0
// From a record to what the page replays: sheets with strokes in pixels of the panel's screen, in arrays that move from
// the worker to the page without a copy.

/** Numbers of a point: time in microseconds, x and y in pixels, pressure 0 to 1 or -1 without one. */
export const POINT = 4;

/**
 * @typedef {object} Stroke
 * @property {Float64Array} points  as they were drawn, from where the contact entered the area to where it left
 * @property {Float64Array} t  of the samples, as they were measured; with `x`, `y` and `fourth` of the record
 * @property {boolean} isUndone  not among what was accepted
 * @property {number} removedAt  when it was undone or cleared, or replaced by a later sheet
 *
 * @typedef {object} Sheet
 * @property {string | null} name  null if the record has only one
 * @property {number} person
 * @property {number[]} area  x, y, width and height in pixels
 * @property {boolean} isAccepted
 * @property {string} [same]  the field whose ink it has
 * @property {Stroke[]} strokes
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

function strokeOf(header, { device, t, x, y, fourth, places, enters, leaves, counts, removedAt }) {
  const { place, force } = mapping(header, device);
  const points = new Float64Array((t.length + (enters ? 1 : 0) + (leaves ? 1 : 0)) * POINT);
  let at = 0;
  const add = (...point) => {
    points.set(point, at);
    at += POINT;
  };
  if (enters) add(enters.t, enters.x, enters.y, enters.pressure ?? -1);
  for (let index = 0; index < t.length; index += 1) {
    const [left, top] = places ? [places[2 * index], places[2 * index + 1]] : place(x[index], y[index]);
    add(t[index], left, top, fourth ? force(fourth[index]) : -1);
  }
  if (leaves) add(leaves.t, leaves.x, leaves.y, leaves.pressure ?? -1);
  return { points, t, x, y, fourth, isUndone: !counts, removedAt: counts ? Infinity : removedAt ?? -Infinity };
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

/**
 * @param {import("../core/report.js").Record} record
 * @returns {Sheet[]} in the order of writing
 */
export function sheetsOf({ header, strokes, inAir, events, outcome }) {
  const sheets = new Map();
  // Texts that Unicode counts as the same are one name.
  const keyOf = (name, person) => `${person} ${name?.normalize("NFC") ?? ""}`;
  const open = (name, person, area) => {
    const key = keyOf(name, person);
    if (!sheets.has(key)) sheets.set(key, { name, person, area, isAccepted: false, written: [], strokes: [], air: [] });
    return sheets.get(key);
  };
  let turn = 0;
  if (!header.flow) open(null, 0, header.screen.signingArea).isAccepted = outcome === "accepted";
  for (const { kind, value } of events) {
    if (kind === "person") turn = value;
    else if (kind === "field") open(value.name, value.person, value.signingArea);
    else if (kind === "accepted") Object.assign(open(value.name, turn, header.screen.signingArea), { isAccepted: true, same: value.same });
  }
  for (const stroke of strokes) sheets.get(keyOf(stroke.field, stroke.person))?.written.push(stroke);
  const air = inAir.map(({ t }) => [t[0], t[t.length - 1]]);
  return [...sheets.values()].map(({ written, ...sheet }) => {
    sheet.strokes = written.map((stroke) => strokeOf(header, stroke));
    sheet.hasPressure = isMeasured(header, written);
    if (!written.length) return sheet;
    const begin = written[0].t[0];
    const last = written[written.length - 1].t;
    sheet.air = air.filter(([from, until]) => until > begin && from < last[last.length - 1]).slice(0, 5000);
    return sheet;
  }).filter(({ strokes: ink, isAccepted }) => ink.length || isAccepted);
}

/** The buffers of sheets, which move to the page. */
export const buffers = (sheets) => sheets.flatMap(({ strokes }) => strokes.flatMap(
  ({ points, t, x, y, fourth }) => [points, t, x, y, fourth].filter(Boolean).map(({ buffer }) => buffer)));
