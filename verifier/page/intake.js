// SPDX-License-Identifier: Apache-2.0
// Files and folders that are dropped or chosen, with their paths.

const DEEPEST = 8;

/** @param {FileList} list */
export const filesOf = (list) => [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

const fileOf = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));

/** A folder gives its entries in portions, the last one empty. */
async function children(folder, most) {
  const reader = folder.createReader();
  const found = [];
  while (found.length < most) {
    const portion = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!portion.length) break;
    found.push(...portion);
  }
  return found;
}

async function walk(entry, most, found, unread, depth) {
  if (found.length >= most) return;
  if (depth > DEEPEST) {
    if (unread.length < most) unread.push(entry.fullPath.replace(/^\//, ""));
    return;
  }
  if (entry.isFile) found.push({ path: entry.fullPath.replace(/^\//, ""), file: await fileOf(entry) });
  else for (const child of await children(entry, most)) await walk(child, most, found, unread, depth + 1);
}

/**
 * @param {DataTransfer} transfer  of a drop; its items are gone after the first pause
 * @param {number} most
 * @returns {Promise<{found: {path: string, file: File}[], unread: string[]}>} `unread`: what lies too deep in folders
 */
export async function entriesOf(transfer, most) {
  const entries = [...transfer.items].filter(({ kind }) => kind === "file").map((item) => item.webkitGetAsEntry?.());
  if (!entries.length || entries.some((entry) => !entry)) return { found: filesOf(transfer.files), unread: [] };
  const [found, unread] = [[], []];
  for (const entry of entries) await walk(entry, most, found, unread, 0);
  return { found, unread };
}
