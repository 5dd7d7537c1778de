// SPDX-License-Identifier: Apache-2.0
// A signature as it was written: at its true speed, with the pressure as width, undone ink apart.

import { element } from "./dom.js";
import { POINT, kindOf } from "./ink.js";
import { measure, sentence, text } from "./words.js";

/** Pixels of the canvas, which is shown smaller and printed sharply. */
const WIDTH = 1600;
/** Of an ordinary pen. */
const PEN_MILLIMETRES = 0.6;
/** Points that are drawn at once; of more, each n-th, so that no picture takes longer than a moment. */
const MOST_POINTS = 20_000;
/** Milliseconds of drawing at once. */
const MOST_TIME = 30;
const STEPS = 400;
/** Widths that are told apart. */
const LEVELS = 24;
// The canvas is paper in dark colours, too.
const COLOURS = { ink: "#15181c", undone: "#b04a00", area: "#c9ced6", paper: "#ffffff" };

/** Densities that are believed, as docs/formats.md has them. */
const isDensity = (value) => value * 25.4 >= 10 && value * 25.4 <= 10_000;
export const density = (screen) => (isDensity(screen.pixelsPerMillimetre) ? screen.pixelsPerMillimetre : 0);

/** The box of the signing area and all ink: what was written is never cut. */
function boxOf(sheet) {
  const [x, y, width, height] = sheet.area;
  let [left, top, right, bottom] = width > 0 && height > 0 ? [x, y, x + width, y + height] : [0, 0, 1, 1];
  for (const { points } of sheet.strokes) {
    for (let at = 0; at < points.length; at += POINT) {
      left = Math.min(left, points[at + 1]);
      right = Math.max(right, points[at + 1]);
      top = Math.min(top, points[at + 2]);
      bottom = Math.max(bottom, points[at + 2]);
    }
  }
  return { left, top, width: right - left, height: bottom - top };
}

export function spanOf(sheet) {
  let [begin, end] = [Infinity, -Infinity];
  for (const { points, removedAt } of sheet.strokes) {
    for (let at = 0; at < points.length; at += POINT) {
      begin = Math.min(begin, points[at]);
      end = Math.max(end, points[at]);
    }
    if (Number.isFinite(removedAt)) end = Math.max(end, removedAt);
  }
  return begin <= end ? [begin, end] : [0, 0];
}

class Paper {
  constructor(canvas, sheet, screen) {
    this.sheet = sheet;
    this.box = boxOf(sheet);
    canvas.width = WIDTH;
    canvas.height = Math.round(WIDTH * Math.min(Math.max(this.box.height / this.box.width, 0.1), 2));
    this.scale = Math.min(WIDTH / this.box.width, canvas.height / this.box.height);
    this.pen = Math.max(PEN_MILLIMETRES * (density(screen) || 4) * this.scale, 1.5);
    this.context = canvas.getContext("2d");
    this.strokes = [...sheet.strokes].map(({ points, removedAt }) => ({ points, removedAt }));
    const count = this.strokes.reduce((sum, { points }) => sum + points.length / POINT, 0);
    this.step = Math.max(1, Math.ceil(count / MOST_POINTS));
    this.removals = this.strokes.map(({ removedAt }) => removedAt).filter(Number.isFinite);
    this.clear();
  }

  clear() {
    const { context, box, scale, sheet } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = COLOURS.paper;
    context.fillRect(0, 0, context.canvas.width, context.canvas.height);
    context.setTransform(scale, 0, 0, scale, -box.left * scale, -box.top * scale);
    context.lineCap = context.lineJoin = "round";
    context.strokeStyle = COLOURS.area;
    context.lineWidth = 2 / scale;
    context.strokeRect(sheet.area[0], sheet.area[1], sheet.area[2], sheet.area[3]);
    this.drawn = -Infinity;
    this.at = new Uint32Array(this.strokes.length);
    this.first = 0;
  }

  /** Whether a stroke was undone between two times. */
  hasChanged(from, until) {
    return this.removals.some((t) => t > from && t <= until);
  }

  drawUntil(time, isWhole = false) {
    if (time < this.drawn || this.hasChanged(this.drawn, time)) this.clear();
    const { strokes } = this;
    cancelAnimationFrame(this.rest);
    const begin = performance.now();
    for (let index = this.first; index < strokes.length; index += 1) {
      if (strokes[index].points[0] > time) break;
      // Of very many strokes, the rest a moment later.
      if (!isWhole && performance.now() - begin > MOST_TIME) {
        this.rest = requestAnimationFrame(() => this.drawUntil(time));
        break;
      }
      this.drawStroke(index, time);
      if (index === this.first && this.at[index] >= strokes[index].points.length) this.first += 1;
    }
    this.drawn = time;
  }

