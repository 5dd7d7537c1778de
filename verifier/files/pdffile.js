// SPDX-License-Identifier: Apache-2.0
// The objects of a PDF file by their numbers (ISO 32000-1, 7.5), as of any revision. Strict: what readers repair is
// refused here, because they repair it in different ways.
import { Name, Reader, Reference, Stream, bad } from "./pdfsyntax.js";
import { joined, latin1 } from "./steps.js";

const MOST_SECTIONS = 500;
const MOST_ENTRIES = 2_000_000;
const MOST_INFLATED = 128 << 20;

/**
 * @typedef {{kind: "free"}|{kind: "at", at: number, generation: number}|
 *     {kind: "in", stream: number, index: number}} Entry
 * @typedef {{start: number, entries: Map<number, Entry>, trailer: Map<string, any>}} Section
 * @typedef {{number: number, generation: number, value: any}} PDFObject
 */

export class PDFFile {
    /** @param {Uint8Array} bytes @param {import("./steps.js").Steps} steps */
    constructor(bytes, steps) {
        this.bytes = bytes;
        this.steps = steps;
        this.inflated = 0;
        /** @type {Section[]} the newest first */
        this.sections = [];
        this.entryCount = 0;
        /** Objects by their places: the same in all revisions. @type {Map<string, PDFObject>} */
        this.objects = new Map();
        /**
         * Unpacked object streams by where they begin.
         * @type {Map<number, {numbers: number[], offsets: number[], data: Uint8Array}>}
         */
        this.objectStreams = new Map();
    }

    /** @param {Uint8Array} bytes @param {import("./steps.js").Steps} steps */
    static async open(bytes, steps) {
        if (!latin1(bytes.subarray(0, 5)).startsWith("%PDF-")) throw bad("it does not begin with %PDF-");
        const file = new PDFFile(bytes, steps);
        await file.readSections();
        if (file.sections.some((section) => section.trailer.has("Encrypt"))) throw bad("it is encrypted");
        return file;
    }

    // MARK: Sections

    /** What the last `startxref` before `end` says, and where it is. @param {number} end */
    startBefore(end) {
        const from = Math.max(0, end - 1100);
        const text = latin1(this.bytes.subarray(from, end));
        const at = text.lastIndexOf("startxref");
        if (at < 0) return undefined;
        const match = /^startxref[\0\t\n\f\r ]+(\d{1,10})[\0\t\n\f\r ]+%%EOF[\0\t\n\f\r ]*$/.exec(text.slice(at));
        return match ? Number(match[1]) : undefined;
    }

    async readSections() {
        let start = this.startBefore(this.bytes.length);
        if (start === undefined) throw bad("it does not end with startxref and %%EOF");
        const seen = new Set();
        while (start !== undefined) {
            if (seen.has(start) || this.sections.length >= MOST_SECTIONS)
                throw bad("its cross-reference sections form a loop");
            seen.add(start);
            const section = await this.readSection(start);
            this.sections.push(section);
            // A table may have a stream for what old readers do not see (7.5.8.4), and must call free.
            const hidden = section.trailer.get("XRefStm");
            if (hidden !== undefined) {
                const { entries } = await this.readSection(hidden);
                for (const number of entries.keys())
                    if (section.entries.get(number)?.kind === "free") section.entries.delete(number);
                this.sections.push({ start, entries, trailer: section.trailer });
            }
            start = section.trailer.get("Prev");
            await this.steps.step();
        }
    }

    /** @param {number} start @returns {Promise<Section>} */
    async readSection(start) {
        if (!Number.isSafeInteger(start) || start <= 0 || start >= this.bytes.length)
            throw bad("a cross-reference section is elsewhere");
        const reader = new Reader(this.bytes, start);
        return await (reader.has("xref") ? this.readTable(reader, start) : this.readStream(reader, start));
    }

    /** @returns {Promise<Section>} */
    async readTable(/** @type {Reader} */ reader, /** @type {number} */ start) {
        const entries = new Map();
        while (!reader.has("trailer")) {
            const [first, count] = [reader.whole(), reader.whole()];
            this.count(count);
            for (let i = 0; i < count; i++) {
                const [at, generation] = [reader.whole(), reader.whole()];
                if (reader.has("n")) entries.set(first + i, { kind: "at", at, generation });
                else if (reader.has("f")) entries.set(first + i, { kind: "free" });
                else throw bad("a cross-reference table is damaged");
                if ((i & 1023) === 0) await this.steps.step();
            }
        }
        const trailer = reader.value();
        if (!(trailer instanceof Map)) throw bad("a trailer is missing");
        return { start, entries, trailer };
    }

