// SPDX-License-Identifier: Apache-2.0
// The sizes of a PDF file's pages, to show on which page and where somebody signed.
import { PDFFile, nameOf } from "./pdffile.js";
import { Reference } from "./pdfsyntax.js";
import { Steps } from "./steps.js";

const MOST_PAGES = 500;
const MOST_NODES = 5000;
/** Entries that pages inherit (ISO 32000-1, 7.7.3.4). */
const INHERITED = ["MediaBox", "CropBox", "Rotate"];

async function boxOf(revision, value) {
    const numbers = [];
    const box = await revision.get(value);
    for (const each of Array.isArray(box) && box.length === 4 ? box : []) numbers.push(await revision.get(each));
    if (numbers.length !== 4 || !numbers.every(Number.isFinite)) return undefined;
    const [left, bottom, right, top] = numbers;
    return [Math.min(left, right), Math.min(bottom, top), Math.max(left, right), Math.max(bottom, top)];
}

/** The size as a page is shown: the part of the MediaBox in the CropBox, turned (14.11.2). */
async function sizeOf(revision, page) {
    const media = await boxOf(revision, page.MediaBox);
    if (!media) return undefined;
    const crop = (await boxOf(revision, page.CropBox)) ?? media;
    const width = Math.min(media[2], crop[2]) - Math.max(media[0], crop[0]);
    const height = Math.min(media[3], crop[3]) - Math.max(media[1], crop[1]);
    if (!(width > 0 && height > 0)) return undefined;
    const turn = Number(await revision.get(page.Rotate)) || 0;
    return turn % 180 === 0 ? [width, height] : [height, width];
}

/**
 * @param {Uint8Array} bytes  @param {import("./steps.js").WorkOptions} [options]
 * @returns {Promise<number[][]>} width and height of each page in points, as it is shown
 * @throws {import("./steps.js").FileError} if the file, or a page of it, is not understood
 */
export async function pageSizes(bytes, options = {}) {
    const file = await PDFFile.open(bytes, new Steps(options));
    const revision = file.revision(bytes.length);
    const catalogue = await revision.get(revision.trailer.get("Root"));
    const pending = [{ node: catalogue?.get?.("Pages"), above: {} }];
    const [seen, sizes] = [new Set(), []];
    while (pending.length > 0 && sizes.length <= MOST_PAGES) {
        const { node, above } = /** @type {any} */ (pending.shift());
        if (node instanceof Reference && seen.size === seen.add(node.number).size || seen.size > MOST_NODES) return [];
        const page = await revision.get(node);
        if (!(page instanceof Map)) return [];
        const own = Object.fromEntries(INHERITED.map((name) => [name, page.get(name) ?? above[name]]));
        const kids = await revision.get(page.get("Kids"));
        if (Array.isArray(kids) && nameOf(await revision.get(page.get("Type"))) !== "Page") {
            pending.unshift(...kids.slice(0, MOST_NODES).map((kid) => ({ node: kid, above: own })));
            continue;
        }
        const size = await sizeOf(revision, own);
        if (!size) return [];
        sizes.push(size);
    }
    return sizes.length <= MOST_PAGES ? sizes : [];
}
