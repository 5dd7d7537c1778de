// SPDX-License-Identifier: Apache-2.0
// DER (ITU-T X.690), as far as signatures and certificates need it.
import { FileError, latin1 } from "./steps.js";

export const SEQUENCE = 0x30;
export const SET = 0x31;
export const INTEGER = 2;
export const BIT_STRING = 3;
export const OCTET_STRING = 4;
export const OID = 6;

/** An element: its tag, its bytes with the header (`raw`), and its content. */
export class Element {
    /** @param {Uint8Array} raw @param {number} header */
    constructor(raw, header) {
        this.tag = raw[0];
        this.raw = raw;
        this.content = raw.subarray(header);
    }

    /** The elements inside. @returns {Element[]} */
    get children() {
        const found = [];
        for (let at = 0; at < this.content.length; ) {
            const element = read(this.content, at);
            found.push(element);
            at += element.raw.length;
        }
        return found;
    }

    /** @returns {string} an object identifier, such as 1.2.840.10045.2.1 */
    get oid() {
        const numbers = [];
        let value = 0;
        for (const byte of this.as(OID).content) {
            value = value * 128 + (byte & 127);
            if (value > 2 ** 46) throw bad("a number of an identifier is too large");
            if (byte & 128) continue;
            const first = Math.min(2, Math.floor(value / 40));
            if (numbers.length === 0) numbers.push(first, value - 40 * first);
            else numbers.push(value);
            value = 0;
        }
        return numbers.join(".");
    }

    /** @param {number} tag */
    as(tag) {
        if (this.tag !== tag) throw bad(`a tag is ${this.tag}, not ${tag}`);
        return this;
    }
}

/** @param {Uint8Array} bytes @param {number} [at] @returns {Element} the element that begins there */
export function read(bytes, at = 0) {
    if (at + 2 > bytes.length || (bytes[at] & 31) === 31) throw bad("an element is cut, or has a long tag");
    let length = bytes[at + 1];
    let header = 2;
    if (length >= 128) {
        const count = length & 127;
        // Indefinite lengths (BER), and lengths in more bytes than they need.
        if (count === 0 || count > 4 || at + 2 + count > bytes.length) throw bad("a length is not DER");
        length = 0;
        for (let i = 0; i < count; i++) length = length * 256 + bytes[at + 2 + i];
        if (length < 128 || length < 2 ** (8 * (count - 1))) throw bad("a length is not DER");
        header += count;
    }
    if (at + header + length > bytes.length) throw bad("an element is cut");
    return new Element(bytes.subarray(at, at + header + length), header);
}

/** A time: seconds since 1970, UTC. @param {Element} element @returns {number|undefined} */
export function time(element) {
    const match = /^(\d{2}|\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/.exec(latin1(element.content));
    if (!match) return undefined;
    let year = Number(match[1]);
    if (element.tag === 0x17) year += year < 50 ? 2000 : 1900;
    return Date.UTC(year, Number(match[2]) - 1, ...match.slice(3).map(Number)) / 1000;
}

/** The text of a string of any usual type. @param {Element} element @returns {string} */
export function text(element) {
    const encoding = { 12: "utf-8", 30: "utf-16be" }[element.tag] ?? "latin1";
    return new TextDecoder(encoding).decode(element.content);
}

/** @param {Uint8Array} a @param {Uint8Array} b */
export function same(a, b) {
    return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

export function bad(/** @type {string} */ reason) {
    return new FileError("cms", `The signature cannot be read: ${reason}`);
}
