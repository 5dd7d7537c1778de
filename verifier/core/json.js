// SPDX-License-Identifier: Apache-2.0
/**
 * JSON in the one way that every reader of a record must read it (docs/record.md, "Reading").
 *
 * Objects have no prototype. Whole numbers beyond 2^53 are BigInt, so that none is rounded.
 */
import { Fault } from "./bytes.js"

const DEEPEST = 16
const LONGEST_NUMBER = 64
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y
const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }
const LITERALS = [["true", true], ["false", false]]
const LARGEST = 2n ** 63n
const SAFE = 2n ** 53n

/** A parser of one text that can rest between two values. */
export class JSONParser {
  /** @param {string} text */
  constructor(text) {
    this.text = text
    this.at = 0
    /** The lists and objects that are open. @type {{value: any, name?: string, names?: Set<string>}[]} */
    this.open = []
    this.isDone = false
    /** @type {any} */
    this.value = undefined
  }

  /** Reads on. @param {number} count  of values at most  @returns {boolean} whether all is read */
  run(count) {
    while (!this.isDone && count-- > 0) {
      const value = this.begin()
      if (value !== undefined) this.add(value)
    }
    return this.isDone
  }

  skip() {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 32 && code !== 9 && code !== 10 && code !== 13) return
      this.at++
    }
  }

  /** Reads a value, or the beginning of one that is not empty: then undefined. */
  begin() {
    this.skip()
    const letter = this.text[this.at]
    if (letter === "[" || letter === "{") {
      if (this.open.length >= DEEPEST) throw new Fault("it is nested deeper than 16")
      this.at++
      this.skip()
      const isList = letter === "["
      const value = isList ? [] : Object.create(null)
      if (this.text[this.at] === (isList ? "]" : "}")) {
        this.at++
        return value
      }
      this.open.push(isList ? { value } : { value, names: new Set() })
      if (!isList) this.name()
      return undefined
    }
    if (letter === '"') return this.string()
    if (letter === "-" || letter >= "0" && letter <= "9") return this.number()
    for (const [word, value] of LITERALS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length
        return value
      }
    }
    throw new Fault(this.text.startsWith("null", this.at) ? "a value is null" : "it is not JSON")
  }

  /** Puts a value where it belongs, and all that it completes. */
  add(value) {
    for (;;) {
      this.skip()
      const last = this.open.at(-1)
      if (!last) {
        if (this.at < this.text.length) throw new Fault("something follows the value of JSON")
        this.value = value
        this.isDone = true
        return
      }
      const letter = this.text[this.at++]
      if (last.names) {
        last.value[last.name] = value
        if (letter === ",") return this.name()
        if (letter !== "}") throw new Fault("it is not JSON")
      } else {
        last.value.push(value)
        if (letter === ",") return
        if (letter !== "]") throw new Fault("it is not JSON")
      }
      value = last.value
      this.open.pop()
    }
  }

  name() {
    this.skip()
    if (this.text[this.at] !== '"') throw new Fault("it is not JSON")
    const last = this.open.at(-1)
    last.name = this.string()
    const form = last.name.normalize("NFC")
    if (last.names.has(form)) throw new Fault("a name is there twice in one object")
    last.names.add(form)
    this.skip()
    if (this.text[this.at++] !== ":") throw new Fault("it is not JSON")
  }

  string() {
    const start = ++this.at
    let whole = ""
    let from = start
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (Number.isNaN(code) || code < 0x20) throw new Fault("a text has no end, or a control character")
      if (code === 0x22) break
      if (code !== 0x5c) {
        this.at++
        continue
      }
      whole += this.text.slice(from, this.at)
      const letter = this.text[this.at + 1]
      if (letter === "u") {
        const digits = this.text.slice(this.at + 2, this.at + 6)
        if (!/^[0-9A-Fa-f]{4}$/.test(digits)) throw new Fault("it is not JSON")
        whole += String.fromCharCode(parseInt(digits, 16))
        this.at += 6
      } else {
        if (!Object.hasOwn(ESCAPES, letter ?? "")) throw new Fault("it is not JSON")
        whole += ESCAPES[letter]
        this.at += 2
      }
      from = this.at
    }
    whole += this.text.slice(from, this.at++)
    // With the flag u, only half of a pair is one.
    if (/[\ud800-\udfff]/u.test(whole)) throw new Fault("a text has half of a surrogate pair")
    // To compare names, they are sorted, which takes the square of their count.
    if (/\p{M}{101}/u.test(whole)) throw new Fault("a text has more than 100 combining marks in a row")
    return whole
  }

  number() {
    NUMBER.lastIndex = this.at
    const match = NUMBER.exec(this.text)
    if (!match) throw new Fault("it is not JSON")
    const [text, fraction, exponent] = match
    this.at += text.length
    const value = Number(text)
    if (fraction === undefined && exponent === undefined && text.length < 16) return value
    if (text.length > LONGEST_NUMBER) throw new Fault("a number has more than 64 characters")
    if (fraction !== undefined || exponent !== undefined) {
      const isZero = !/[1-9]/.test(text.split(/[eE]/)[0])
      if (!Number.isFinite(value) || value === 0 && !isZero) throw new Fault("no double is near a number")
      return value
    }
    const exact = BigInt(text)
    if (exact < -LARGEST || exact >= LARGEST) throw new Fault("a whole number has more than 64 bits")
    return exact > SAFE || exact < -SAFE ? exact : value
  }
}

/** @param {string} text */
export function readJSON(text) {
  const parser = new JSONParser(text)
  parser.run(Infinity)
  return parser.value
}

/** JSON with sorted members and without spaces; for objects of texts, numbers, truth values, lists and objects. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value === "object") {
    return `{${Object.keys(value).sort().map(name => `${canonical(name)}:${canonical(value[name])}`).join(",")}}`
  }
  if (typeof value === "string") return JSON.stringify(value)
  return Object.is(value, -0) ? "-0" : String(value)
}

/** A copy in which all numbers are doubles. */
export function withDoubles(value) {
  if (typeof value === "bigint") return Number(value)
  if (Array.isArray(value)) return value.map(withDoubles)
  if (typeof value !== "object") return value
  const copy = Object.create(null)
  for (const name of Object.keys(value)) copy[name] = withDoubles(value[name])
  return copy
}
