// SPDX-License-Identifier: Apache-2.0
/** Reads a record, versions 1 and 2 (docs/record.md). */
import { Fault, demand, textOf } from "./bytes.js"
import { Flow } from "./flow.js"
import * as shapes from "./header.js"
import { JSONParser, withDoubles } from "./json.js"
import { whole64 } from "./shape.js"

const NEWLINE = 10
const LONGEST = 64 * 2 ** 20
const LONGEST_HEADER = { 1: 64 * 2 ** 10, 2: 256 * 2 ** 10 }
const LONGEST_END = { 1: 4 * 2 ** 10, 2: 24 * 2 ** 10 }
/** Events that stand for a signature without ink. */
const INKLESS = ["confirmed", "typed"]
/** Values between two looks at the clock. */
const AT_ONCE = 4096

/**
 * A stroke, or a movement in the air, as columns of the same length: microseconds since the record's
 * `startedAtDeviceTime`, device units, and the fourth number (NaN where it is missing; null if no sample has one).
 * @typedef {{device: number, tool?: string, serial?: number, t: Float64Array, x: Int32Array, y: Int32Array,
 *     fourth: Float64Array|null}} Samples
 *
 * `field` and `person` say for what it was written (null, 0 in version 1; NAME/witness1 by the witness of a mark in
 * NAME); `places` has x and y in pixels, one after the other. `counts`: it is among what the person accepted.
 * `removedAt`: when it was undone or cleared.
 * @typedef {Samples & {pen: string, enters?: any, leaves?: any, places: Float64Array|null, field: string|null,
 *     person: number, counts: boolean, removedAt: number|null}} Stroke
 *
 * @typedef {{header: any, end: any, strokes: Stroke[], inAir: Samples[], actions: {action: string, t: number}[],
 *     events: {kind: string, t: number, value: any}[], flow: Flow|null}} Reading
 */

/**
 * @param {Uint8Array} bytes
 * @param {import("./pace.js").Pace} pace
 * @returns {Promise<Reading>}
 * @throws {Fault} for whatever another reader may take otherwise
 */
export async function readRecord(bytes, pace) {
  demand(bytes.length <= LONGEST, "it has more than 64 MiB")
  const reader = new RecordReader()
  let start = 0
  let number = 0
  try {
    for (;;) {
      const end = bytes.indexOf(NEWLINE, start)
      // Without a newline, the power went while it was written.
      if (end < 0) break
      const line = bytes.subarray(start, end)
      const isLast = bytes.indexOf(NEWLINE, end + 1) < 0
      if (isLast && line.includes(0)) break
      number++
      await reader.add(line, pace)
      pace.step(end + 1 - start)
      start = end + 1
      if (number % 64 === 0 && pace.isDue) await pace.rest()
    }
  } catch (error) {
    if (error instanceof Fault) error.values.line = number
    throw error
  }
  demand(reader.header, "there is no header")
  return reader.finished
}

class RecordReader {
  constructor() {
    this.header = undefined
    this.end = undefined
    this.flow = null
    this.strokes = []
    this.inAir = []
    this.actions = []
    this.spoken = []
    this.events = []
    this.sheets = new Sheets()
  }

  get finished() {
    const { header, end, strokes, inAir, actions, spoken, events, flow } = this
    this.sheets.finish(flow)
    return { header, end, strokes, inAir, actions, spoken, events, flow }
  }

  /** @param {Uint8Array} line  without its newline */
  async add(line, pace) {
    demand(!this.end, "there is a line after the end")
    demand(this.header || line.length < LONGEST_HEADER[2], "the header is too long")
    demand(line[0] === 0x7b, "it does not begin with an object")
    for (let at = 0; at < line.length; at++) {
      if (line[at] < 0x20) throw new Fault("it has a control character")
      if (at % 2 ** 20 === 0 && pace.isDue) await pace.rest()
    }
    const parser = new JSONParser(textOf(line))
    while (!parser.run(AT_ONCE)) if (pace.isDue) await pace.rest()
    const object = parser.value
    if (!this.header) return this.addHeader(object, line.length)
    const { version } = this.header
    const kinds = ["format", "stroke", "inAir", "action", "spoken", "end",
      ...(version === 2 ? Object.keys(shapes.events) : [])].filter(kind => kind in object)
    demand(kinds.length === 1, "it is not of one kind")
    const [kind] = kinds
    demand(kind !== "format", "it is a second header")
    const hasTime = kind === "action" || kind === "spoken" || Object.hasOwn(shapes.events, kind)
    demand(hasTime === ("t" in object) && (!hasTime || whole64(object.t)), "it has a time, or lacks it")
    if (kind === "end") return this.addEnd(object.end, line.length)
    if (kind === "stroke" || kind === "action") {
      demand(!this.flow || this.flow.sheet !== null, "it is before a page to sign on")
    }
    if (kind === "stroke") return this.addStroke(object.stroke, pace)
    if (kind === "inAir") {
      demand(shapes.inAir(object.inAir), "a movement in the air is not valid")
      this.inAir.push(await this.samples(object.inAir, "distance", pace))
      return
    }
    if (kind === "action") {
      demand(shapes.action(object.action), "an action is not valid")
      this.actions.push({ action: object.action, t: Number(object.t) })
      return this.sheets[object.action](Number(object.t))
    }
    if (kind === "spoken") {
      demand(shapes.spoken(object.spoken), "a text that was read aloud is not valid")
      this.spoken.push({ text: object.spoken, t: Number(object.t) })
      if (this.flow) this.flow.hasSpoken = true
      return
    }
    demand(shapes.events[kind](object[kind]), "an event is not valid")
    const key = this.flow.add(kind, object[kind])
    this.events.push({ kind, t: Number(object.t), value: withDoubles(object[kind]) })
    if (["field", "instead", "person", ...INKLESS].includes(kind)) this.sheets.begin()
    // These have no ink, whatever was written before.
    if (INKLESS.includes(kind) || kind === "accepted" && !("same" in object.accepted)) this.sheets.accept(key)
  }

