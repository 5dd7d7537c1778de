// SPDX-License-Identifier: Apache-2.0
// The virtual panel's picture on a canvas, and pointers back to it (docs/virtual-panel.md).
import { Pointers } from "./pointers.js"

const HELLO = 1, FRAME = 2, SHOWN = 1

/** Microseconds of the clock that the events' times have. */
export function microseconds(milliseconds) { return BigInt(Math.round(milliseconds * 1000)) }

export class Pad extends EventTarget {
  #canvas
  #context
  #token
  #socket
  #pointers

  /** Connects, and again whenever the connection ends. Events: "ready" and "lost"; "frame" with the count of pixels. */
  constructor(canvas, token) {
    super()
    this.#canvas = canvas
    this.#context = canvas.getContext("2d", { alpha: false, desynchronized: true })
    this.#token = token
    this.#pointers = new Pointers(canvas, message => this.#send(message))
    this.#connect()
  }

  #connect() {
    const url = location.origin.replace(/^http/, "ws") + "/v1/virtual"
    const socket = new WebSocket(url, ["inkpanel.v1", "inkpanel.token." + this.#token])
    socket.binaryType = "arraybuffer"
    socket.onmessage = message => this.#receive(new DataView(message.data))
    socket.onclose = event => {
      this.#pointers.stop()
      this.dispatchEvent(new CustomEvent("lost", { detail: event.code }))
      // The panel may be starting. A page that another one has replaced must not replace it in turn at once.
      setTimeout(() => this.#connect(), document.hidden ? 5000 : 1000)
    }
    this.#socket = socket
  }

  #send(message) { if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(message) }

  #receive(view) {
    switch (view.getUint32(0, true)) {
      case HELLO:
        this.#canvas.width = view.getUint32(12, true)
        this.#canvas.height = view.getUint32(16, true)
        this.#canvas.style.aspectRatio = `${this.#canvas.width} / ${this.#canvas.height}`
        this.#pointers.start()
        this.dispatchEvent(new CustomEvent("ready", { detail: {
          width: this.#canvas.width, height: this.#canvas.height, pixelsPerMetre: view.getUint32(20, true) } }))
        break
      case FRAME:
        this.#draw(view)
        break
    }
  }

  #draw(view) {
    let [offset, pixels] = [16, 0]
    for (let count = view.getUint32(12, true); count > 0; count--) {
      const [x, y, width, height] = [0, 2, 4, 6].map(part => view.getUint16(offset + part, true))
      offset += 8
      const image = this.#context.createImageData(width, height)
      const to = new Uint32Array(image.data.buffer)
      for (let index = 0; index < to.length; index++, offset += 4) {
        const color = view.getUint32(offset, true)
        // Blue, green, red in memory become red, green, blue, opaque.
        to[index] = 0xFF000000 | (color & 0xFF) << 16 | color & 0xFF00 | color >> 16 & 0xFF
      }
      this.#context.putImageData(image, x, y)
      pixels += width * height
    }
    const shown = new DataView(new ArrayBuffer(24))
    shown.setUint32(0, SHOWN, true)
    shown.setUint32(4, 16, true)
    shown.setUint32(8, view.getUint32(8, true), true)
    shown.setBigInt64(16, microseconds(performance.now()), true)
    this.#send(shown.buffer)
    this.dispatchEvent(new CustomEvent("frame", { detail: pixels }))
  }
}
