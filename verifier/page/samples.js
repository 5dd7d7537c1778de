// SPDX-License-Identifier: Apache-2.0
// For examiners: the samples as plots, as a table in parts, and as a file. Numbers only, so a file's texts reach none.

import { drawing, element } from "./dom.js";
import { POINT } from "./ink.js";
import { density, spanOf } from "./replay.js";
import { measure, number, sentence, text } from "./words.js";

const [WIDTH, HEIGHT] = [720, 110];
const BUCKETS = 600;
const MOST_BANDS = 400;
const MOST_CORNERS = 10_000;
const ROWS = 40;
/** Rows of the file after which the page draws again. */
const PORTION = 20_000;

/** Lines through the means of short spans, one line a stroke. */
function curves(sheet, [begin, end], valueAt) {
  const lines = [];
  let [largest, drawn] = [0, 0];
  for (const { points } of sheet.strokes) {
    const line = [];
    let [bucket, sum, count] = [-1, 0, 0];
    const flush = () => {
      if (!count) return;
      line.push([bucket / BUCKETS, sum / count]);
      largest = Math.max(largest, sum / count);
    };
    for (let at = 0; at < points.length; at += POINT) {
      const value = valueAt(points, at);
      if (!Number.isFinite(value)) continue;
      const next = Math.round((BUCKETS * (points[at] - begin)) / Math.max(end - begin, 1));
      if (next !== bucket) {
        flush();
        [bucket, sum, count] = [next, 0, 0];
      }
      sum += value;
      count += 1;
    }
    flush();
    // More only a made-up record has: each part of the time has a stroke or none.
    if ((drawn += line.length) > MOST_CORNERS) break;
    lines.push(line);
  }
  return { lines, largest };
}

function plot(name, { lines, largest }, top) {
  const scale = largest || 1;
  const paths = lines.map((line) => line
    .map(([x, y], index) => `${index ? "L" : "M"}${(x * WIDTH).toFixed(1)} ${(HEIGHT - (y / scale) * HEIGHT).toFixed(1)}`).join(""));
  return element("figure", { class: "plot" },
    element("figcaption", {}, name, " ", element("span", { class: "soft" }, `0 … ${top(scale)}`)),
    drawing("svg", { viewBox: `-2 -2 ${WIDTH + 4} ${HEIGHT + 4}`, role: "img", "aria-label": `${name}: 0 … ${top(scale)}` },
      drawing("path", { class: "axis", d: `M0 0V${HEIGHT}H${WIDTH}` }),
      drawing("path", { class: "curve", d: paths.join("") })));
}

/** When the pen was on the glass, near it, or away. */
function bands(sheet, [begin, end]) {
  const place = (t) => (WIDTH * (t - begin)) / Math.max(end - begin, 1);
  const band = (name, from, until, y) => drawing("rect", {
    class: name, x: place(from), y, width: Math.max(place(until) - place(from), 1), height: 14,
  });
  const down = [...sheet.strokes].map(({ points }) => [points[0], points[points.length - POINT]]);
  const air = sheet.air.map(([from, until]) => [Math.max(from, begin), Math.min(until, end)]).filter(([from, until]) => from < until);
  const sum = (spans) => spans.reduce((total, [from, until]) => total + Math.max(until - from, 0), 0);
  const seconds = (microseconds) => measure(microseconds / 1e6, "second", 2);
  const rows = [["onGlass", down, "band-down"], ["inAir", air, "band-air"]];
  return element("figure", { class: "plot" },
    rows.map(([name, spans], index) => element("figcaption", {}, element("span", { class: `swatch ${rows[index][2]}` }),
      text(name), " ", element("span", { class: "soft" }, seconds(sum(spans))))),
    drawing("svg", { viewBox: `-2 -2 ${WIDTH + 4} 38`, role: "img", "aria-label": rows.map(([name, spans]) => `${text(name)}: ${seconds(sum(spans))}`).join(". ") },
      rows.map(([, spans, style], index) => spans.slice(0, MOST_BANDS).map(([from, until]) => band(style, from, until, index * 18)))));
}

function speed(points, at, scale) {
  if (at === 0) return NaN;
  const time = points[at] - points[at - POINT];
  if (time <= 0) return NaN;
  return (Math.hypot(points[at + 1] - points[at - POINT + 1], points[at + 2] - points[at - POINT + 2]) / scale / time) * 1e6;
}

/** Of a sample; null without a measured one. */
const levelAt = (column, at) => (column && column[at] === column[at] ? column[at] : null);

