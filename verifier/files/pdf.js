// SPDX-License-Identifier: Apache-2.0
// Signed PDF files: which bytes each signature covers, whether they are unchanged, whose key it is, and what was added
// after it. Whatever is not understood is “not checked”, never guessed.
import { checkSignature, fingerprint } from "./cms.js";
import { changes } from "./pdfchanges.js";
import { PDFFile, nameOf } from "./pdffile.js";
import { PDFString, Reader, Reference, bad } from "./pdfsyntax.js";
import { FileError, Steps, hex, joined, latin1 } from "./steps.js";

const MOST_FIELDS = 20_000;
const MOST_SIGNATURES = 100;
/** Of `changedAfter`. */
const STATES = { no: "ok", signed: "ok", filled: "unchecked", unknown: "unchecked", forbidden: "wrong" };
const KINDS = ["adbe.pkcs7.detached", "ETSI.CAdES.detached", "ETSI.RFC3161"];
/** A signature of Inkpanel says which record it belongs to (docs/documents.md). */
const RECORD = "INKP_Record";
const RECORD_DIGEST = "INKP_RecordSHA256";

/**
 * @typedef {{state: "ok"|"wrong"|"unchecked", code: string, values: {[name: string]: string|number}}} Fact
 * @typedef {{name: string, signer?: string, reason?: string, at?: number, isTimeStamp: boolean, subject?: string,
 *     fingerprint?: string, record?: string, covers: number, intact: boolean|undefined, allows?: number,
 *     changedAfter: "no"|"signed"|"filled"|"unknown"|"forbidden"}} SignatureReport
 *     `name`: of the field; `at`: seconds since 1970, as the signer says; `covers`: bytes from the start; `intact`:
 *     nothing if it is not checked here; `allows`: 1 nothing, 2 filling in and signing, 3 also notes; `changedAfter`:
 *     `signed` other signatures, time stamps and what checks them; `filled` also fields of the form, or new
 *     fields that are seen
 * @typedef {{from: number, to: number, kinds: string[], fields: string[], unknown: number}} Update
 */

/**
 * Codes of facts, with the members of `values`:
 *
 * - `pdfReadable` reason (unchecked): the file is not understood, so none of its signatures is checked
 * - `pdfSignature` field, signer?, reason?: the signature, which the panel made of the record, fits the bytes and its
 *   certificate
 * - `pdfOtherSignature` field, signer?, reason?: the same of others; wrong only in a file by itself, as in another they
 *   are no part of the evidence. `pdfOtherKind` field, signer?, reason: it is not checked here
 * - `pdfKey` field, fingerprint: ok if it is the key of the seal, otherwise unchecked
 * - `pdfRecord` field, record: it names the digest of the seal's record, too
 * - `pdfAfter` field, bytes, fields?: what follows the bytes that it covers is another signature or nothing (ok), may
 *   change what the pages show (unchecked; only `fields` of the form, if there are any), or was forbidden by it (wrong)
 *
 * @param {Uint8Array} bytes
 * @param {{seal?: {id?: string, record?: string, key?: string}, from?: number, isAlone?: boolean}
 *     & import("./steps.js").WorkOptions} [options]
 *     `from`: where the document ends that the panel signed, if these are the bytes that its seal names. Only what
 *     follows is the panel's: a document may have come with any signature, also with one that names a record.
 *     `isAlone`: no seal names these bytes
 * @returns {Promise<{facts: Fact[], signatures: SignatureReport[], updates: Update[]}>} all empty for a file without
 *     signatures; throws only the reason of `signal`
 */
export async function checkSignedFile(bytes, options = {}) {
    const report = { facts: [], signatures: [], updates: [] };
    const steps = new Steps(options);
    try {
        await new Check(bytes, options, steps, report).run();
    } catch (error) {
        options.signal?.throwIfAborted();
        const reason = error instanceof FileError ? error.message : "The PDF file is not understood";
        // Without the word in it, there is nothing to check.
        if (report.signatures.length > 0 || hasSignature(bytes))
            report.facts.push({ state: "unchecked", code: "pdfReadable", values: { reason } });
    }
    return report;
}

function hasSignature(/** @type {Uint8Array} */ bytes) {
    for (let at = 0; at < bytes.length; at += 1 << 20) {
        if (latin1(bytes.subarray(at, at + (1 << 20) + 10)).includes("/ByteRange")) return true;
    }
    return false;
}

class Check {
    constructor(bytes, options, steps, report) {
        [this.bytes, this.options, this.steps, this.report] = [bytes, options, steps, report];
        /** Of the whole file. @type {Map<number, {name: string, isSignature: boolean, field: any}>} */
        this.fields = new Map();
    }

