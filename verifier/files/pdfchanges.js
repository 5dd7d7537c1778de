// SPDX-License-Identifier: Apache-2.0
// What an update of a PDF file changes (ISO 32000-1, 7.5.6), compared object by object. Only changes that cannot alter
// what was signed have a name here; all others are for a person to judge.
import { Name, PDFString, Reference, Stream } from "./pdfsyntax.js";
import { nameOf } from "./pdffile.js";
import { same } from "./der.js";

/**
 * @typedef {{kinds: Set<"signature"|"validation"|"form">, changed: string[], added: string[],
 *     unknown: number[]}} Changes
 *     `changed`: names of form fields that were filled in; `added`: of those that are new and visible; `unknown`:
 *     numbers of objects whose change has no name
 */

/**
 * @typedef {Map<number, {name: string, isSignature: boolean, isNamed: boolean}>} Fields
 *     by the numbers of fields and widgets
 */

/**
 * @param {import("./pdffile.js").Revision} before @param {import("./pdffile.js").Revision} after
 * @param {{old: Fields, fields: Fields, isSigned: (value: any) => boolean}} form  `old`: those in `before`; `fields`:
 *     those of the whole file; `isSigned`: whether a value of a field is a signature that was made after `before`
 * @returns {Promise<Changes>}
 */
export async function changes(before, after, { old: oldFields, fields, isSigned }) {
    /** @type {Changes} */
    const found = { kinds: new Set(), changed: [], added: [], unknown: [] };
    const touched = new Set();
    for (const section of after.sections) {
        // A signed section can name one that did not exist yet as the one before it.
        if (section.start >= before.end) for (const number of section.entries.keys()) touched.add(number);
    }
    const [root, form] = await parts(before);
    if (!alike(before.trailer.get("Root"), after.trailer.get("Root"))) found.unknown.push(0);
    const { holes, counts } = await references(before);
    for (const number of touched) {
        const old = await present(before, number);
        const now = await present(after, number);
        if (old === null) {
            // A number that the signed bytes use already: whoever made them may have left the place for this.
            if (now !== null && holes.has(number)) found.unknown.push(number);
            continue;
        }
        if (await equal(old, now, before, after)) continue;
        const kind = await kindOf(number, old, now);
        if (!kind) found.unknown.push(number);
        else if (kind !== "harmless") found.kinds.add(kind);
    }
    return found;

    async function kindOf(number, old, now) {
        // What the pages use, too, may have any name.
        if (old instanceof Stream) {
            const isMetadata = root.metadata === number && counts.get(number) === 1;
            return isMetadata && now instanceof Stream ? "harmless" : undefined;
        }
        const isInfo = before.trailer.get("Info")?.number === number && number !== root.number;
        if (isInfo && !counts.has(number)) return "harmless";
        if (Array.isArray(old) && Array.isArray(now)) {
            if (number === form.fields) return (await hasOnlyAdded(old, now)) ? "harmless" : undefined;
            return form.annotations.has(number) && (await hasOnlyAdded(old, now)) ? "harmless" : undefined;
        }
        if (!(old instanceof Map) || !(now instanceof Map)) return undefined;
        const keys = differing(old, now);
        const are = (...allowed) => keys.every((key) => allowed.includes(key));
        if (number === root.number) {
            if (!are("AcroForm", "DSS", "Extensions", "Version", "Metadata")) return undefined;
            if (keys.includes("AcroForm") && !(await isGrown(old.get("AcroForm"), now.get("AcroForm"))))
                return undefined;
            return keys.includes("DSS") ? "validation" : "harmless";
        }
        if (number === form.number) return (await isGrown(old, now)) ? "harmless" : undefined;
        if (nameOf(old.get("Type")) === "Page") {
            const isGrown = are("Annots") && (await hasOnlyAdded(old.get("Annots") ?? [], now.get("Annots")));
            return isGrown ? "harmless" : undefined;
        }
        if (oldFields.get(number)?.isSignature)
            return are("V", "AP") && (await isNowSigned(old, now)) ? "signature" : undefined;
        const field = oldFields.get(number);
        if (!field || !are("V", "AS", "AP", "M")) return undefined;
        if (!found.changed.includes(field.name)) found.changed.push(field.name);
        // A lock cannot name one without a name of its own.
        return field.isNamed ? "form" : undefined;
    }

    /** Whether a field, or that of a widget, had no signature and has one now: a look by itself shows ink of nobody. */
    async function isNowSigned(old, now) {
        return (await valueOf(old, before)) === undefined && isSigned(await valueOf(now, after));
    }

    /** Whether a form only got signature fields. */
    async function isGrown(old, now) {
        if (old === undefined) old = new Map();
        if (!(old instanceof Map) || !(now instanceof Map)) return false;
        const may = (key) => key === "Fields" || key === "SigFlags" || (key === "DR" && !old.has("DR"));
        if (!differing(old, now).every(may)) return false;
        return await hasOnlyAdded(old.get("Fields") ?? [], now.get("Fields") ?? []);
    }

    /** Whether only signature fields were added to a list. */
    async function hasOnlyAdded(old, now) {
        if (old instanceof Reference || now instanceof Reference) return alike(old, now);
        if (!Array.isArray(old) || !Array.isArray(now) || now.length < old.length) return false;
        if (!old.every((value, i) => alike(value, now[i]))) return false;
        for (const value of now.slice(old.length)) {
            const isNew = value instanceof Reference && !before.has(value.number);
            if (!isNew || !fields.get(value.number)?.isSignature) return false;
            await addVisible(value.number);
        }
        return true;
    }

    /** Names a new field that can be seen: its picture may cover what was signed. */
    async function addVisible(number) {
        const rectangle = await after.get((await present(after, number))?.get?.("Rect"));
        const [left, lower, right, upper] = Array.isArray(rectangle) ? rectangle : [0, 0, 0, 0];
        if (left === right || lower === upper) return;
        const name = fields.get(number)?.name ?? "";
        if (!found.added.includes(name)) found.added.push(name);
    }
}

