// SPDX-License-Identifier: Apache-2.0
// Opens files in the format of age (c2sp.org/age, version 1) with X25519 identities. Other recipients are passed over.
import { openChaChaPoly } from "./chacha.js";
import { FileError, Steps, joined, latin1 } from "./steps.js";
import { x25519 } from "./x25519.js";

const VERSION = "age-encryption.org/v1";
const ARMOR = "-----BEGIN AGE ENCRYPTED FILE-----";
const ARMOR_END = "-----END AGE ENCRYPTED FILE-----";
/** About 650 recipients: each costs time before the header can be checked. */
const LONGEST_HEADER = 64 << 10;
const LONGEST_FILE = 256 << 20;
const MOST_IDENTITIES = 20;
const CHUNK = 64 << 10;
const TAG = 16;

/** @param {Uint8Array} bytes */
export function isAge(bytes) {
    const start = latin1(bytes.subarray(0, ARMOR.length));
    return start.startsWith("age-encryption.org/") || start === ARMOR;
}

/**
 * @param {Uint8Array} bytes the file, also as armoured text
 * @param {string} identity one or more lines `AGE-SECRET-KEY-1...`; empty lines and those with # are passed over
 * @param {import("./steps.js").WorkOptions} [options]
 * @returns {Promise<Uint8Array>}
 * @throws {FileError} `identity`: not a secret key of age; `otherRecipient`: the file is for others; `ageTooLarge`;
 *     `ageKind`: a key or a file for a passphrase, a plugin or another kind of keys; `ageFile`: changed or cut
 */
export async function decrypt(bytes, identity, options = {}) {
    const identities = await readIdentities(identity);
    if (bytes.length > LONGEST_FILE) throw new FileError("ageTooLarge", "The encrypted file is too large");
    const file = latin1(bytes.subarray(0, ARMOR.length)) === ARMOR ? unarmored(bytes) : bytes;
    const header = readHeader(file);
    const steps = new Steps(options);
    const fileKey = await unwrapped(header.stanzas, identities, steps);
    if (!fileKey) {
        if (header.stanzas.every((stanza) => stanza.arguments[0] !== "X25519")) throw otherKind();
        throw new FileError("otherRecipient", "The file is encrypted for other keys than this one");
    }
    const macKey = await derived(fileKey, new Uint8Array(0), "header");
    const hmac = await crypto.subtle.importKey("raw", macKey, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    if (!(await crypto.subtle.verify("HMAC", hmac, header.code, file.subarray(0, header.authenticated))))
        throw broken("its header does not fit its authentication code");
    const payload = file.subarray(header.length);
    if (payload.length < 16) throw broken("its header is followed by no payload");
    const key = await derived(fileKey, payload.subarray(0, 16), "payload");
    return await openChunks(payload.subarray(16), key, steps);
}

/** How many keys open a file; 0 if its header cannot be read. @param {Uint8Array} bytes @returns {number} */
export function recipientCount(bytes) {
    try {
        const file = latin1(bytes.subarray(0, ARMOR.length)) === ARMOR ? unarmored(bytes) : bytes;
        // Some programs add stanzas that open nothing, so that others accept unknown ones.
        return readHeader(file).stanzas.filter((stanza) => !stanza.arguments[0].endsWith("-grease")).length;
    } catch {
        return 0;
    }
}

/** @returns {Promise<Uint8Array>} */
async function openChunks(/** @type {Uint8Array} */ sealed, /** @type {Uint8Array} */ key, /** @type {Steps} */ steps) {
    const parts = [];
    let start = 0;
    for (let index = 0; ; index++) {
        const end = Math.min(sealed.length, start + CHUNK + TAG);
        const isLast = end === sealed.length;
        const nonce = new Uint8Array(12);
        new DataView(nonce.buffer).setUint32(7, index);
        nonce[11] = isLast ? 1 : 0;
        const chunk = openChaChaPoly(key, nonce, sealed.subarray(start, end));
        // An empty last chunk would be another file for the same contents.
        if (!chunk || (index > 0 && chunk.length === 0))
            throw broken(`its payload is changed or cut, in or after chunk ${index + 1} of 64 KiB`);
        parts.push(chunk);
        if (isLast) return joined(parts);
        start = end;
        await steps.step(start / sealed.length);
    }
}

/** HKDF-SHA-256 with 32 bytes of output. @returns {Promise<Uint8Array>} */
async function derived(/** @type {Uint8Array} */ secret, /** @type {Uint8Array} */ salt, /** @type {string} */ info) {
    const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
    const parameters = { name: "HKDF", hash: "SHA-256", salt, info: new TextEncoder().encode(info) };
    return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, 256));
}