    async run() {
        this.file = await PDFFile.open(this.bytes, this.steps);
        this.last = this.file.revision(this.bytes.length);
        const signatures = await this.findSignatures();
        signatures.sort((a, b) => a.end - b.end);
        for (const [index, signature] of signatures.entries()) {
            await this.checkOne(signature);
            this.options.progress?.((index + 1) / (signatures.length + 1));
        }
        if (signatures.length > 0) await this.checkUpdates(signatures);
    }

    // MARK: Fields

    /**
     * The fields and their widgets of a revision, by their numbers.
     * @param {import("./pdffile.js").Revision} revision
     * @returns {Promise<Map<number, {name: string, isSignature: boolean, isNamed: boolean, field: any}>>} `isNamed`:
     *     whether it has a name that no other field has
     */
    async fieldsOf(revision) {
        const catalogue = await revision.get(revision.trailer.get("Root"));
        const form = await revision.get(catalogue?.get?.("AcroForm"));
        const roots = await revision.get(form?.get?.("Fields"));
        const fields = new Map();
        const names = new Set();
        const shared = new Set();
        const seen = new Set();
        const pending = listed(roots).map((reference) => ({ reference, name: "", type: undefined }));
        while (pending.length > 0) {
            const { reference, name: above, type: aboveType } = /** @type {any} */ (pending.pop());
            if (!(reference instanceof Reference) || seen.has(reference.number))
                throw bad("a field is in its form twice");
            if (seen.size > MOST_FIELDS)
                throw bad("its form has too many fields");
            seen.add(reference.number);
            const field = await revision.get(reference);
            if (!(field instanceof Map)) continue;
            const own = await revision.get(field.get("T"));
            const name = own instanceof PDFString ? (above ? `${above}.${own.text}` : own.text) : above;
            const type = nameOf(await revision.get(field.get("FT"))) ?? aboveType;
            if (own instanceof PDFString && names.size === names.add(name).size) shared.add(name);
            fields.set(reference.number, { name, isSignature: type === "Sig", isNamed: true, field });
            const kids = await revision.get(field.get("Kids"));
            for (const kid of listed(kids)) pending.push({ reference: kid, name, type });
        }
        for (const field of fields.values()) field.isNamed = field.name !== "" && !shared.has(field.name);
        return fields;
    }

    /** @returns {Promise<any[]>} */
    async findSignatures() {
        this.fields = await this.fieldsOf(this.last);
        const found = [];
        for (const { name, isSignature, field } of this.fields.values()) {
            // A widget may repeat what its field has.
            const value = field.get("V");
            const number = value instanceof Reference ? value.number : undefined;
            const isKnown = number !== undefined && found.some((other) => other.number === number);
            if (!isSignature || value === undefined || isKnown) continue;
            if (found.length >= MOST_SIGNATURES)
                throw bad("it has too many signatures");
            found.push({ ...(await this.readSignature(name, field)), number });
        }
        return found;
    }

    /** The dictionary of a signature, read anew from its place in the file: the hole must be the one in it. */
    async readSignature(name, field) {
        const reference = field.get("V");
        const entry = reference instanceof Reference ? this.last.entries.get(reference.number) : undefined;
        const at = entry?.kind === "at" ? entry.at : -1;
        const broken = (reason, dictionary = new Map()) => ({ name, field, end: 0, reason, dictionary, at });
        if (entry?.kind !== "at") return broken("its dictionary is not in a place of its own");
        const { number, value: dictionary } = new Reader(this.bytes, entry.at).object();
        if (number !== reference.number || !(dictionary instanceof Map))
            return broken("its dictionary is not in its place");
        const [range, contents] = [dictionary.get("ByteRange"), dictionary.get("Contents")];
        const isPlace = (/** @type {any} */ part) => Number.isSafeInteger(part) && part >= 0;
        if (!Array.isArray(range) || range.length !== 4 || !range.every(isPlace))
            return broken("it does not say which bytes it covers", dictionary);
        const [start, length, next, rest] = range;
        const end = next + rest;
        const isHex = contents instanceof PDFString && contents.isHex;
        if (!isHex || 2 * contents.bytes.length + 2 !== contents.end - contents.start || start !== 0 ||
            length !== contents.start || next !== contents.end || end > this.bytes.length)
            return broken("it does not cover all bytes around itself", dictionary);
        return { name, field, dictionary, contents, hole: [length, next], end, at };
    }

    // MARK: One signature