/** The numbers of what the rules above name: the catalogue, the form, its list of fields, lists of notes on pages. */
async function parts(revision) {
    const root = revision.trailer.get("Root");
    const catalogue = await revision.get(root);
    const form = catalogue instanceof Map ? catalogue.get("AcroForm") : undefined;
    const fields = (await revision.get(form))?.get?.("Fields");
    const annotations = new Set();
    for (const number of revision.entries.keys()) {
        const value = await present(revision, number);
        if (value instanceof Map && nameOf(value.get("Type")) === "Page" && value.get("Annots") instanceof Reference)
            annotations.add(value.get("Annots").number);
    }
    const metadata = catalogue instanceof Map ? catalogue.get("Metadata")?.number : undefined;
    return [{ number: root?.number ?? -1, metadata }, { number: form?.number, fields: fields?.number, annotations }];
}

/**
 * How often objects refer to each number, and the numbers of them that have no object.
 * @returns {Promise<{counts: Map<number, number>, holes: Set<number>}>}
 */
async function references(revision) {
    const counts = new Map();
    const look = (value) => {
        if (value instanceof Reference) counts.set(value.number, (counts.get(value.number) ?? 0) + 1);
        else if (Array.isArray(value)) value.forEach(look);
        else if (value instanceof Map) value.forEach(look);
        else if (value instanceof Stream) look(value.dictionary);
    };
    for (const number of revision.entries.keys()) look(await present(revision, number));
    return { counts, holes: new Set([...counts.keys()].filter((number) => !revision.has(number))) };
}

const MOST_ABOVE = 32;

/** The value of a field, its own or that of the fields above it. */
async function valueOf(field, revision) {
    for (let above = 0; field instanceof Map && above < MOST_ABOVE; above++) {
        if (field.has("V")) return field.get("V");
        field = await revision.get(field.get("Parent"));
    }
    return undefined;
}

async function present(revision, number) {
    return revision.has(number) ? await revision.object(number) : null;
}

function differing(old, now) {
    return [...new Set([...old.keys(), ...now.keys()])].filter((key) => !alike(old.get(key), now.get(key)));
}

async function equal(old, now, before, after) {
    if (!(old instanceof Stream) || !(now instanceof Stream)) return alike(old, now);
    if (!alike(old.dictionary, now.dictionary)) return false;
    return same(await before.file.raw(old, before), await after.file.raw(now, after));
}

/** Whether two values are the same, wherever they stand. */
export function alike(a, b) {
    if (a instanceof Name && b instanceof Name) return a.text === b.text;
    if (a instanceof PDFString && b instanceof PDFString) return same(a.bytes, b.bytes);
    if (a instanceof Reference && b instanceof Reference) return a.number === b.number && a.generation === b.generation;
    if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((value, i) => alike(value, b[i]));
    if (a instanceof Map && b instanceof Map)
        return a.size === b.size && [...a].every(([key, value]) => b.has(key) && alike(value, b.get(key)));
    return a === b;
}
