// SPDX-License-Identifier: Apache-2.0
// Takes ZIP archives apart (APPNOTE.TXT 6.3.10): entries that are stored or deflated. Refuses whatever two readers
// could take otherwise: the directory decides, and the entries must lie one after the other, without gaps, and say the
// same.
import { FileError, Steps, joined, latin1 } from "./steps.js";

/**
 * Most entries; most bytes of all; most bytes of the file.
 * @typedef {{entries?: number, bytes?: number, archive?: number}} ZipLimits
 */
const LIMITS = { entries: 200, bytes: 256 << 20, archive: 256 << 20 };
const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const DESCRIPTOR = 0x08074b50;
/** Extra fields that only say times and owners. Others can give an entry another name (0x7075), size or contents. */
const HARMLESS = new Set([0x5455, 0x7875, 0x000a]);

/** @param {Uint8Array} bytes */
export function isZip(bytes) {
    const start = latin1(bytes.subarray(0, 4));
    return start === "PK\x03\x04" || start === "PK\x05\x06";
}

/**
 * @param {Uint8Array} bytes the archive
 * @param {ZipLimits} [limits]
 * @param {import("./steps.js").WorkOptions} [options]
 * @returns {Promise<{name: string, bytes: Uint8Array}[]>} files in the order of the archive, without folders
 * @throws {FileError} `zipTooLarge`: beyond the limits; `zipKind`: ZIP64, encrypted, several parts, another
 *     compression or an unknown extra field; `zipName`: a name twice, outside of the archive's folder or with control characters; `zipFile`
 */
export async function unzip(bytes, limits = {}, options = {}) {
    const most = { ...LIMITS, ...limits };
    if (bytes.length > most.archive) throw new FileError("zipTooLarge", "The archive is too large");
    const steps = new Steps(options);
    const entries = readDirectory(bytes, most);
    const files = [];
    const total = entries.reduce((sum, entry) => sum + entry.size, 0);
    let done = 0;
    for (const entry of entries) {
        const data = bytes.subarray(entry.start, entry.start + entry.packed);
        const file = entry.method === 0 ? data : await inflated(data, entry.size, steps);
        if (file.length !== entry.size) throw broken("the size of an entry does not fit", entry.name);
        if ((await crc32(file, steps, done, total)) !== entry.crc)
            throw broken("the CRC of an entry does not fit", entry.name);
        done += file.length;
        if (!entry.name.endsWith("/")) files.push({ name: entry.name, bytes: file });
        else if (file.length > 0) throw broken("a folder has contents", entry.name);
    }
    return files;
}

/** @typedef {{name: string, method: number, crc: number, packed: number, size: number, start: number}} Entry */

/** @returns {Entry[]} */
function readDirectory(/** @type {Uint8Array} */ bytes, /** @type {typeof LIMITS} */ most) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    // No comment, which could hide a second end.
    const end = bytes.length - 22;
    if (end < 0 || view.getUint32(end, true) !== END || view.getUint16(end + 20, true) !== 0)
        throw broken("it does not end with its directory");
    const count = view.getUint16(end + 10, true);
    const size = view.getUint32(end + 12, true);
    const start = view.getUint32(end + 16, true);
    if (count === 0xffff || size === 0xffffffff || start === 0xffffffff) throw kind("it is a ZIP64 archive");
    if (view.getUint32(end + 4, true) !== 0 || view.getUint16(end + 8, true) !== count)
        throw kind("it has several parts");
    if (count > most.entries) throw new FileError("zipTooLarge", "The archive has too many entries", count);
    if (start + size !== end) throw broken("its directory does not lie before its end");
    /** @type {Entry[]} */
    const entries = [];
    const names = new Set();
    let [at, next, total] = [start, 0, 0];
    for (let i = 0; i < count; i++) {
        if (at + 46 > end || view.getUint32(at, true) !== CENTRAL) throw broken("its directory is damaged");
        const flags = view.getUint16(at + 8, true);
        const method = view.getUint16(at + 10, true);
        const [crc, packed, unpacked] = [16, 20, 24].map((offset) => view.getUint32(at + offset, true));
        const [nameLength, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
        const length = 46 + nameLength + extra + comment;
        if (at + length > end) throw broken("its directory is damaged");
        const raw = bytes.subarray(at + 46, at + 46 + nameLength);
        const name = checkedName(raw, flags, names);
        checkExtras(view, at + 46 + nameLength, extra, name);
        if (flags & ~0x080e) throw kind("an entry is encrypted or of an unknown kind", name);
        if (method !== 0 && method !== 8) throw kind("an entry is compressed otherwise", name);
        if (method === 0 && packed !== unpacked) throw broken("the size of an entry does not fit", name);
        total += unpacked;
        // Deflate makes at most 1032 bytes of one.
        if (total > most.bytes || unpacked > 1032 * packed + 1032)
            throw new FileError("zipTooLarge", "What the archive has is too large", name);
        const local = view.getUint32(at + 42, true);
        // Each entry begins where the one before it ends, so none overlaps, and nothing lies between.
        if (local !== next) throw broken("its entries overlap, or have bytes between them", name);
        const data = dataStart(bytes, view, local, start, { flags, method, crc, packed, unpacked, raw, name });
        next = data + packed;
        if (flags & 8) next = descriptorEnd(view, next, start, { crc, packed, unpacked, name });
        if (next > start) throw broken("an entry reaches into the directory", name);
        entries.push({ name, method, crc, packed, size: unpacked, start: data });
        at += length;
    }
    if (at !== end || next !== start) throw broken("it has bytes that belong to no entry");
    return entries;
}