  drawStroke(index, time) {
    const { points, removedAt } = this.strokes[index];
    const isSeen = time < removedAt;
    const end = this.reached(index, time);
    if (end <= this.at[index]) return;
    this.context.strokeStyle = isSeen ? COLOURS.ink : COLOURS.undone;
    const pen = this.pen / this.scale;
    this.context.setLineDash(isSeen ? [] : [pen * 3, pen * 2.5]);
    if (isSeen && points[this.at[index] + 3] >= 0) this.drawPressed(points, this.at[index], end, pen);
    else this.drawEven(points, this.at[index], end, isSeen ? pen : pen * 0.7);
    this.context.setLineDash([]);
    this.at[index] = end;
  }

  /** Where the points end that were measured until a time. Times may repeat or run backwards. */
  reached(index, time) {
    const { points } = this.strokes[index];
    let end = this.at[index];
    while (end < points.length && points[end] <= time) end += POINT;
    return end;
  }

  drawEven(points, begin, end, width) {
    const { context } = this;
    context.lineWidth = width;
    context.beginPath();
    const start = Math.max(begin - POINT, 0);
    context.moveTo(points[start + 1], points[start + 2]);
    for (let at = start; at < end; at += POINT * this.step) context.lineTo(points[at + 1], points[at + 2]);
    context.lineTo(points[end - POINT + 1], points[end - POINT + 2]);
    context.stroke();
  }

  drawPressed(points, begin, end, pen) {
    const { context } = this;
    const stride = POINT * this.step;
    let level = -1;
    for (let at = Math.max(begin - POINT, 0); at < end; at += stride) {
      const next = Math.min(at + stride, end - POINT);
      const pressed = Math.round(LEVELS * Math.max(points[next + 3], 0));
      // Lines of one width are one path.
      if (pressed !== level) {
        if (level >= 0) context.stroke();
        level = pressed;
        context.lineWidth = pen * (0.35 + (1.3 * level) / LEVELS);
        context.beginPath();
        context.moveTo(points[at + 1], points[at + 2]);
      }
      context.lineTo(points[next + 1], points[next + 2]);
    }
    context.stroke();
  }
}

const seconds = (microseconds) => measure(microseconds / 1e6, "second");

function legend(sheet) {
  const undone = [...sheet.strokes].filter(({ isUndone }) => isUndone).length;
  return element("figcaption", { class: "legend" },
    element("span", { class: "swatch swatch-ink" }), text(sheet.isAccepted ? "inkAccepted" : "inkNotAccepted"),
    undone ? [element("span", { class: "swatch swatch-undone" }), ...sentence("inkUndone", { count: undone })] : null,
    element("span", { class: "soft" }, text(sheet.hasPressure ? "pressureMeasured" : "pressureNone")));
}

/**
 * @param {import("./ink.js").Sheet} sheet
 * @param {object} screen  of the record's header
 * @returns {HTMLElement}
 */
export function replay(sheet, screen) {
  const canvas = element("canvas", { role: "img" });
  const paper = new Paper(canvas, sheet, screen);
  const [begin, end] = spanOf(sheet);
  canvas.setAttribute("aria-label", `${text(kindOf(sheet))}. ${text("time")}: ${seconds(end - begin)}`);
  const slider = element("input", {
    type: "range", min: 0, max: STEPS, step: 1, value: STEPS, "aria-label": text("time"),
  });
  const clock = element("output", { class: "clock" });
  const button = element("button", { type: "button" }, text("play"));
  let [frame, time] = [0, end];

  function showTime(isWhole = false) {
    paper.drawUntil(time, isWhole);
    const words = `${seconds(time - begin)} / ${seconds(end - begin)}`;
    clock.textContent = words;
    slider.setAttribute("aria-valuetext", words);
  }
  function pause() {
    cancelAnimationFrame(frame);
    frame = 0;
    button.textContent = text("play");
  }
  function play() {
    let last = performance.now();
    if (time >= end) time = begin;
    button.textContent = text("pause");
    const step = (now) => {
      if (!canvas.isConnected) return;
      time = Math.min(time + Math.max(now - last, 0) * 1000, end);
      last = now;
      slider.value = end > begin ? (STEPS * (time - begin)) / (end - begin) : STEPS;
      showTime();
      if (time < end) frame = requestAnimationFrame(step);
      else pause();
    };
    frame = requestAnimationFrame(step);
  }
  button.addEventListener("click", () => (frame ? pause() : play()));
  slider.addEventListener("input", () => {
    pause();
    time = begin + ((end - begin) * slider.valueAsNumber) / STEPS;
    showTime();
  });
  // On paper, the whole signature.
  const finish = () => {
    pause();
    time = end;
    slider.value = STEPS;
    showTime(true);
  };
  addEventListener("beforeprint", () => canvas.isConnected && finish());
  showTime();
  return element("figure", { class: "replay" }, canvas,
    element("div", { class: "controls", role: "group", "aria-label": text("replay") }, button, slider, clock),
    legend(sheet));
}
