// SPDX-License-Identifier: Apache-2.0
// What verifier/files says about files, a line of JSON for each:
//
//   files.mjs age IDENTITY-FILE FILE...     {"digest": SHA-256 of the contents}
//   files.mjs zip FILE...                   {"files": [[name, SHA-256], ...]}
//   files.mjs pdf SEAL-AS-JSON FILE...      the report of checkSignedFile; with null, of a file by itself
//   files.mjs aead                          reads lines of JSON, in hexadecimal: key, nonce, sealed, answers
//                                           {"plain": ...}; scalar, point, answers {"browser": ..., "own": ...}
//
// or {"code": ...} of a fault that the module knows. Each has ten seconds.
import { readFileSync } from "node:fs";
import { createHash, webcrypto } from "node:crypto";

globalThis.crypto ??= webcrypto;
const { decrypt } = await import("../../../verifier/files/age.js");
const { byBigInt, x25519 } = await import("../../../verifier/files/x25519.js");
const { openChaChaPoly } = await import("../../../verifier/files/chacha.js");
const { checkSignedFile } = await import("../../../verifier/files/pdf.js");
const { unzip } = await import("../../../verifier/files/zip.js");

const [what, ...rest] = process.argv.slice(2);
const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");
const bytesOf = (path) => new Uint8Array(readFileSync(path));
const fromHex = (text) => new Uint8Array(Buffer.from(text, "hex"));
const hexOf = (bytes) => (bytes ? Buffer.from(bytes).toString("hex") : null);

async function say(work) {
    let answer;
    try {
        answer = await work({ signal: AbortSignal.timeout(10_000) });
    } catch (error) {
        if (!error.code || typeof error.code !== "string") throw error;
        answer = { code: error.code, message: error.message };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
}

if (what === "age") {
    const identity = readFileSync(rest.shift(), "utf8");
    for (const path of rest)
        await say(async (options) => ({ digest: digest(await decrypt(bytesOf(path), identity, options)) }));
} else if (what === "zip") {
    for (const path of rest) {
        await say(async (options) => ({
            files: (await unzip(bytesOf(path), {}, options)).map(({ name, bytes }) => [name, digest(bytes)]),
        }));
    }
} else if (what === "pdf") {
    const seal = JSON.parse(rest.shift());
    const others = seal ? { seal, from: 0 } : { isAlone: true };
    for (const path of rest) await say((options) => checkSignedFile(bytesOf(path), { ...options, ...others }));
} else if (what === "aead") {
    for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
        const read = (_, value) => (typeof value === "string" ? fromHex(value) : value);
        const { key, nonce, sealed, scalar, point } = JSON.parse(line, read);
        const shared = async () => ({ browser: hexOf(await x25519(scalar, point)), own: hexOf(byBigInt(scalar, point)) });
        if (scalar) await say(shared);
        else await say(async () => ({ plain: hexOf(openChaChaPoly(key, nonce, sealed)) }));
    }
}
