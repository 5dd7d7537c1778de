// SPDX-License-Identifier: Apache-2.0
// Measures the way from a pointer's event to its ink on the page.

const MOVE = 2;
// Milliseconds after which a position without ink is given up: it pressed a button, or was outside of the page.
const PATIENCE = 200;

export class Meter {
  /** Milliseconds from events to pixels on the canvas, and to the browser's next picture. */
  latencies = { drawn: [], shown: [] };
  /** Times of frames, in milliseconds. */
  frames = [];
  #waiting = [];

  /**
   * @param {import("./pad.js").Pad} pad
   * @param {(milliseconds: number) => void} show  called at most twice a second while somebody draws, with the median.
   */
  constructor(pad, show) {
    this.pad = pad;
    this.show = show;
    pad.addEventListener("samples", (event) => this.#sent(event.detail));
    pad.addEventListener("frame", (event) => this.#drawn(event.detail.rects));
  }

  #sent(samples) {
    const { width, height } = this.pad.canvas;
    for (const sample of samples) {
      if (sample.phase !== MOVE) continue;
      const [x, y] = [sample.x / 65536 * width, sample.y / 65536 * height];
      this.#waiting.push({ time: sample.microseconds / 1000, x, y });
    }
  }

  #drawn(rects) {
    const now = performance.now();
    this.#waiting = this.#waiting.filter((point) => now - point.time < PATIENCE);
    const isIn = (point) => rects.some((rect) =>
      point.x >= rect.x && point.x < rect.x + rect.width && point.y >= rect.y && point.y < rect.y + rect.height);
    const inked = this.#waiting.filter(isIn);
    if (inked.length === 0) return;
    this.#waiting = this.#waiting.filter((point) => !isIn(point));
    this.frames.push(now);
    for (const point of inked) this.latencies.drawn.push(now - point.time);
    requestAnimationFrame((time) => {
      for (const point of inked) this.latencies.shown.push(Math.max(time, now) - point.time);
      this.#report(time);
    });
    if (this.frames.length > 4000) this.frames.splice(0, 2000);
    for (const list of Object.values(this.latencies)) if (list.length > 8000) list.splice(0, 4000);
  }

  #report(time) {
    if (time - (this.reported ?? 0) < 500) return;
    this.reported = time;
    const recent = this.latencies.shown.slice(-100).sort((one, other) => one - other);
    this.show(Math.round(recent[recent.length >> 1]));
  }
}