/** The offset of an entry's data: its own header must say what the directory says. */
function dataStart(/** @type {Uint8Array} */ bytes, /** @type {DataView} */ view, /** @type {number} */ local,
    /** @type {number} */ limit, /** @type {any} */ entry) {
    if (local + 30 > limit || view.getUint32(local, true) !== LOCAL) throw broken("an entry has no header", entry.name);
    const data = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    if (data + entry.packed > limit) throw broken("an entry reaches into the directory", entry.name);
    const raw = bytes.subarray(local + 30, local + 30 + view.getUint16(local + 26, true));
    checkExtras(view, local + 30 + raw.length, view.getUint16(local + 28, true), entry.name);
    // With a descriptor behind the data, the header may have zeros instead.
    const fits = (/** @type {number} */ offset, /** @type {number} */ value) =>
        view.getUint32(local + offset, true) === value ||
        ((entry.flags & 8) !== 0 && view.getUint32(local + offset, true) === 0);
    if (view.getUint16(local + 6, true) !== entry.flags || view.getUint16(local + 8, true) !== entry.method ||
        latin1(raw) !== latin1(entry.raw) || !fits(14, entry.crc) || !fits(18, entry.packed) ||
        !fits(22, entry.unpacked)) throw broken("an entry and the directory differ", entry.name);
    return data;
}

/** The directory and an entry's own header have some each, and programs read either. */
function checkExtras(/** @type {DataView} */ view, /** @type {number} */ start, /** @type {number} */ length,
    /** @type {string} */ name) {
    for (let at = start; at < start + length; at += 4 + view.getUint16(at + 2, true)) {
        const isWhole = at + 4 <= start + length && at + 4 + view.getUint16(at + 2, true) <= start + length;
        if (!isWhole) throw broken("an extra field reaches beyond its header", name);
        if (!HARMLESS.has(view.getUint16(at, true))) throw kind("an entry has an unknown extra field", name);
    }
}

function descriptorEnd(/** @type {DataView} */ view, /** @type {number} */ at, /** @type {number} */ limit,
    /** @type {any} */ entry) {
    const start = at + 4 <= limit && view.getUint32(at, true) === DESCRIPTOR ? at + 4 : at;
    if (start + 12 > limit || view.getUint32(start, true) !== entry.crc ||
        view.getUint32(start + 4, true) !== entry.packed || view.getUint32(start + 8, true) !== entry.unpacked)
        throw broken("an entry and the directory differ", entry.name);
    return start + 12;
}

/** @returns {string} */
function checkedName(/** @type {Uint8Array} */ raw, /** @type {number} */ flags, /** @type {Set<string>} */ names) {
    let name;
    try {
        name = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
    } catch {
        if (flags & 0x800) throw new FileError("zipName", "An entry has a name that is not UTF-8");
        // The characters of some old system; names only tell entries apart.
        name = latin1(raw).replace(/[\x80-\xff]/g, "_");
    }
    const isPlain = raw.length > 0 && raw.length <= 255 &&
        // No control characters, no marks that turn or hide text, no drives, backslashes or ways up.
        !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\:]/u.test(name) && !name.startsWith("/") &&
        name.replace(/\/$/, "").split("/").every((part) => part !== "" && part !== "." && part !== "..");
    if (!isPlain) throw new FileError("zipName", "An entry has an impossible name");
    const key = name.replace(/\/$/, "").normalize("NFC").toLowerCase();
    if (names.has(key)) throw new FileError("zipName", "Two entries have the same name", name);
    names.add(key);
    return name;
}

/** @returns {Promise<Uint8Array>} */
async function inflated(/** @type {Uint8Array} */ data, /** @type {number} */ size, /** @type {Steps} */ steps) {
    const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const reader = stream.getReader();
    const parts = [];
    let count = 0;
    try {
        for (;;) {
            const { done, value } = await reader.read();
            if (done) return joined(parts);
            count += value.length;
            if (count > size) throw broken("an entry is larger than it says");
            parts.push(value);
            await steps.step();
        }
    } catch (error) {
        await reader.cancel().catch(() => {});
        steps.options.signal?.throwIfAborted();
        throw error instanceof FileError ? error : broken("an entry cannot be decompressed");
    }
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
});

/** The CRC-32 of ISO 3309. @returns {Promise<number>} */
async function crc32(/** @type {Uint8Array} */ bytes, /** @type {Steps} */ steps, /** @type {number} */ before,
    /** @type {number} */ total) {
    let crc = 0xffffffff;
    for (let i = 0; i < bytes.length; i++) {
        crc = TABLE[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
        if ((i & 0xfffff) === 0xfffff) await steps.step((before + i) / total);
    }
    return (crc ^ 0xffffffff) >>> 0;
}

function broken(/** @type {string} */ reason, /** @type {string} */ name = "") {
    return new FileError("zipFile", `The archive is damaged: ${reason}`, name);
}

function kind(/** @type {string} */ reason, /** @type {string} */ name = "") {
    return new FileError("zipKind", `The archive cannot be read here: ${reason}`, name);
}
