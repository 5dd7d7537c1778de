// SPDX-License-Identifier: Apache-2.0
/** The members of a record's lines, their types and ranges (docs/record.md). */
import {
  captureID, digest, like, list, number, object, oneOf, role, text, texts, truth, whole, whole32, whole64
} from "./shape.js"

const u16 = whole(0, 2 ** 16 - 1)
const axis = object({ minimum: whole32, maximum: whole32, resolution: whole32 })

const selfTest = object({
  at: whole64, program: text, offset: number, largestOffset: number, noise: number, reportRate: number,
  longestGap: whole64, breaks: whole64, drops: whole64
})

const device = object({
  name: text, bus: u16, vendor: u16, product: u16, version: u16, x: axis, y: axis,
  transform: value => list(number)(value) && value.length === 6
}, { uniq: text, phys: text, firmware: text, pressure: axis, distance: axis, selfTest })

const area = value => list(whole64)(value) && value.length === 4

const screen = object({ width: whole64, height: whole64, pixelsPerMillimetre: number, signingArea: area }, {
  clampedLast: truth,
  penLook: object({ pressure: text, switches: list(text) },
    { width: number, panelScatter: number, color: text, paper: text })
})

const request = object({ prompt: list(text) }, {
  rows: list(object({ label: text, value: text })), signer: text, reason: text,
  document: object({}, { reference: text, sha256: digest, computed: truth }), data: texts, language: text,
  operator: text
})

const question = object({ name: text, kind: oneOf("check", "choice", "rating", "note"), text },
  { heading: text, choices: list(text), required: truth, person: text })

const field = object({
  name: text, kind: oneOf("signature", "initials", "check", "choice", "date", "name"), person: whole64, page: whole64,
  rectangle: list(number), required: truth
}, { label: text, value: text, field: text })

/** Of which the panel has made the document. */
const original = object({ bytes: whole(1, 48 * 2 ** 20), sha256: digest }, {})

const flow = object({}, {
  document: object({ bytes: whole(0, 48 * 2 ** 20), pages: whole(1, 500), renderer: text, fields: list(field) }, {
    missingFonts: list(text), warnings: list(text), values: texts,
    pictures: original, flattened: original,
    policy: object({}, { mustSeeAllPages: truth, minimumSeconds: number, requireAnswers: truth })
  }),
  questions: list(question), people: list(object({ role: text }, { name: text, sees: text })),
  declineReasons: list(text), alternatives: list(oneOf("confirmed", "mark", "representative", "typed"))
})

export const header = object({
  format: oneOf("inkpanel-capture"), version: whole(1, 2), id: captureID, startedAt: whole64,
  startedAtDeviceTime: whole64, program: text,
  devices: value => list(device)(value) && value.length > 0, screen, request
}, {
  sequence: whole(1, 2 ** 53 - 1), clockSynchronized: truth, clockMaximumError: whole64,
  date: object({ text, offsetSeconds: whole64 }, { zone: text }), panel: text,
  missingGlyphs: list(object({ text, characters: list(text) })),
  shows: object({ prompt: truth, signer: truth, reason: truth, date: truth }), askedBy: role,
  machine: object({}, { boot: text, id: text, kernel: text, key: text }), flow
})

// Lines

const place = value => typeof value === "number" && value >= 0 && value <= 1e6
const edge = object({ t: whole64, x: place, y: place },
  { pressure: value => number(value) && value >= 0 && value <= 1 })
const tool = { tool: text, serial: whole(0, 2 ** 32 - 1) }

/** Without its samples. */
export const stroke = object({ device: whole64, pen: text }, { ...tool, enters: edge, leaves: edge })
export const inAir = object({ device: whole64 }, tool)
export const isPlace = value => Array.isArray(value) && value.length === 2 && value.every(place)
export const isSample = value => Array.isArray(value) && (value.length === 3 || value.length === 4)
  && whole64(value[0]) && whole32(value[1]) && whole32(value[2]) && (value.length === 3 || whole32(value[3]))

const side = whole(1, 1_000_000)
const rectangle = value => list(whole64)(value) && value.length === 4

/** The events of records with several pages. @type {{[name: string]: import("./shape.js").Shape}} */
export const events = {
  person: whole64,
  page: object({ number: whole64, width: side, height: side, sha256: digest }),
  view: object({ parts: value => list(object({ page: whole64, rect: rectangle }))(value) && value.length > 0 }),
  answer: object({ name: text }, { checked: truth, choice: text, rating: whole(1, 5) }),
  field: object({ name: text, person: whole64, signingArea: area }),
  accepted: object({ name: text }, { same: text }),
  instead: object({
    name: text, part: oneOf("mark", "witness1", "witness2", "representative"), person: whole64, signingArea: area
  }, { words: text }),
  confirmed: object({ name: text, words: text }, { heard: truth }),
  typed: object({
    name: text, words: text, entered: object({ name: text, by: oneOf("person", "staff") }, { reason: text })
  }, { heard: truth, host: truth }),
  glass: object({ sha256: digest }, { fonts: list(text) })
}

const byteCount = value => new TextEncoder().encode(value).length
const few = shape => value => list(shape)(value) && value.length <= 32
/** Left, lower, right and upper edge in points. */
const isBox = value => list(number)(value) && value.length === 4 && value.every(edge => edge >= -1e6 && edge <= 1e6)
  && value[0] <= value[2] && value[1] <= value[3]

export const action = oneOf("undo", "redo", "clear")
export const spoken = value => text(value) && value !== "" && byteCount(value) <= 4096

export const end = object({
  outcome: oneOf("accepted", "cancelled", "timedOut"), endedAt: whole64,
  quality: object({ drops: whole64, ignoredContacts: whole64 }, {
    reportRate: number, longestGap: whole64, latency: object({ p50: number, p95: number, p99: number })
  })
}, {
  shown: object({ page: digest, signed: digest, from: whole64, until: whole64, fonts: list(text) }),
  reading: list(object({ pages: list(whole64), toEnd: truth, seconds: value => number(value) && value >= 0 })),
  check: object({}, {
    second: value => text(value) && value !== "" && byteCount(value) <= 64,
    differences: few(object({ page: whole64, rectangle: isBox })),
    notDrawn: few(object({ page: whole64, text: value => text(value) && byteCount(value) <= 256 })),
    redrawn: truth
  })
})
