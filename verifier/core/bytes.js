// SPDX-License-Identifier: Apache-2.0
/** Bytes, digests and Base64. */

const encoder = new TextEncoder()
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Why something cannot be read. Its message is a phrase of ours: nothing in it comes from a file. */
export class Fault extends Error {
  /** @param {string} message  @param {{line?: number, n?: number}} [values] */
  constructor(message, values = {}) {
    super(message)
    this.values = values
  }
}

/** @param {unknown} holds  @param {string} otherwise  @param {{line?: number}} [values] */
export function demand(holds, otherwise, values) {
  if (!holds) throw new Fault(otherwise, values)
}

/** @param {string} text */
export const bytesOf = text => encoder.encode(text)

/** The text of bytes that are UTF-8. @param {Uint8Array} bytes */
export function textOf(bytes) {
  try { return strict.decode(bytes) } catch { throw new Fault("its text is not UTF-8") }
}

/** One character for each byte. @param {Uint8Array} bytes */
export function latin1(bytes) {
  let text = ""
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return text
}

/** @param {Uint8Array} one  @param {Uint8Array} other */
export const areEqual = (one, other) => one.length === other.length && one.every((byte, at) => byte === other[at])

/** @param {Uint8Array} bytes  @param {string} text  in ASCII */
export function startsWith(bytes, text) {
  for (let at = 0; at < text.length; at++) if (bytes[at] !== text.charCodeAt(at)) return false
  return true
}

/** @param {Uint8Array[]} parts */
export function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** @param {Uint8Array} bytes */
export const hex = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("")

/** SHA-256 in lower-case hexadecimal digits. @param {Uint8Array} bytes */
export async function sha256(bytes) {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)))
}

/** @param {Uint8Array} bytes */
export const base64 = bytes => btoa(latin1(bytes))

/** The bytes of padded Base64, which has one form only; null for anything else. @param {string} text */
export function fromBase64(text) {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return null
  try {
    const letters = atob(text)
    // Bits that no byte has could be other ones.
    return btoa(letters) === text ? Uint8Array.from(letters, letter => letter.charCodeAt(0)) : null
  } catch {
    return null
  }
}
