// SPDX-License-Identifier: Apache-2.0
// Diffie-Hellman on Curve25519 (RFC 7748): the browser's own if it has it, as Chromium since 133 and Firefox since 130.

const P = 2n ** 255n - 19n;
/** PrivateKeyInfo of RFC 8410 up to the 32 bytes of the key. */
const PKCS8 = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6e, 4, 0x22, 4, 0x20];
/** The base point. */
const BASE = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 9 : 0));

/**
 * @param {Uint8Array} scalar 32 bytes
 * @param {Uint8Array} [point] 32 bytes; without it, the base point: the public key
 * @returns {Promise<Uint8Array|undefined>} nothing for a point of low order, with which every secret is zero
 */
export async function x25519(scalar, point = BASE) {
    const secret = (await byWebCrypto(scalar, point)) ?? byBigInt(scalar, point);
    return secret.some((byte) => byte !== 0) ? secret : undefined;
}

/** @returns {Promise<Uint8Array|undefined>} nothing if the browser lacks it, or refuses the point */
async function byWebCrypto(/** @type {Uint8Array} */ scalar, /** @type {Uint8Array} */ point) {
    try {
        const key = await crypto.subtle.importKey(
            "pkcs8", Uint8Array.from([...PKCS8, ...scalar]), { name: "X25519" }, false, ["deriveBits"]);
        const peer = await crypto.subtle.importKey("raw", point, { name: "X25519" }, false, []);
        return new Uint8Array(await crypto.subtle.deriveBits({ name: "X25519", public: peer }, key, 256));
    } catch {
        return undefined;
    }
}

/** The ladder of section 5, on large integers: its time depends on the secret, which is the reader's own. */
export function byBigInt(/** @type {Uint8Array} */ scalar, /** @type {Uint8Array} */ point) {
    const bits = scalar.slice();
    bits[0] &= 248;
    bits[31] = (bits[31] & 127) | 64;
    const x1 = little(point) & (2n ** 255n - 1n);
    let [x2, z2, x3, z3] = [1n, 0n, x1, 1n];
    for (let i = 254; i >= 0; i--) {
        const swap = (bits[i >> 3] >> (i & 7)) & 1;
        if (swap) [x2, z2, x3, z3] = [x3, z3, x2, z2];
        const a = x2 + z2;
        const b = x2 - z2 + P;
        const aa = (a * a) % P;
        const bb = (b * b) % P;
        const e = aa - bb + P;
        const da = ((x3 - z3 + P) * a) % P;
        const cb = ((x3 + z3) * b) % P;
        const difference = da - cb + P;
        x3 = (da + cb) ** 2n % P;
        z3 = (x1 * ((difference * difference) % P)) % P;
        x2 = (aa * bb) % P;
        z2 = (e * (aa + 121665n * e)) % P;
        if (swap) [x2, z2, x3, z3] = [x3, z3, x2, z2];
    }
    const result = (x2 * power(z2, P - 2n)) % P;
    return Uint8Array.from({ length: 32 }, (_, i) => Number((result >> BigInt(8 * i)) & 255n));
}

function little(/** @type {Uint8Array} */ bytes) {
    return bytes.reduceRight((sum, byte) => (sum << 8n) + BigInt(byte), 0n);
}

function power(/** @type {bigint} */ base, /** @type {bigint} */ exponent) {
    let result = 1n;
    for (; exponent > 0n; exponent >>= 1n) {
        if (exponent & 1n) result = (result * base) % P;
        base = (base * base) % P;
    }
    return result;
}