    async checkOne(signature) {
        const { dictionary, contents, end } = signature;
        const string = (key) => {
            const value = dictionary.get(key);
            return value instanceof PDFString ? value.text.slice(0, 500) : undefined;
        };
        const record = string(RECORD);
        /** @type {SignatureReport} */
        const report = {
            name: signature.name, isTimeStamp: false, covers: end, intact: undefined, changedAfter: "unknown",
            ...defined({ signer: string("Name"), reason: string("Reason"), at: pdfTime(string("M")), record }),
        };
        signature.report = report;
        this.report.signatures.push(report);
        const { seal, from } = this.options;
        const isOurs = record !== undefined && record === seal?.id && from !== undefined && signature.at >= from;
        signature.isOurs = isOurs;
        const values = { field: signature.name, ...defined({ signer: report.signer }) };
        const say = (state, reason, isCertain = false) => this.report.facts.push({
            state: state === "wrong" && !isOurs && !(isCertain && this.options.isAlone) ? "unchecked" : state,
            code: isOurs ? "pdfSignature" : state === "unchecked" ? "pdfOtherKind" : "pdfOtherSignature",
            values: { ...values, ...defined({ reason }) },
        });
        if (signature.reason) {
            report.intact = false;
            return say("wrong", signature.reason);
        }
        if (!this.file.revision(end).isWhole) {
            report.intact = false;
            return say("wrong", "the bytes that it covers are not a whole file");
        }
        try {
            const kind = nameOf(dictionary.get("SubFilter"));
            if (!KINDS.includes(kind ?? "")) return say("unchecked", "its kind is not checked here");
            const checked = await checkSignature(contents.bytes, (hash) => this.digest(hash, signature));
            report.isTimeStamp = checked.isTimeStamp;
            report.intact = checked.digestFits && checked.signatureFits && checked.certificateFits;
            report.subject = checked.certificate.subject;
            report.fingerprint = await fingerprint(checked.certificate);
            if (report.isTimeStamp || report.at === undefined) Object.assign(report, defined({ at: checked.at }));
            if (!checked.digestFits) say("wrong", "the bytes that it covers were changed", true);
            else if (!report.intact) say("wrong", "it was not made with the key of its certificate", true);
            else say("ok");
        } catch (error) {
            this.options.signal?.throwIfAborted();
            if (error instanceof FileError && error.code === "cmsKind") return say("unchecked", error.message);
            report.intact = false;
            return say("wrong", error instanceof FileError ? error.message : "it cannot be read");
        }
        if (isOurs && report.intact) this.compare(signature, record);
    }

    /** With the seal: its key, and the record that it is of. */
    compare({ name, dictionary, report }, record) {
        const { seal } = this.options;
        const isKey = seal?.key !== undefined && seal.key === report.fingerprint;
        const values = { field: name, fingerprint: report.fingerprint };
        this.report.facts.push({ state: isKey ? "ok" : "unchecked", code: "pdfKey", values });
        const digest = dictionary.get(RECORD_DIGEST);
        const text = !(digest instanceof PDFString) ? "" : digest.bytes.length === 32 ? hex(digest.bytes) : digest.text;
        const state = seal?.record === undefined ? "unchecked" : text.toLowerCase() === seal.record ? "ok" : "wrong";
        this.report.facts.push({ state, code: "pdfRecord", values: { field: name, record } });
    }

    async digest(hash, { hole, end }) {
        await this.steps.step();
        const covered = joined([this.bytes.subarray(0, hole[0]), this.bytes.subarray(hole[1], end)]);
        return new Uint8Array(await crypto.subtle.digest(hash, covered));
    }

    // MARK: What came after

    async checkUpdates(signatures) {
        const good = signatures.filter(({ report, reason }) => !reason && report.intact !== false);
        const ends = [...new Set(good.map(({ end }) => end))];
        if (ends.at(-1) !== this.bytes.length) ends.push(this.bytes.length);
        const stamped = new Map(signatures.map(({ end, report }) => [end, report.isTimeStamp]));
        /** @type {(Update & {changed: string[], isExplained: boolean})[]} */
        const updates = [];
        for (let i = 0; i + 1 < ends.length; i++) {
            const [before, after] = [this.file.revision(ends[i]), this.file.revision(ends[i + 1])];
            // Only what was a field before: a later form can call anything one.
            const old = await this.fieldsOf(before);
            const isSigned = (value) => value instanceof Reference
                && good.some(({ number, end }) => number === value.number && end > ends[i]);
            const found = await changes(before, after, { old, fields: this.fields, isSigned });
            const kinds = [...found.kinds];
            if (stamped.get(ends[i + 1])) kinds.splice(0, kinds.length, "timeStamp");
            else if (stamped.has(ends[i + 1]) && !kinds.includes("signature")) kinds.push("signature");
            updates.push({
                from: ends[i], to: ends[i + 1], kinds, fields: [...found.changed, ...found.added],
                changed: found.changed, unknown: found.unknown.length,
                // Bytes that no section belongs to are no update, and nobody knows who reads them.
                isExplained: found.unknown.length === 0 && after.isWhole &&
                    (after.sections[0].start >= ends[i] || this.isBlank(ends[i], ends[i + 1])),
            });
        }
        this.report.updates = updates.map(({ changed, isExplained, ...update }) => update);
        for (const signature of signatures) {
            if (signature.report.intact !== true) continue;
            await this.judge(signature, updates.filter(({ from }) => from >= signature.end));
        }
    }