// MARK: Header

/** @typedef {{arguments: string[], body: Uint8Array}} Stanza */

/** @returns {{stanzas: Stanza[], code: Uint8Array, authenticated: number, length: number}} */
function readHeader(/** @type {Uint8Array} */ file) {
    const text = latin1(file.subarray(0, LONGEST_HEADER));
    let offset = 0;
    const line = () => {
        const end = text.indexOf("\n", offset);
        if (end < 0) throw broken("its header is cut, too long, or it is no age file");
        const found = text.slice(offset, end);
        offset = end + 1;
        return found;
    };
    const version = line();
    if (/^age-encryption\.org\/v(?!1$)[0-9]+$/.test(version)) throw otherKind();
    if (version !== VERSION) throw broken("its header is not that of age, version 1");
    /** @type {Stanza[]} */
    const stanzas = [];
    for (;;) {
        const start = offset;
        const first = line();
        if (first.startsWith("-> ")) {
            const parts = first.slice(3).split(" ");
            if (!parts.every((part) => /^[\x21-\x7e]+$/.test(part)))
                throw broken("its header has a recipient with an invalid argument");
            const body = [];
            for (let next = ""; ; ) {
                next = line();
                if (next.length > 64) throw broken("its header has a recipient with an invalid body");
                body.push(base64(next));
                if (next.length < 64) break;
            }
            stanzas.push({ arguments: parts, body: joined(body) });
            continue;
        }
        if (stanzas.length === 0 || !first.startsWith("--- "))
            throw broken("its header has a line that is no recipient and no authentication code");
        const code = base64(first.slice(4));
        if (code.length !== 32) throw broken("its header has an invalid authentication code");
        return { stanzas, code, authenticated: start + 3, length: offset };
    }
}

/**
 * @param {Stanza[]} stanzas @param {{secret: Uint8Array, point: Uint8Array}[]} identities @param {Steps} steps
 * @returns {Promise<Uint8Array|undefined>} the file key
 */
async function unwrapped(stanzas, identities, steps) {
    // A passphrase is meant to prove who wrote the file, which another recipient could undermine.
    if (stanzas.length > 1 && stanzas.some((stanza) => stanza.arguments[0] === "scrypt"))
        throw broken("its header has a passphrase and other recipients");
    let fileKey;
    for (const stanza of stanzas) {
        if (stanza.arguments[0] !== "X25519") continue;
        const share = stanza.arguments.length === 2 ? base64(stanza.arguments[1]) : new Uint8Array(0);
        if (share.length !== 32 || stanza.body.length !== 32)
            throw broken("its header has an invalid X25519 recipient");
        for (const { secret, point } of identities) {
            await steps.step();
            if (fileKey) break;
            const shared = await x25519(secret, share);
            if (!shared) throw broken("its header has an X25519 recipient of low order");
            const key = await derived(shared, joined([share, point]), `${VERSION}/X25519`);
            fileKey = openChaChaPoly(key, new Uint8Array(12), stanza.body);
        }
    }
    return fileKey;
}

// MARK: Texts

const LONGEST_IDENTITIES = 16 << 10;
const PREFIX = "age-secret-key-";

/** Lines of keys, without comments. @returns {string[]} */
const linesOf = (/** @type {string} */ text) =>
    text.split(/\r?\n|\r/).map((line) => line.trim()).filter((line) => line && !line.startsWith("#"));

/** Keys of other kinds, such as for several algorithms at once (age 1.3) or for plugins. */
const OTHER_KEY = /^(?:AGE-SECRET-KEY-[A-Z]+-1|AGE-PLUGIN-|-----BEGIN [A-Z ]*PRIVATE KEY-----)/i;

/** Whether a file has a secret key that is not used here. */
export const isOtherIdentity = (/** @type {Uint8Array} */ bytes) =>
    bytes.length <= LONGEST_IDENTITIES && linesOf(latin1(bytes)).some((line) => OTHER_KEY.test(line));

/** The keys in what was typed or pasted into one line, also in groups as on paper. @param {string} typed */
export function keysIn(typed) {
    return typed.replace(/\s/g, "").match(/AGE-SECRET-KEY-1[0-9A-Z]{58}/gi)?.join("\n") ?? typed;
}