    /** @returns {Promise<Section>} */
    async readStream(/** @type {Reader} */ reader, /** @type {number} */ start) {
        const { value: stream } = reader.object();
        if (!(stream instanceof Stream) || nameOf(stream.dictionary.get("Type")) !== "XRef")
            throw bad("a cross-reference stream is missing");
        const { dictionary } = stream;
        const widths = dictionary.get("W");
        const size = dictionary.get("Size");
        const index = dictionary.get("Index") ?? [0, size];
        const isWhole = (/** @type {any} */ value) => Number.isSafeInteger(value) && value >= 0;
        const isWidth = (/** @type {any} */ value) => isWhole(value) && value <= 8;
        if (!Array.isArray(widths) || widths.length !== 3 || !widths.every(isWidth) ||
            !Array.isArray(index) || index.length % 2 || !index.every(isWhole))
            throw bad("a cross-reference stream is damaged");
        const data = await this.decoded(stream);
        const entries = new Map();
        let at = 0;
        const field = (/** @type {number} */ width, /** @type {number} */ usual) => {
            if (width === 0) return usual;
            let value = 0;
            for (let i = 0; i < width; i++) value = value * 256 + data[at++];
            return value;
        };
        for (let i = 0; i < index.length; i += 2) {
            this.count(index[i + 1]);
            if (at + index[i + 1] * (widths[0] + widths[1] + widths[2]) > data.length)
                throw bad("a cross-reference stream is cut");
            for (let number = index[i]; number < index[i] + index[i + 1]; number++) {
                const [kind, a, b] = [field(widths[0], 1), field(widths[1], 0), field(widths[2], 0)];
                entries.set(number, kind === 1 ? { kind: "at", at: a, generation: b }
                    : kind === 2 ? { kind: "in", stream: a, index: b } : { kind: "free" });
            }
        }
        return { start, entries, trailer: dictionary };
    }

    count(/** @type {number} */ more) {
        this.entryCount += more;
        if (this.entryCount > MOST_ENTRIES) throw bad("it has too many objects");
    }

    // MARK: Objects

    /** The revision that ends at `end`. @param {number} end @returns {Revision} */
    revision(end) {
        return new Revision(this, end);
    }

    /** The bytes of a stream as they are in the file. @param {Stream} stream @param {Revision} [revision] */
    async raw(stream, revision) {
        let length = stream.dictionary.get("Length");
        if (length instanceof Reference) length = await revision?.get(length);
        const end = stream.start + length;
        if (!Number.isSafeInteger(length) || length < 0 || end > this.bytes.length) throw bad("a stream has no length");
        const reader = new Reader(this.bytes, end);
        reader.expect("endstream");
        return this.bytes.subarray(stream.start, end);
    }

    /**
     * Its bytes unpacked; only Flate.
     * @param {Stream} stream @param {Revision} [revision] @returns {Promise<Uint8Array>}
     */
    async decoded(stream, revision) {
        const data = await this.raw(stream, revision);
        let [filter, parameters] = ["Filter", "DecodeParms"].map((key) => stream.dictionary.get(key));
        if (Array.isArray(filter) && filter.length < 2)
            [filter, parameters] = [filter[0], Array.isArray(parameters) ? parameters[0] : parameters];
        if (filter === undefined) return data;
        if (nameOf(filter) !== "FlateDecode") throw bad("a stream is packed in an unusual way");
        const unpacked = await this.inflate(data);
        return parameters instanceof Map ? unfiltered(unpacked, parameters) : unpacked;
    }

    async inflate(/** @type {Uint8Array} */ data) {
        const reader = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
        const parts = [];
        try {
            for (;;) {
                const { done, value } = await reader.read();
                if (done) return joined(parts);
                this.inflated += value.length;
                if (this.inflated > MOST_INFLATED) throw bad("its streams are too large");
                parts.push(value);
                await this.steps.step();
            }
        } catch (error) {
            await reader.cancel().catch(() => {});
            this.steps.options.signal?.throwIfAborted();
            throw /** @type {any} */ (error).code ? error : bad("a stream cannot be unpacked");
        }
    }
}

/** The objects of a file as they were when it ended at some byte. */
export class Revision {
    /** @param {PDFFile} file @param {number} end */
    constructor(file, end) {
        this.file = file;
        this.end = end;
        this.sections = file.sections.filter((section) => section.start < end);
        this.trailer = this.sections[0]?.trailer ?? new Map();
        /** @type {Map<number, Entry>} */
        this.entries = new Map();
        for (const section of this.sections.slice().reverse())
            for (const [number, entry] of section.entries) this.entries.set(number, entry);
    }

