// SPDX-License-Identifier: Apache-2.0
// What each list of allowed keys says of a key. Of several lists, none may say otherwise than the others.

import { Pace } from "../core/pace.js";
import { readSigners, signersOf } from "../core/signers.js";
import { fingerprint } from "../core/sshsig.js";

/**
 * @typedef {{name: string, known: Map<string, string>}} List  `known`: what it says, by the fingerprint of the key
 * @param {{name: string, bytes: Uint8Array}[]} files
 * @returns {Promise<List[]>} lists that cannot be read know no key; the core says why
 */
export async function listsOf(files) {
  const lists = [];
  for (const { name, bytes } of files) {
    const told = new Map();
    const { signers } = await readSigners(bytes, new Pace({}, 1)).catch(() => ({ signers: [] }));
    for (const signer of signers) {
      const { names, key, from, until } = signer;
      if (!signersOf([signer], key).length) continue;
      const print = await fingerprint(key);
      if (!told.has(print)) told.set(print, new Set());
      told.get(print).add(JSON.stringify([names, from, until]));
    }
    lists.push({ name, known: new Map([...told].map(([print, lines]) => [print, [...lines].sort().join("\n")])) });
  }
  return lists;
}

/**
 * @param {List[]} lists
 * @param {Iterable<string>} keys  fingerprints of those that sealed
 */
export function differences(lists, keys) {
  const found = [];
  for (const key of keys) {
    const knowing = lists.filter(({ known }) => known.has(key));
    for (const { name, known } of knowing.slice(1)) {
      if (known.get(key) === knowing[0].known.get(key)) continue;
      found.push({ state: "unchecked", code: "signersDiffer", values: { other: knowing[0].name }, about: name, needed: true });
    }
  }
  return found;
}