/** Whether a file is nothing but secret keys and comments, in any language: what only begins like one may be evidence. */
export function isIdentity(/** @type {Uint8Array} */ bytes) {
    if (bytes.length > LONGEST_IDENTITIES) return false;
    const text = latin1(bytes);
    const lines = linesOf(text);
    return /^[^\0-\x08\x0b\x0c\x0e-\x1f\x7f]*$/.test(text) && lines.length > 0 &&
        lines.every((line) => bech32(line, PREFIX)?.length === 32);
}

/** @returns {Promise<{secret: Uint8Array, point: Uint8Array}[]>} */
async function readIdentities(/** @type {string} */ text) {
    const lines = linesOf(text);
    if (lines.length === 0 || lines.length > MOST_IDENTITIES)
        throw new FileError("identity", `An identity has 1 to ${MOST_IDENTITIES} lines AGE-SECRET-KEY-1...`);
    const identities = [];
    for (const line of lines) {
        if (OTHER_KEY.test(line)) throw otherKind();
        const secret = bech32(line, PREFIX);
        const point = secret && secret.length === 32 ? await x25519(secret) : undefined;
        // Says nothing of the line, which is a secret.
        if (!secret || !point) throw new FileError("identity", "This is no secret key of age (AGE-SECRET-KEY-1...)");
        identities.push({ secret, point });
    }
    return identities;
}

/** Bech32 (BIP 173) without its limit of length. @returns {Uint8Array|undefined} */
function bech32(/** @type {string} */ text, /** @type {string} */ prefix) {
    if (text !== text.toUpperCase() && text !== text.toLowerCase()) return undefined;
    const lower = text.toLowerCase();
    if (!lower.startsWith(`${prefix}1`)) return undefined;
    const digits = Array.from(lower.slice(prefix.length + 1), (c) => "qpzry9x8gf2tvdw0s3jn54khce6mua7l".indexOf(c));
    if (digits.length < 6 || digits.length > 200 || digits.includes(-1)) return undefined;
    const codes = Array.from(prefix, (c) => c.charCodeAt(0));
    let sum = 1;
    for (const value of [...codes.map((c) => c >> 5), 0, ...codes.map((c) => c & 31), ...digits]) {
        const top = sum >>> 25;
        sum = ((sum & 0x1ffffff) << 5) ^ value;
        [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3].forEach((generator, i) => {
            if ((top >> i) & 1) sum ^= generator;
        });
    }
    if (sum !== 1) return undefined;
    const bytes = [];
    let [bits, count] = [0, 0];
    for (const digit of digits.slice(0, -6)) {
        bits = ((bits << 5) | digit) & 0xfff;
        count += 5;
        if (count >= 8) {
            count -= 8;
            bytes.push((bits >> count) & 255);
        }
    }
    return count < 5 && (bits & ((1 << count) - 1)) === 0 ? Uint8Array.from(bytes) : undefined;
}

/** Base64 without padding, in its one form. @returns {Uint8Array} */
function base64(/** @type {string} */ text) {
    if (!/^[A-Za-z0-9+/]*$/.test(text) || text.length % 4 === 1) throw broken("its header has invalid Base64");
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    if (btoa(latin1(bytes)).replace(/=+$/, "") !== text) throw broken("its header has invalid Base64");
    return bytes;
}

/** The bytes of armoured text (c2sp.org/age, "ASCII armor"): strict PEM, with space around it. */
function unarmored(/** @type {Uint8Array} */ bytes) {
    const lines = latin1(bytes).trimEnd().split(/\r?\n/);
    if (lines.shift() !== ARMOR || lines.pop() !== ARMOR_END) throw broken("its armour is cut");
    const isStrict = lines.every((line, i) =>
        /^[A-Za-z0-9+/]*={0,2}$/.test(line) && (i + 1 < lines.length ? line.length === 64 && !line.endsWith("=")
            : line.length > 0 && line.length <= 64 && line.length % 4 === 0));
    if (!isStrict || lines.length === 0) throw broken("its armour has an invalid line");
    const decoded = lines.map((line) => Uint8Array.from(atob(line), (c) => c.charCodeAt(0)));
    const last = decoded[decoded.length - 1];
    if (btoa(latin1(last)) !== lines[lines.length - 1]) throw broken("its armour has an invalid last line");
    return joined(decoded);
}

function otherKind() {
    return new FileError("ageKind", "This kind of key or encryption is not used here: only X25519");
}

function broken(/** @type {string} */ reason) {
    return new FileError("ageFile", `The file cannot be decrypted: ${reason}`);
}