    /** Whether the bytes up to `end` are a whole file: nothing of an update is cut off, and nothing follows its end. */
    get isWhole() {
        return this.sections.length > 0 && this.file.startBefore(this.end) === this.sections[0].start;
    }

    /** Whether there is an object with this number. @param {number} number */
    has(number) {
        const kind = this.entries.get(number)?.kind;
        return kind === "at" || kind === "in";
    }

    /** The object that a value refers to; values that are no references as they are. Missing objects are null. */
    async get(/** @type {any} */ value) {
        for (let i = 0; value instanceof Reference; i++) {
            if (i > 20) throw bad("its references form a loop");
            const entry = this.entries.get(value.number);
            if (!entry || entry.kind === "free" || (entry.kind === "at" ? entry.generation : 0) !== value.generation)
                return null;
            value = await this.object(value.number);
        }
        return value ?? null;
    }

    /** The object with this number; null if there is none. @param {number} number */
    async object(number) {
        await this.file.steps.step();
        const entry = this.entries.get(number);
        if (entry?.kind === "in") return await this.inStream(number, entry);
        if (entry?.kind !== "at") return null;
        if (entry.at >= this.end) throw bad(`object ${number} is behind its revision`);
        const { objects } = this.file;
        let object = objects.get(String(entry.at));
        if (!object) objects.set(String(entry.at), (object = new Reader(this.file.bytes, entry.at).object()));
        if (object.number !== number || object.generation !== entry.generation)
            throw bad(`object ${number} is not in its place`);
        return object.value;
    }

    async inStream(/** @type {number} */ number, /** @type {{stream: number, index: number}} */ entry) {
        if (this.entries.get(entry.stream)?.kind !== "at") throw bad("an object stream is missing");
        const stream = await this.object(entry.stream);
        if (!(stream instanceof Stream) || nameOf(stream.dictionary.get("Type")) !== "ObjStm")
            throw bad("an object stream is missing");
        const { objectStreams } = this.file;
        let found = objectStreams.get(stream.start);
        if (!found) {
            const data = await this.file.decoded(stream, this);
            const [count, first] = [stream.dictionary.get("N"), stream.dictionary.get("First")];
            if (!(count >= 0 && count <= MOST_ENTRIES)) throw bad("an object stream is damaged");
            const reader = new Reader(data, 0);
            const [numbers, offsets] = [[], []];
            for (let i = 0; i < count; i++) {
                numbers.push(reader.whole());
                offsets.push(first + reader.whole());
            }
            objectStreams.set(stream.start, (found = { numbers, offsets, data }));
        }
        // The index only helps to find it.
        const index = found.numbers[entry.index] === number ? entry.index : found.numbers.indexOf(number);
        if (index < 0) throw bad(`object ${number} is not in its place`);
        const { objects } = this.file;
        const place = `${stream.start} ${index}`;
        let object = objects.get(place);
        if (!object) {
            object = { number, generation: 0, value: new Reader(found.data, found.offsets[index]).value() };
            objects.set(place, object);
        }
        return object.value;
    }
}

/** @returns {string|undefined} the text of a name */
export function nameOf(/** @type {any} */ value) {
    return value instanceof Name ? value.text : undefined;
}

/** Takes away the predictors of PNG (ISO 32000-1, 7.4.4.4). */
function unfiltered(/** @type {Uint8Array} */ data, /** @type {Map<string, any>} */ parameters) {
    const predictor = parameters.get("Predictor") ?? 1;
    if (predictor === 1) return data;
    const { Colors: colors = 1, BitsPerComponent: bits = 8, Columns: columns = 1 } = Object.fromEntries(parameters);
    const pixel = Math.max(1, (colors * bits) >> 3);
    const row = Math.ceil((colors * bits * columns) / 8);
    if (predictor < 10 || !(row > 0 && row <= 1 << 20)) throw bad("a stream is packed in an unusual way");
    const rows = Math.floor(data.length / (row + 1));
    const result = new Uint8Array(rows * row);
    for (let y = 0; y < rows; y++) {
        const kind = data[y * (row + 1)];
        for (let x = 0; x < row; x++) {
            const at = y * row + x;
            const a = x >= pixel ? result[at - pixel] : 0;
            const b = y > 0 ? result[at - row] : 0;
            const c = x >= pixel && y > 0 ? result[at - row - pixel] : 0;
            const p = a + b - c;
            const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
            const paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
            const added = [0, a, b, (a + b) >> 1, paeth][kind];
            if (added === undefined) throw bad("a stream is damaged");
            result[at] = data[y * (row + 1) + 1 + x] + added;
        }
    }
    return result;
}
