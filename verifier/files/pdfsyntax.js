// SPDX-License-Identifier: Apache-2.0
// The objects of PDF files (ISO 32000-1, 7.2 and 7.3) as values, with the places of strings.
import { FileError } from "./steps.js";

/** A name, without its slash. */
export class Name {
    /** @param {string} text */
    constructor(text) {
        this.text = text;
    }
}

/** A string, and where it was: `start` is that of its bracket, `end` is behind the other one. */
export class PDFString {
    /** @param {Uint8Array} bytes @param {number} start @param {number} end @param {boolean} isHex */
    constructor(bytes, start, end, isHex) {
        [this.bytes, this.start, this.end, this.isHex] = [bytes, start, end, isHex];
    }

    /** @returns {string} of UTF-16, UTF-8 or, as most others, Latin 1 */
    get text() {
        const [a, b, c] = this.bytes;
        if (a === 0xfe && b === 0xff) return new TextDecoder("utf-16be").decode(this.bytes);
        if (a === 0xef && b === 0xbb && c === 0xbf) return new TextDecoder().decode(this.bytes);
        return Array.from(this.bytes, (byte) => String.fromCharCode(byte)).join("");
    }
}

/** A reference to another object. */
export class Reference {
    /** @param {number} number @param {number} generation */
    constructor(number, generation) {
        [this.number, this.generation] = [number, generation];
    }
}

/** A stream: its dictionary and where its bytes begin. */
export class Stream {
    /** @param {Map<string, any>} dictionary @param {number} start */
    constructor(dictionary, start) {
        [this.dictionary, this.start] = [dictionary, start];
    }
}

/** A word that is no value, such as `obj`. */
class Word {
    /** @param {string} text */
    constructor(text) {
        this.text = text;
    }
}

const DEEPEST = 60;
/** Bytes of a string, and values of an array. */
const LONGEST = 4 << 20;
const SPACES = new Set([0, 9, 10, 12, 13, 32]);
const DELIMITERS = new Set(Array.from("()<>[]{}/%", (c) => c.charCodeAt(0)));
const END_ARRAY = new Word("]");
const END_DICTIONARY = new Word(">>");

/** Reads objects one after the other. */
export class Reader {
    /** @param {Uint8Array} bytes @param {number} at */
    constructor(bytes, at) {
        this.bytes = bytes;
        this.at = at;
    }

    /** Passes over white space and comments. */
    skip() {
        for (; this.at < this.bytes.length; this.at++) {
            const byte = this.bytes[this.at];
            if (byte === 0x25) {
                while (this.at < this.bytes.length && ![10, 13].includes(this.bytes[this.at])) this.at++;
                this.at--;
            } else if (!SPACES.has(byte)) return;
        }
    }

    /** @returns {any} a value */
    value(depth = 0) {
        const value = this.token(depth);
        if (value instanceof Word) throw bad(`“${value.text.slice(0, 20)}” is no value`);
        return value;
    }

    /** @param {string} text */
    expect(text) {
        const word = this.token();
        if (!(word instanceof Word) || word.text !== text) throw bad(`“${text}” is missing at byte ${this.at}`);
    }

    /** @returns {number} */
    whole() {
        const number = this.token(0, false);
        if (!Number.isSafeInteger(number) || number < 0) throw bad(`a number is missing at byte ${this.at}`);
        return number;
    }

    /** Whether a word follows, which is then passed over. @param {string} text */
    has(text) {
        const before = this.at;
        const word = this.token(0, false);
        if (word instanceof Word && word.text === text) return true;
        this.at = before;
        return false;
    }

    /** `NUMBER GENERATION obj VALUE`. @returns {import("./pdffile.js").PDFObject} */
    object() {
        const [number, generation] = [this.whole(), this.whole()];
        this.expect("obj");
        let value = this.value();
        if (value instanceof Map) {
            const before = this.at;
            this.skip();
            const word = String.fromCharCode(...this.bytes.subarray(this.at, this.at + 6));
            if (word === "stream") {
                this.at += 6;
                if (this.bytes[this.at] === 13) this.at++;
                if (this.bytes[this.at] !== 10) throw bad(`a stream has no line of its own at byte ${this.at}`);
                value = new Stream(value, ++this.at);
            } else this.at = before;
        }
        return { number, generation, value };
    }

    /** A value, or a word. @returns {any} */
    token(depth = 0, withReferences = true) {
        this.skip();
        const { bytes } = this;
        const byte = bytes[this.at];
        if (byte === undefined) throw bad("it ends within an object");
        if (byte === 0x2f) return this.name();
        if (byte === 0x28) return this.literal();
        if (byte === 0x3c) return bytes[this.at + 1] === 0x3c ? this.dictionary(depth) : this.hexadecimal();
        if (byte === 0x5b) return this.array(depth);
        if (byte === 0x5d) return this.at++, END_ARRAY;
        if (byte === 0x3e && bytes[this.at + 1] === 0x3e) return (this.at += 2), END_DICTIONARY;
        const start = this.at;
        while (this.at < bytes.length && !SPACES.has(bytes[this.at]) && !DELIMITERS.has(bytes[this.at])) this.at++;
        if (this.at === start || this.at - start > 200) throw bad(`there is no object at byte ${start}`);
        const text = String.fromCharCode(...bytes.subarray(start, this.at));
        if (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) {
            return (withReferences && /^\d+$/.test(text) && this.reference(Number(text))) || Number(text);
        }
        if (text === "true" || text === "false") return text === "true";
        return text === "null" ? null : new Word(text);
    }

