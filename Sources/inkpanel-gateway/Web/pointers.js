// SPDX-License-Identifier: Apache-2.0
// Mouse, fingers and pens on an element become samples of the virtual panel.
import { microseconds } from "./pad.js"

const SAMPLES = 2, SAMPLE_BYTES = 24, MOST_SAMPLES = 256
const KINDS = { mouse: 1, touch: 2, pen: 3 }
const DOWN = 1, MOVE = 2, UP = 3, CANCEL = 4

export class Pointers {
  #element
  #send
  /** Pointers that are down, by their numbers. */
  #down = new Set()
  #isOn = false

  /** @param {(message: ArrayBuffer) => void} send */
  constructor(element, send) {
    this.#element = element
    this.#send = send
    element.style.touchAction = "none"
    element.addEventListener("pointerdown", event => this.#begin(event))
    // Raw updates come when the device reports, not before the next frame; in secure contexts of Chromium only.
    const move = "onpointerrawupdate" in element ? "pointerrawupdate" : "pointermove"
    element.addEventListener(move, event => this.#move(event))
    element.addEventListener("pointerup", event => this.#end(event, UP))
    element.addEventListener("pointercancel", event => this.#end(event, CANCEL))
    element.addEventListener("contextmenu", event => event.preventDefault())
    element.addEventListener("touchstart", event => event.preventDefault(), { passive: false })
  }

  start() { this.#isOn = true }

  stop() {
    this.#isOn = false
    this.#down.clear()
  }

  #begin(event) {
    if (!this.#isOn || event.button !== 0 || !(event.pointerType in KINDS)) return
    event.preventDefault()
    this.#element.setPointerCapture(event.pointerId)
    this.#down.add(event.pointerId)
    this.#sendAll([event], DOWN)
  }

  #move(event) {
    if (!this.#down.has(event.pointerId)) return
    const coalesced = event.getCoalescedEvents?.() ?? []
    this.#sendAll(coalesced.length ? coalesced : [event], MOVE)
  }

  #end(event, phase) {
    if (this.#down.delete(event.pointerId)) this.#sendAll([event], phase)
  }

  #sendAll(events, phase) {
    for (let first = 0; first < events.length; first += MOST_SAMPLES) {
      const some = events.slice(first, first + MOST_SAMPLES)
      const view = new DataView(new ArrayBuffer(8 + some.length * SAMPLE_BYTES))
      view.setUint32(0, SAMPLES, true)
      view.setUint32(4, some.length * SAMPLE_BYTES, true)
      some.forEach((event, index) => this.#write(event, phase, view, 8 + index * SAMPLE_BYTES))
      this.#send(view.buffer)
    }
  }

  #write(event, phase, view, offset) {
    const box = this.#element.getBoundingClientRect()
    const unit = (place, size) => Math.max(0, Math.min(65535, Math.floor(65536 * place / size)))
    // A mouse says 0.5 by specification, and most touchscreens do: only a pen's pressure is measured.
    const isMeasured = event.pointerType === "pen"
    view.setUint32(offset, event.pointerId >>> 0, true)
    view.setUint8(offset + 4, KINDS[event.pointerType])
    view.setUint8(offset + 5, phase)
    view.setUint8(offset + 6, isMeasured ? 1 : 0)
    view.setBigInt64(offset + 8, microseconds(event.timeStamp), true)
    view.setUint16(offset + 16, unit(event.clientX - box.left, box.width), true)
    view.setUint16(offset + 18, unit(event.clientY - box.top, box.height), true)
    view.setUint16(offset + 20, isMeasured ? Math.round(65535 * event.pressure) : 0, true)
  }
}