    isBlank(from, to) {
        return this.bytes.subarray(from, to).every((byte) => [0, 9, 10, 12, 13, 32].includes(byte));
    }

    async judge(signature, updates) {
        const { report, name, end } = signature;
        const allows = await this.allowed(signature);
        if (allows !== undefined) report.allows = allows;
        const { isLocked, isMissed } = await this.locks(signature);
        const changed = updates.flatMap((update) => update.changed);
        const fields = [...new Set(updates.flatMap((update) => update.fields))];
        const isChanged = updates.some(({ kinds }) => kinds.includes("signature") || kinds.includes("form"));
        const isForbidden = (allows === 1 && isChanged) || changed.some(isLocked);
        const isExplained = updates.every((update) => update.isExplained) && !changed.some(isMissed);
        report.changedAfter = updates.length === 0 ? "no" : isForbidden ? "forbidden"
            : !isExplained ? "unknown" : fields.length > 0 ? "filled" : "signed";
        const state = STATES[report.changedAfter];
        if (state === "wrong" && !signature.isOurs) return;
        const names = fields.filter((field) => field !== "");
        const named = names.length > 0 ? { fields: names.join(", ").slice(0, 500) } : {};
        const values = { field: name, bytes: this.bytes.length - end, ...named };
        this.report.facts.push({ state, code: "pdfAfter", values });
    }

    /** What the signature allows after it (12.8.2.2, and ISO 32000-2, table 236), if it says so. */
    async allowed({ dictionary, field, end }) {
        const revision = this.file.revision(end);
        const levels = [];
        for (const reference of await this.references(dictionary, revision)) {
            if (nameOf(reference.get("TransformMethod")) !== "DocMDP") continue;
            const level = (await revision.get(reference.get("TransformParams")))?.get?.("P");
            levels.push([1, 2, 3].includes(level) ? level : 2);
        }
        const lock = (await revision.get(field.get("Lock")))?.get?.("P");
        if ([1, 2, 3].includes(lock)) levels.push(lock);
        return levels.length > 0 ? Math.min(...levels) : undefined;
    }

    /**
     * What the signature locks (12.8.2.4). `isMissed`: whether it has a list of locked fields, and the field is not in
     * it; whoever made the list may have meant all.
     */
    async locks({ dictionary, end }) {
        const revision = this.file.revision(end);
        const rules = [];
        for (const reference of await this.references(dictionary, revision)) {
            if (nameOf(reference.get("TransformMethod")) !== "FieldMDP") continue;
            const rule = await revision.get(reference.get("TransformParams"));
            const names = ((await revision.get(rule?.get?.("Fields"))) ?? []).map?.((one) => one.text) ?? [];
            rules.push({ action: nameOf(rule?.get?.("Action")), names });
        }
        const isNamed = (field, { names }) => names.some((name) => field === name || field.startsWith(`${name}.`));
        return {
            isLocked: (field) => rules.some(({ action, names }) => action === "All"
                || (["Include", "Exclude"].includes(action) && isNamed(field, { names }) === (action === "Include"))),
            isMissed: (field) => rules.some((rule) => rule.action === "Include" && !isNamed(field, rule)),
        };
    }

    /** What the signature says about changes, as it was signed. */
    async references(dictionary, revision) {
        const list = await revision.get(dictionary.get("Reference"));
        const found = [];
        for (const reference of listed(list)) {
            const value = await revision.get(reference);
            if (value instanceof Map) found.push(value);
        }
        return found;
    }
}

/** @returns {any[]} */
function listed(/** @type {any} */ value) {
    return Array.isArray(value) ? value : [];
}

function defined(values) {
    return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Seconds since 1970 of a date (7.9.4), such as D:20260921141320Z. */
function pdfTime(text) {
    const match = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)'?(\d\d)?'?)?/.exec(text ?? "");
    if (!match) return undefined;
    const numbers = match.slice(1, 7).map((part) => (part === undefined ? undefined : Number(part)));
    const [year, month = 1, day = 1, hour = 0, minute = 0, second = 0] = numbers;
    const offset = match[7] ? (match[7] === "-" ? -1 : 1) * (Number(match[8]) * 60 + Number(match[9] ?? 0)) * 60 : 0;
    return Date.UTC(/** @type {any} */ (year), month - 1, day, hour, minute, second) / 1000 - offset;
}
