// SPDX-License-Identifier: Apache-2.0
// Pointer events become samples: every position that the browser knows, with its own time.

const KINDS = { mouse: 1, touch: 2, pen: 3 };
const DOWN = 1;
const MOVE = 2;
const UP = 3;
const CANCEL = 4;
/** The bit in `buttons` of a tip, a finger or the left button of a mouse. */
const TIP = 1;
// Positions to send: the panel accepts 4000 samples a second, and 8192 at once. Mice for games report 8000 a second.
const PER_MICROSECOND = 0.0035;
const AT_ONCE = 4000;
// Contacts that are down at once, which the panel accepts.
const MOST_CONTACTS = 16;

/**
 * @typedef {{contact: number, kind: number, phase: number, microseconds: number, x: number, y: number,
 *   pressure: number | null}} Sample  x and y in 65536ths of the sides, the pressure in 65535ths.
 */

export class PointerSampler {
  /**
   * The kind of the last pointer, and whether its pressure is measured.
   * @type {{type: string, measures: boolean} | null}
   */
  last = null;
  #contacts = new Map();
  // Screens without a sensor say the same pressure for every touch. Only one that was seen to vary is a measurement.
  #touchVaries = false;
  #budget = AT_ONCE;
  #spent = 0;

  /**
   * @param {HTMLElement} element
   * @param {(samples: Sample[]) => void} send
   */
  constructor(element, send) {
    this.element = element;
    this.send = send;
    element.addEventListener("pointerdown", (event) => this.#down(event));
    // Not held back until the next frame, but only in pages from localhost or with TLS.
    if ("onpointerrawupdate" in element) {
      element.addEventListener("pointerrawupdate", (event) => this.#move(event));
      // It also comes when only the buttons have changed.
      element.addEventListener("pointermove", (event) => this.#isDown(event) || this.#end(event, UP));
    } else {
      element.addEventListener("pointermove", (event) => this.#move(event));
    }
    element.addEventListener("pointerup", (event) => this.#end(event, UP));
    element.addEventListener("pointercancel", (event) => this.#end(event, CANCEL));
    // Some browsers and drivers lose the event of lifting, as when a dialog opens meanwhile.
    element.addEventListener("lostpointercapture", (event) => this.#end(event, UP));
    element.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  /** Forgets the contacts that are down: the panel has. */
  forget() {
    this.#contacts.clear();
  }

  #isDown(position) {
    return (position.buttons & TIP) !== 0;
  }

  #down(event) {
    const kind = KINDS[event.pointerType];
    if (!kind || event.button !== 0) return;
    event.preventDefault();
    // Where the event of lifting was lost: the same pointer is down no longer. A primary one is the only one of its kind,
    // and may have a new number.
    for (const [number, contact] of this.#contacts) {
      const isLost = number === event.pointerId || (event.isPrimary && contact.kind === kind);
      if (isLost || this.#contacts.size >= MOST_CONTACTS) this.#lift(number, event.timeStamp);
    }
    try {
      this.element.setPointerCapture(event.pointerId);
    } catch {
      // The pointer has gone already.
    }
    const measures = event.pointerType === "pen" || (event.pointerType === "touch" && this.#touchVaries);
    const contact = { kind, measures, first: event.pressure };
    this.#contacts.set(event.pointerId, contact);
    this.last = { type: event.pointerType, measures };
    contact.sample = this.#sample(event, contact, DOWN);
    this.send([contact.sample]);
  }

  #move(event) {
    const contact = this.#contacts.get(event.pointerId);
    if (!contact) return;
    const merged = event.getCoalescedEvents?.() ?? [];
    const samples = [];
    let lifted = null;
    for (const position of merged.length > 0 ? merged : [event]) {
      if (!this.#isDown(position)) {
        lifted = position;
        break;
      }
      if (position.pointerType === "touch" && position.pressure !== contact.first) this.#touchVaries = true;
      const sample = this.#sample(position, contact, MOVE);
      if (this.#spend(sample.microseconds)) samples.push(sample);
    }
    if (samples.length > 0) {
      contact.sample = samples.at(-1);
      this.send(samples);
    }
    if (lifted) this.#end(lifted, UP);
  }

  #spend(microseconds) {
    this.#budget = Math.min(AT_ONCE, this.#budget + Math.max(0, microseconds - this.#spent) * PER_MICROSECOND);
    this.#spent = Math.max(this.#spent, microseconds);
    if (this.#budget < 1) return false;
    this.#budget -= 1;
    return true;
  }

  #end(event, phase) {
    const contact = this.#contacts.get(event.pointerId);
    if (!contact) return;
    this.#contacts.delete(event.pointerId);
    this.send([this.#sample(event, contact, phase)]);
  }

  /** Ends a contact at its last place. */
  #lift(number, timeStamp) {
    const { sample, measures } = this.#contacts.get(number);
    this.#contacts.delete(number);
    this.send([{ ...sample, phase: UP, microseconds: microsecondsOf(timeStamp), pressure: measures ? 0 : null }]);
  }

  /** @returns {Sample} */
  #sample(event, contact, phase) {
    const box = this.element.getBoundingClientRect();
    const fraction = (position, start, length) =>
      Math.max(0, Math.min(65535, Math.floor((position - start) / length * 65536)));
    const measured = contact.measures && phase !== UP && phase !== CANCEL;
    return {
      contact: event.pointerId >>> 0,
      kind: contact.kind,
      phase,
      microseconds: microsecondsOf(event.timeStamp),
      x: fraction(event.clientX, box.left, box.width),
      y: fraction(event.clientY, box.top, box.height),
      pressure: measured ? Math.round(Math.max(0, Math.min(1, event.pressure)) * 65535) : contact.measures ? 0 : null,
    };
  }
}

function microsecondsOf(timeStamp) { return Math.max(0, Math.round(timeStamp * 1000)); }
