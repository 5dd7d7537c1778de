// SPDX-License-Identifier: Apache-2.0
// ChaCha20-Poly1305 (RFC 8439) without additional data, which WebCrypto lacks. It only opens files of the reader's own,
// on the reader's own machine, so that its time may depend on the secret.

const LIMB = 2 ** 22;

/** ChaCha20 (section 2.3 and 2.4): the key stream of one key and nonce. */
class ChaCha20 {
    /** @param {Uint8Array} key 32 bytes @param {Uint8Array} nonce 12 bytes */
    constructor(key, nonce) {
        this.input = new Uint32Array(16);
        this.input.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
        this.input.set(words(key), 4);
        this.input.set(words(nonce), 13);
        this.words = new Uint32Array(16);
        this.bytes = new Uint8Array(64);
    }

    /** @param {number} counter @returns {Uint8Array} 64 bytes, until the next call */
    block(counter) {
        const { input, words: x, bytes } = this;
        input[12] = counter;
        x.set(input);
        for (let round = 0; round < 10; round++) {
            quarter(x, 0, 4, 8, 12);
            quarter(x, 1, 5, 9, 13);
            quarter(x, 2, 6, 10, 14);
            quarter(x, 3, 7, 11, 15);
            quarter(x, 0, 5, 10, 15);
            quarter(x, 1, 6, 11, 12);
            quarter(x, 2, 7, 8, 13);
            quarter(x, 3, 4, 9, 14);
        }
        for (let i = 0; i < 16; i++) {
            const word = x[i] + input[i];
            bytes[4 * i] = word;
            bytes[4 * i + 1] = word >>> 8;
            bytes[4 * i + 2] = word >>> 16;
            bytes[4 * i + 3] = word >>> 24;
        }
        return bytes;
    }
}

/** The quarter round (section 2.1). */
function quarter(/** @type {Uint32Array} */ x, /** @type {number} */ a, /** @type {number} */ b,
    /** @type {number} */ c, /** @type {number} */ d) {
    x[a] += x[b];
    let word = x[d] ^ x[a];
    x[d] = (word << 16) | (word >>> 16);
    x[c] += x[d];
    word = x[b] ^ x[c];
    x[b] = (word << 12) | (word >>> 20);
    x[a] += x[b];
    word = x[d] ^ x[a];
    x[d] = (word << 8) | (word >>> 24);
    x[c] += x[d];
    word = x[b] ^ x[c];
    x[b] = (word << 7) | (word >>> 25);
}

/** @param {Uint8Array} bytes little-endian @returns {number[]} */
function words(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i, true));
}

/**
 * Poly1305 (section 2.5) modulo p = 2^130 - 5, in six limbs of 22 bits: sums of six products stay below 2^53, so they
 * are exact as doubles.
 * @param {Uint8Array} message
 * @param {Uint8Array} key 32 bytes
 * @returns {Uint8Array} 16 bytes
 */
