// SPDX-License-Identifier: Apache-2.0
// The virtual panel's screen and touch device: a WebSocket with the messages of docs/virtual-panel.md.

import { PointerSampler } from "./pointers.js";

const HELLO = 1;
const FRAME = 2;
const PAGE = 3;
const SHOWN = 1;
const SAMPLES = 2;
const DESCRIBE = 3;
const PRESS = 4;
const MOVE = 5;
const SAMPLE_BYTES = 24;
const REPLACED = 4001;
// Milliseconds between two attempts to connect; the panel accepts four connections a second.
const RETRY = 500;

/**
 * Events: "link" when `link` changes; "size" when the panel has told the size of its screen; "page" with the page in
 * words as `detail`, before the frame that shows it; "frame" after a frame was drawn, with `detail.rects`; "samples"
 * after samples were sent, with `detail`, an array of samples.
 */
export class Pad extends EventTarget {
  /** "waiting", "connected", "replaced" by another page, or "refused". @type {string} */
  link = "waiting";
  /** Pixels per metre of the panel's screen. */
  density = 0;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {string} token
   */
  constructor(canvas, token) {
    super();
    this.canvas = canvas;
    this.token = token;
    this.context = canvas.getContext("2d", { alpha: false });
    this.sampler = new PointerSampler(canvas, (samples) => this.#send(samples));
    this.#connect();
  }

  /** Gives up, because the token is wrong: after some wrong ones, the gateway refuses the right one, too. */
  refuse() {
    clearTimeout(this.retry);
    this.#setLink("refused");
  }

  /**
   * Presses a control, for somebody without a pointer.
   * @param {number} page  the number of the page that has it
   * @param {number} control  its id
   */
  press(page, control) { this.#sendNumbers(PRESS, [page, control]); }

  /** @param {number} step  of the view of a document, as docs/virtual-panel.md counts them */
  move(step) { this.#sendNumbers(MOVE, [step]); }

  /** Takes the panel back after another page has replaced this one. */
  reconnect() {
    if (this.link === "replaced") this.#connect();
  }

  #connect() {
    this.#setLink("waiting");
    const address = location.origin.replace(/^http/, "ws") + "/v1/virtual";
    this.socket = new WebSocket(address, ["inkpanel.v1", "inkpanel.token." + this.token]);
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = (event) => this.#receive(event.data);
    this.socket.onclose = (event) => {
      this.sampler.forget();
      if (event.code === REPLACED) {
        this.#setLink("replaced");
      } else if (this.link !== "refused") {
        this.#setLink("waiting");
        this.retry = setTimeout(() => this.#connect(), RETRY);
      }
    };
  }

  #setLink(link) {
    if (link === this.link) return;
    this.link = link;
    this.dispatchEvent(new Event("link"));
  }

  #receive(message) {
    const words = new DataView(message);
    const kind = words.getUint32(0, true);
    if (kind === HELLO) {
      this.canvas.width = words.getUint32(12, true);
      this.canvas.height = words.getUint32(16, true);
      this.density = words.getUint32(20, true);
      this.#sendNumbers(DESCRIBE, []);
      this.dispatchEvent(new Event("size"));
      this.#setLink("connected");
    } else if (kind === PAGE) {
      const detail = JSON.parse(new TextDecoder().decode(new Uint8Array(message, 8)));
      this.dispatchEvent(new CustomEvent("page", { detail }));
    } else if (kind === FRAME) {
      const rects = this.#draw(message, words);
      this.#confirm(words.getUint32(8, true));
      this.dispatchEvent(new CustomEvent("frame", { detail: { rects } }));
    }
  }

  #draw(message, words) {
    const rects = [];
    let offset = 16;
    for (let count = words.getUint32(12, true); count > 0; count--) {
      const [x, y, width, height] = [0, 2, 4, 6].map((part) => words.getUint16(offset + part, true));
      offset += 8;
      const source = new Uint32Array(message, offset, width * height);
      const image = new ImageData(width, height);
      const target = new Uint32Array(image.data.buffer);
      for (let index = 0; index < source.length; index++) {
        // Blue, green, red become red, green, blue.
        const pixel = source[index];
        target[index] = 0xff000000 | (pixel & 0xff) << 16 | (pixel & 0xff00) | (pixel >>> 16 & 0xff);
      }
      this.context.putImageData(image, x, y);
      offset += source.byteLength;
      rects.push({ x, y, width, height });
    }
    return rects;
  }

  /** The panel sends the next frame after this, so a slow page gets fewer frames, not later ones. */
  #confirm(number) {
    const message = new DataView(new ArrayBuffer(24));
    message.setUint32(0, SHOWN, true);
    message.setUint32(4, 16, true);
    message.setUint32(8, number, true);
    message.setBigInt64(16, BigInt(Math.round(performance.now() * 1000)), true);
    this.#write(message.buffer);
  }

  #send(samples) {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.#sendSamples(samples);
    this.dispatchEvent(new CustomEvent("samples", { detail: samples }));
  }

  #sendSamples(samples) {
    const limit = 256;
    for (let start = 0; start < samples.length; start += limit) {
      const part = samples.slice(start, start + limit);
      const message = new DataView(new ArrayBuffer(8 + part.length * SAMPLE_BYTES));
      message.setUint32(0, SAMPLES, true);
      message.setUint32(4, part.length * SAMPLE_BYTES, true);
      part.forEach((sample, index) => {
        const at = 8 + index * SAMPLE_BYTES;
        message.setUint32(at, sample.contact, true);
        message.setUint8(at + 4, sample.kind);
        message.setUint8(at + 5, sample.phase);
        message.setUint8(at + 6, sample.pressure === null ? 0 : 1);
        message.setBigInt64(at + 8, BigInt(sample.microseconds), true);
        message.setUint16(at + 16, sample.x, true);
        message.setUint16(at + 18, sample.y, true);
        message.setUint16(at + 20, sample.pressure ?? 0, true);
      });
      this.#write(message.buffer);
    }
  }

  #sendNumbers(kind, numbers) {
    const message = new Uint32Array([kind, 4 * numbers.length, ...numbers]);
    this.#write(message.buffer);
  }

  #write(buffer) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(buffer);
  }
}