  addHeader(header, byteCount) {
    const isOther = ["stroke", "inAir", "action", "spoken", "end", "t"].some(kind => kind in header)
      || header.version === 2 && Object.keys(shapes.events).some(kind => kind in header)
    demand("format" in header && !isOther, "the first line is no header")
    demand(shapes.header(header), "the header is not valid")
    demand(byteCount < LONGEST_HEADER[header.version], "the header is too long")
    demand(("flow" in header) === (header.version === 2), "the header is of another version")
    if (header.version === 2) this.flow = new Flow(header)
    this.header = header
  }

  addEnd(end, byteCount) {
    demand(shapes.end(end), "the end is not valid")
    demand(byteCount < LONGEST_END[this.header.version], "the end is too long")
    demand(this.flow || !("reading" in end || "check" in end), "what was read, without a document")
    this.flow?.checkEnd(end)
    this.end = end
  }

  async addStroke(stroke, pace) {
    demand(shapes.stroke(stroke), "a stroke is not valid")
    const samples = await this.samples(stroke, "pressure", pace)
    const { pen, enters, leaves, places: listed } = stroke
    let places = null
    if (listed !== undefined) {
      demand(Array.isArray(listed) && listed.length === samples.t.length, "not each sample has a place")
      places = new Float64Array(2 * listed.length)
      for (const [index, place] of listed.entries()) {
        demand(shapes.isPlace(place), "a place is not one on a screen")
        places.set(place, 2 * index)
        if (index % AT_ONCE === 0 && pace.isDue) await pace.rest()
      }
    }
    const result = {
      ...samples, pen, places, field: this.flow?.ink ?? null, person: this.flow?.turn ?? 0, counts: false,
      removedAt: null, ...(enters && { enters: withDoubles(enters) }), ...(leaves && { leaves: withDoubles(leaves) })
    }
    this.strokes.push(result)
    this.sheets.add(result)
  }

  async samples({ device, tool, serial, samples }, fourthName, pace) {
    demand(device >= 0 && device < this.header.devices.length, "there is no such device")
    demand(Array.isArray(samples) && samples.length > 0, "it has no samples")
    const isMeasured = fourthName in this.header.devices[device]
    const count = samples.length
    const [t, x, y] = [new Float64Array(count), new Int32Array(count), new Int32Array(count)]
    let fourth = null
    for (let index = 0; index < count; index++) {
      const sample = samples[index]
      demand(shapes.isSample(sample), "a sample is not a time, x, y and optionally a fourth number")
      t[index] = Number(sample[0])
      x[index] = sample[1]
      y[index] = sample[2]
      if (sample.length === 4) {
        demand(isMeasured, "a sample has a fourth number, which its device does not measure")
        fourth ??= new Float64Array(count).fill(NaN)
        fourth[index] = sample[3]
      }
      if (index % AT_ONCE === 0 && pace.isDue) await pace.rest()
    }
    const told = { ...(tool !== undefined && { tool }), ...(serial !== undefined && { serial }) }
    return { device: Number(device), ...told, t, x, y, fourth }
  }
}

/** Which strokes count after undo, redo and clear, for each page to sign on. */
class Sheets {
  constructor() {
    this.begin()
    /** The ink of each field, the last one that was accepted. @type {Map<string, Stroke[]>} */
    this.accepted = new Map()
  }

  begin() {
    this.visible = []
    /** What redo brings back, the last one first: strokes, or null for the empty sheet of a clear. */
    this.undone = []
    /** The sheet before the last clear, unless that is undone. */
    this.cleared = null
  }

  add(stroke) {
    this.visible.push(stroke)
    this.undone = []
  }

  undo(t) {
    const stroke = this.visible.pop()
    if (stroke) {
      stroke.removedAt = t
      this.undone.push(stroke)
    } else if (this.cleared) {
      this.visible = this.cleared
      for (const back of this.visible) back.removedAt = null
      this.cleared = null
      this.undone.push(null)
    }
  }

  redo(t) {
    const stroke = this.undone.pop()
    if (stroke === null) this.turnPage(t)
    if (!stroke) return
    stroke.removedAt = null
    this.visible.push(stroke)
  }

  /** Does nothing to an empty sheet. */
  clear(t) {
    if (this.visible.length === 0) return
    this.turnPage(t)
    this.undone = []
  }

  turnPage(t) {
    for (const stroke of this.visible) stroke.removedAt = t
    this.cleared = this.visible
    this.visible = []
  }

  accept(key) {
    this.accepted.set(key, this.visible)
    this.begin()
  }

  /** @param {Flow|null} flow  whose fields count */
  finish(flow) {
    const accepted = [...this.accepted].filter(([key]) => flow?.inks.has(key)).flatMap(([, strokes]) => strokes)
    for (const stroke of flow ? accepted : this.visible) stroke.counts = true
  }
}