export function poly1305(message, key) {
    const clamped = key.slice(0, 16);
    for (const i of [3, 7, 11, 15]) clamped[i] &= 15;
    for (const i of [4, 8, 12]) clamped[i] &= 252;
    const r = limbs(clamped, 0);
    const [r0, r1, r2, r3, r4, r5] = r;
    // 2^132 is 20 modulo p.
    const [, s1, s2, s3, s4, s5] = r.map((limb) => 20 * limb);
    const block = new Uint8Array(16);
    let [h0, h1, h2, h3, h4, h5] = [0, 0, 0, 0, 0, 0];
    for (let i = 0; i < message.length; i += 16) {
        let m;
        if (i + 16 <= message.length) {
            m = limbs(message, i);
            m[5] += 2 ** 18;
        } else {
            block.fill(0);
            block.set(message.subarray(i));
            block[message.length - i] = 1;
            m = limbs(block, 0);
        }
        h0 += m[0];
        h1 += m[1];
        h2 += m[2];
        h3 += m[3];
        h4 += m[4];
        h5 += m[5];
        const p0 = h0 * r0 + h1 * s5 + h2 * s4 + h3 * s3 + h4 * s2 + h5 * s1;
        let p1 = h0 * r1 + h1 * r0 + h2 * s5 + h3 * s4 + h4 * s3 + h5 * s2;
        let p2 = h0 * r2 + h1 * r1 + h2 * r0 + h3 * s5 + h4 * s4 + h5 * s3;
        let p3 = h0 * r3 + h1 * r2 + h2 * r1 + h3 * r0 + h4 * s5 + h5 * s4;
        let p4 = h0 * r4 + h1 * r3 + h2 * r2 + h3 * r1 + h4 * r0 + h5 * s5;
        let p5 = h0 * r5 + h1 * r4 + h2 * r3 + h3 * r2 + h4 * r1 + h5 * r0;
        let carry = Math.floor(p0 / LIMB);
        h0 = p0 - carry * LIMB;
        p1 += carry;
        carry = Math.floor(p1 / LIMB);
        h1 = p1 - carry * LIMB;
        p2 += carry;
        carry = Math.floor(p2 / LIMB);
        h2 = p2 - carry * LIMB;
        p3 += carry;
        carry = Math.floor(p3 / LIMB);
        h3 = p3 - carry * LIMB;
        p4 += carry;
        carry = Math.floor(p4 / LIMB);
        h4 = p4 - carry * LIMB;
        p5 += carry;
        carry = Math.floor(p5 / LIMB);
        h5 = p5 - carry * LIMB;
        h0 += 20 * carry;
        carry = Math.floor(h0 / LIMB);
        h0 -= carry * LIMB;
        h1 += carry;
    }
    // Once a message, so that the last steps may be slow and plain.
    const sum = [h5, h4, h3, h2, h1, h0].reduce((sum, limb) => (sum << 22n) + BigInt(limb), 0n);
    const code = (sum % (2n ** 130n - 5n)) + little(key.subarray(16));
    return Uint8Array.from({ length: 16 }, (_, i) => Number((code >> BigInt(8 * i)) & 255n));
}

/** @returns {number[]} 128 bits in limbs of 22 bits */
function limbs(/** @type {Uint8Array} */ b, /** @type {number} */ i) {
    return [
        b[i] | (b[i + 1] << 8) | ((b[i + 2] & 63) << 16),
        (b[i + 2] >> 6) | (b[i + 3] << 2) | (b[i + 4] << 10) | ((b[i + 5] & 15) << 18),
        (b[i + 5] >> 4) | (b[i + 6] << 4) | (b[i + 7] << 12) | ((b[i + 8] & 3) << 20),
        (b[i + 8] >> 2) | (b[i + 9] << 6) | (b[i + 10] << 14),
        b[i + 11] | (b[i + 12] << 8) | ((b[i + 13] & 63) << 16),
        (b[i + 13] >> 6) | (b[i + 14] << 2) | (b[i + 15] << 10),
    ];
}

/** @param {Uint8Array} bytes @returns {bigint} */
function little(bytes) {
    return bytes.reduceRight((sum, byte) => (sum << 8n) + BigInt(byte), 0n);
}

/** Adds (takes away) the key stream, from block 1 on. */
function applied(/** @type {ChaCha20} */ cipher, /** @type {Uint8Array} */ text) {
    const result = new Uint8Array(text.length);
    for (let start = 0, counter = 1; start < text.length; start += 64, counter++) {
        const stream = cipher.block(counter);
        const end = Math.min(text.length, start + 64);
        for (let i = start; i < end; i++) result[i] = text[i] ^ stream[i - start];
    }
    return result;
}

/**
 * Opens what AEAD_CHACHA20_POLY1305 sealed (section 2.8).
 * @param {Uint8Array} key 32 bytes
 * @param {Uint8Array} nonce 12 bytes
 * @param {Uint8Array} sealed ends with the tag of 16 bytes
 * @returns {Uint8Array|undefined} nothing if it was not made with this key and nonce
 */
export function openChaChaPoly(key, nonce, sealed) {
    if (sealed.length < 16) return undefined;
    const cipher = new ChaCha20(key, nonce);
    const text = sealed.subarray(0, -16);
    const tag = sealed.subarray(-16);
    // What is authenticated: the text filled up to 16 bytes, the lengths of additional data (0) and of the text.
    const message = new Uint8Array(Math.ceil(text.length / 16) * 16 + 16);
    message.set(text);
    new DataView(message.buffer).setUint32(message.length - 8, text.length, true);
    const code = poly1305(message, cipher.block(0).slice(0, 32));
    if (!code.every((byte, i) => byte === tag[i])) return undefined;
    return applied(cipher, text);
}