function table(sheet) {
  const starts = [];
  let total = 0;
  for (const { t } of sheet.strokes) {
    starts.push(total);
    total += t.length;
  }
  const body = element("tbody");
  const range = element("output", {});
  const columns = [text("stroke"), `${text("time")}, µs`, "x", "y", text("pressure")];
  let first = 0;

  function showRows() {
    const rows = [];
    let stroke = starts.findLastIndex((start) => start <= first);
    for (let row = first; row < Math.min(first + ROWS, total); row += 1) {
      while (stroke + 1 < starts.length && starts[stroke + 1] <= row) stroke += 1;
      const { t, x, y, fourth, isUndone } = sheet.strokes.at(stroke);
      const at = row - starts[stroke];
      const cells = [t, x, y, fourth].map((column) => String(levelAt(column, at) ?? "–"));
      rows.push(element("tr", { class: isUndone ? "undone" : null }, [String(stroke + 1), ...cells].map((cell) => element("td", {}, isUndone ? element("s", {}, cell) : cell))));
    }
    body.replaceChildren(...rows);
    range.replaceChildren(...sentence("rows", { from: total ? first + 1 : 0, to: Math.min(first + ROWS, total), count: total }));
    back.disabled = first === 0;
    next.disabled = first + ROWS >= total;
  }
  const move = (by) => () => {
    first = Math.min(Math.max(first + by, 0), Math.max(total - 1, 0));
    first -= first % ROWS;
    showRows();
  };
  const back = element("button", { type: "button", onclick: move(-ROWS) }, text("back"));
  const next = element("button", { type: "button", onclick: move(ROWS) }, text("next"));
  showRows();
  return [
    element("div", { class: "scrolling", tabindex: 0, role: "region", "aria-label": text("samples") },
      element("table", {}, element("thead", {}, element("tr", {},
        columns.map((name) => element("th", { scope: "col" }, name)))), body)),
    element("p", { class: "buttons" }, back, next, range),
  ];
}

/** All samples as CSV; the columns are named like those of docs/formats.md. */
async function csv(sheets, air) {
  const parts = ["sheet,stroke,undone,t_us,x,y,pressure,distance\r\n"];
  let rows = [];
  // As bytes of a file at once: texts of a whole record take the browser long.
  const flush = async () => {
    parts.push(new Blob([rows.join("")]));
    rows = [];
    await new Promise((resolve) => setTimeout(resolve));
  };
  for (const [index, sheet] of sheets.entries()) {
    let number = 0;
    for (const { t, x, y, fourth, isUndone } of sheet.strokes) {
      number += 1;
      const start = `${index + 1},${number},${isUndone ? 1 : 0}`;
      for (let at = 0; at < t.length; at += 1) {
        rows.push(`${start},${t[at]},${x[at]},${y[at]},${levelAt(fourth, at) ?? ""},\r\n`);
        if (rows.length === PORTION) await flush();
      }
    }
  }
  // A pen above the page is on no sheet, and writes no stroke.
  for (let at = 0; at < air.t.length; at += 1) {
    rows.push(`,0,,${air.t[at]},${air.x[at]},${air.y[at]},,${levelAt(air.distance, at) ?? ""}\r\n`);
    if (rows.length === PORTION) await flush();
  }
  await flush();
  return new Blob(parts, { type: "text/csv" });
}

async function save(sheets, air) {
  const address = URL.createObjectURL(await csv(sheets, air));
  element("a", { href: address, download: "samples.csv" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/**
 * @param {import("./ink.js").Sheet[]} sheets
 * @param {object} air  samples of a pen above the page
 * @param {object} screen
 * @param {(sheet: object) => Node} named
 */
export function examination(sheets, air, screen, named) {
  const scale = density(screen) || 1;
  const unit = density(screen) ? "mm/s" : "px/s";
  const details = element("details", { class: "examination" }, element("summary", {}, text("examiners")));
  // Made when somebody looks: a long record has many.
  details.addEventListener("toggle", () => {
    if (!details.open || details.childElementCount > 1) return;
    details.append(
      element("p", { class: "soft" }, text("examinersLine")),
      element("p", {}, element("button", { type: "button", id: "csv", onclick: () => save(sheets, air) }, text("saveSamples"))),
      ...sheets.filter(({ strokes }) => strokes.length).map((sheet) => {
        const span = spanOf(sheet);
        return element("section", {}, sheets.length > 1 ? element("h3", {}, named(sheet)) : null,
          plot(text("speed"), curves(sheet, span, (points, at) => speed(points, at, scale)), (top) => `${number(top)} ${unit}`),
          sheet.hasPressure
            ? plot(text("pressure"), curves(sheet, span, (points, at) => (points[at + 3] < 0 ? NaN : points[at + 3])), (top) => `${number(top * 100)} %`)
            : element("p", { class: "soft" }, text("pressureNone")),
          bands(sheet, span), table(sheet));
      }));
  });
  return details;
}