    /** @returns {Reference|undefined} what follows a number, if it makes one */
    reference(/** @type {number} */ number) {
        const match = /^[\0\t\n\f\r ]{1,20}(\d{1,5})[\0\t\n\f\r ]{1,20}R(?![^\0\t\n\f\r ()<>[\]{}/%])/.exec(
            String.fromCharCode(...this.bytes.subarray(this.at, this.at + 50)));
        if (!match) return undefined;
        this.at += match[0].length;
        return new Reference(number, Number(match[1]));
    }

    name() {
        let text = "";
        for (this.at++; this.at < this.bytes.length; this.at++) {
            let byte = this.bytes[this.at];
            if (SPACES.has(byte) || DELIMITERS.has(byte)) break;
            if (byte === 0x23) {
                const code = String.fromCharCode(...this.bytes.subarray(this.at + 1, this.at + 3));
                if (/^[0-9A-Fa-f]{2}$/.test(code)) {
                    byte = parseInt(code, 16);
                    this.at += 2;
                }
            }
            text += String.fromCharCode(byte);
            if (text.length > 1000) throw bad("a name is too long");
        }
        return new Name(text);
    }

    literal() {
        const start = this.at;
        const { bytes } = this;
        const found = [];
        let open = 0;
        const escapes = { 0x6e: 10, 0x72: 13, 0x74: 9, 0x62: 8, 0x66: 12 };
        for (; this.at < bytes.length; this.at++) {
            let byte = bytes[this.at];
            if (byte === 0x28 && open++ === 0) continue;
            if (byte === 0x29 && --open === 0) return new PDFString(Uint8Array.from(found), start, ++this.at, false);
            if (byte === 13) {
                // Line ends in strings count as LF.
                if (bytes[this.at + 1] === 10) this.at++;
                byte = 10;
            } else if (byte === 0x5c) {
                byte = bytes[++this.at];
                if (byte === 13 || byte === 10) {
                    if (byte === 13 && bytes[this.at + 1] === 10) this.at++;
                    continue;
                }
                if (byte >= 0x30 && byte < 0x38) {
                    let code = 0;
                    for (let i = 0; i < 3 && bytes[this.at] >= 0x30 && bytes[this.at] < 0x38; i++)
                        code = code * 8 + bytes[this.at++] - 0x30;
                    this.at--;
                    byte = code & 255;
                } else byte = escapes[byte] ?? byte;
            }
            found.push(byte);
            if (found.length > LONGEST) throw bad("a string is too long");
        }
        throw bad("a string has no end");
    }

    hexadecimal() {
        const start = this.at++;
        const digits = [];
        for (; this.at < this.bytes.length; this.at++) {
            const byte = this.bytes[this.at];
            if (byte === 0x3e) {
                if (digits.length % 2) digits.push(0);
                const pair = (/** @type {any} */ _, /** @type {number} */ i) => digits[2 * i] * 16 + digits[2 * i + 1];
                const bytes = Uint8Array.from({ length: digits.length / 2 }, pair);
                return new PDFString(bytes, start, ++this.at, true);
            }
            if (SPACES.has(byte)) continue;
            const digit = byte < 0x3a ? byte - 0x30 : (byte | 32) - 0x57;
            if (!(digit >= 0 && digit < 16) || (byte >= 0x3a && digit < 10))
                throw bad("a string in hexadecimal has another character");
            digits.push(digit);
            if (digits.length > 2 * LONGEST) throw bad("a string is too long");
        }
        throw bad("a string has no end");
    }

    array(/** @type {number} */ depth) {
        if (depth > DEEPEST) throw bad("its objects are nested too deeply");
        this.at++;
        const found = [];
        for (;;) {
            const value = this.token(depth + 1);
            if (value === END_ARRAY) return found;
            if (value instanceof Word) throw bad("an array has no end");
            if (found.push(value) > LONGEST) throw bad("an array is too long");
        }
    }

    dictionary(/** @type {number} */ depth) {
        if (depth > DEEPEST) throw bad("its objects are nested too deeply");
        this.at += 2;
        const found = new Map();
        for (;;) {
            const key = this.token(depth + 1);
            if (key === END_DICTIONARY) return found;
            if (!(key instanceof Name)) throw bad("a dictionary has a key that is no name");
            const value = this.value(depth + 1);
            // Readers do not agree which of two counts.
            if (found.has(key.text)) throw bad("a dictionary has a key twice");
            if (value !== null) found.set(key.text, value);
        }
    }
}

export function bad(/** @type {string} */ reason) {
    return new FileError("pdf", `The PDF file is not understood: ${reason}`);
}
