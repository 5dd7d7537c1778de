// SPDX-License-Identifier: Apache-2.0
// Signatures of PDF files: CMS SignedData (RFC 5652) with one signer, and time stamps (RFC 3161) in it. Certificates
// are not followed to an authority: whose key it is, the fingerprint says.
import { BIT_STRING, INTEGER, OCTET_STRING, OID, SEQUENCE, SET, bad, read, same, text, time } from "./der.js";
import { FileError, hex, joined, latin1 } from "./steps.js";

const DATA = "1.2.840.113549.1.7.1";
const SIGNED_DATA = "1.2.840.113549.1.7.2";
const TIME_STAMP = "1.2.840.113549.1.9.16.1.4";
const CONTENT_TYPE = "1.2.840.113549.1.9.3";
const MESSAGE_DIGEST = "1.2.840.113549.1.9.4";
const SIGNING_TIME = "1.2.840.113549.1.9.5";
const SIGNING_CERTIFICATE = "1.2.840.113549.1.9.16.2.47";
const KEY_IDENTIFIER = "2.5.29.14";

const HASHES = {
    "2.16.840.1.101.3.4.2.1": "SHA-256", "2.16.840.1.101.3.4.2.2": "SHA-384", "2.16.840.1.101.3.4.2.3": "SHA-512",
};
const CURVES = {
    "1.2.840.10045.3.1.7": { name: "P-256", size: 32 }, "1.3.132.0.34": { name: "P-384", size: 48 },
    "1.3.132.0.35": { name: "P-521", size: 66 },
};
/** Algorithms of signatures, with the hash if they say one. */
const SIGNATURES = {
    "1.2.840.10045.4.3.2": ["ECDSA", "SHA-256"], "1.2.840.10045.4.3.3": ["ECDSA", "SHA-384"],
    "1.2.840.10045.4.3.4": ["ECDSA", "SHA-512"], "1.2.840.113549.1.1.1": ["RSASSA-PKCS1-v1_5"],
    "1.2.840.113549.1.1.11": ["RSASSA-PKCS1-v1_5", "SHA-256"],
    "1.2.840.113549.1.1.12": ["RSASSA-PKCS1-v1_5", "SHA-384"],
    "1.2.840.113549.1.1.13": ["RSASSA-PKCS1-v1_5", "SHA-512"], "1.2.840.113549.1.1.10": ["RSA-PSS"],
};
const NAMES = { "2.5.4.3": "CN", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.6": "C", "1.2.840.113549.1.9.1": "E" };

/**
 * @typedef {{subject: string, raw: Uint8Array, key: Uint8Array, issuer: Uint8Array, serial: Uint8Array,
 *     keyIdentifier?: Uint8Array}} Certificate
 * @typedef {{certificate: Certificate, isTimeStamp: boolean, at?: number, digestFits: boolean, signatureFits: boolean,
 *     certificateFits: boolean}} Signature  `at`: the time in the signature, which its maker chose; of a time stamp,
 *     that of its authority
 */

/**
 * @param {Uint8Array} bytes DER; zeros may follow
 * @param {(hash: string) => Promise<Uint8Array>} digest of the signed bytes
 * @returns {Promise<Signature>}
 * @throws {FileError} `cms`: not understood; `cmsKind`: an algorithm or a form that is not checked here
 */
export async function checkSignature(bytes, digest) {
    const outer = read(bytes);
    if (!bytes.subarray(outer.raw.length).every((byte) => byte === 0)) throw bad("bytes follow it");
    const [type, wrapped] = outer.as(SEQUENCE).children;
    if (type?.oid !== SIGNED_DATA || wrapped?.tag !== 0xa0) throw kind("it is no SignedData");
    const [, , encapsulated, ...rest] = read(wrapped.content).as(SEQUENCE).children;
    const [contentType, content] = (encapsulated ?? outer).as(SEQUENCE).children;
    const certificates = rest.find((element) => element.tag === 0xa0)?.children.map(readCertificate) ?? [];
    const signers = rest.at(-1)?.as(SET).children ?? [];
    if (signers.length !== 1) throw kind(`it has ${signers.length} signers`);
    const signer = readSigner(signers[0]);
    const certificate = certificates.find((one) => signer.isOf(one));
    if (!certificate) throw kind("the certificate of the signer is not in it");
    if (!signer.attributes) throw kind("it has no signed attributes");
    // RFC 5652, section 5.4: with the tag of a SET.
    const signed = signer.attributes.raw.slice();
    signed[0] = SET;
    const attributes = readAttributes(signer.attributes);
    const isTimeStamp = contentType.oid === TIME_STAMP;
    if (!isTimeStamp && (contentType.oid !== DATA || content)) throw kind("the signed bytes are in it");
    const value = attributes.get(MESSAGE_DIGEST)?.as(OCTET_STRING).content;
    if (!value || attributes.get(CONTENT_TYPE)?.oid !== contentType.oid) throw bad("a signed attribute is missing");
    let at = attributes.has(SIGNING_TIME) ? time(/** @type {any} */ (attributes.get(SIGNING_TIME))) : undefined;
    let digestFits;
    if (isTimeStamp) {
        const info = read((content ?? outer).as(0xa0).content).as(OCTET_STRING).content;
        const [, , imprint, , generated] = read(info).as(SEQUENCE).children;
        const [algorithm, stamped] = imprint.children;
        const isStamped = same(stamped.content, await digest(hashOf(algorithm)));
        digestFits = isStamped && same(value, await hashed(signer.hash, info));
        at = time(generated);
    } else digestFits = same(value, await digest(signer.hash));
    return {
        certificate, isTimeStamp, at, digestFits, signatureFits: await verify(signer, certificate, signed),
        certificateFits: await isNamed(attributes.get(SIGNING_CERTIFICATE), certificate),
    };
}

async function hashed(/** @type {string} */ hash, /** @type {Uint8Array} */ bytes) {
    return new Uint8Array(await crypto.subtle.digest(hash, bytes));
}

function hashOf(/** @type {any} */ algorithm) {
    const hash = HASHES[algorithm.as(SEQUENCE).children[0].oid];
    if (!hash) throw kind("its digest is none of SHA-256, SHA-384 and SHA-512");
    return hash;
}

/** SignerInfo (section 5.3). */
function readSigner(/** @type {any} */ element) {
    const [, identifier, digestAlgorithm, ...rest] = element.as(SEQUENCE).children;
    const attributes = rest[0]?.tag === 0xa0 ? rest.shift() : undefined;
    const [algorithm, signature] = rest;
    if (!signature) throw bad("the signature is missing");
    const isOf = (/** @type {Certificate} */ certificate) => {
        if (identifier.tag === 0x80)
            return !!certificate.keyIdentifier && same(identifier.content, certificate.keyIdentifier);
        const [issuer, serial] = identifier.as(SEQUENCE).children;
        return same(issuer.raw, certificate.issuer) && same(serial.raw, certificate.serial);
    };
    const { content } = signature.as(OCTET_STRING);
    return { isOf, hash: hashOf(digestAlgorithm), attributes, algorithm, signature: content };
}

/** @returns {Map<string, any>} the one value of each attribute */
function readAttributes(/** @type {any} */ element) {
    const found = new Map();
    for (const attribute of element.children) {
        const [type, values] = attribute.as(SEQUENCE).children;
        const all = values.as(SET).children;
        if (found.has(type.oid) || all.length !== 1) throw bad("an attribute has not exactly one value");
        found.set(type.oid, all[0]);
    }
    return found;
}

/** Whether the attribute of the signing certificate (RFC 5035), if there is one, has this one's digest. */
async function isNamed(/** @type {any} */ attribute, /** @type {Certificate} */ certificate) {
    if (!attribute) return true;
    const parts = attribute.as(SEQUENCE).children[0].as(SEQUENCE).children[0].as(SEQUENCE).children;
    const hash = parts[0].tag === SEQUENCE ? hashOf(parts.shift()) : "SHA-256";
    return same(parts[0].as(OCTET_STRING).content, await hashed(hash, certificate.raw));
}

/** @returns {Promise<boolean>} */
async function verify(/** @type {any} */ signer, /** @type {Certificate} */ certificate,
    /** @type {Uint8Array} */ signed) {
    const [type, parameters] = signer.algorithm.as(SEQUENCE).children;
    const [name, own] = SIGNATURES[type.oid] ?? [];
    if (!name) throw kind("its algorithm is neither ECDSA nor RSA with SHA-2");
    const hash = own ?? signer.hash;
    const [keyAlgorithm, keyBits] = read(certificate.key).children;
    const [keyType, curveName] = keyAlgorithm.children;
    if (name === "ECDSA") {
        const curve = keyType.oid === "1.2.840.10045.2.1" && curveName?.tag === OID ? CURVES[curveName.oid] : undefined;
        if (!curve) throw kind("its key is on none of the curves P-256, P-384 and P-521");
        const raw = read(signer.signature).as(SEQUENCE).children.map((number) => fixed(number, curve.size));
        if (raw.length !== 2 || raw.includes(null)) return false;
        const key = await imported("raw", keyBits.as(BIT_STRING).content.subarray(1), { name, namedCurve: curve.name });
        return await crypto.subtle.verify({ name, hash }, key, joined(raw), signed);
    }
    let [used, saltLength] = [hash, 0];
    if (name === "RSA-PSS") {
        // RFC 4055, section 3.1; its defaults use SHA-1.
        const options = new Map((parameters?.children ?? []).map((option) => [option.tag, read(option.content)]));
        if (!options.has(0xa0)) throw kind("its algorithm uses SHA-1");
        used = hashOf(options.get(0xa0));
        const generator = options.get(0xa1)?.children;
        if (generator?.[0].oid !== "1.2.840.113549.1.1.8" || hashOf(generator[1]) !== used)
            throw kind("its algorithm is unusual");
        const salt = options.get(0xa2)?.as(INTEGER).content ?? [20];
        saltLength = salt.reduce((/** @type {number} */ sum, /** @type {number} */ byte) => sum * 256 + byte, 0);
        if (saltLength > 512) throw kind("its algorithm is unusual");
    }
    const key = await imported("spki", plainRSA(keyBits), { name, hash: used });
    return await crypto.subtle.verify({ name, saltLength }, key, signer.signature, signed);
}

async function imported(/** @type {any} */ format, /** @type {Uint8Array} */ bytes, /** @type {any} */ algorithm) {
    try {
        return await crypto.subtle.importKey(format, bytes, algorithm, false, ["verify"]);
    } catch {
        throw kind("its key cannot be used here");
    }
}

/** An RSA key as rsaEncryption, which is what WebCrypto takes for all uses. */
function plainRSA(/** @type {any} */ bits) {
    const algorithm = [0x30, 13, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 1, 1, 5, 0];
    const content = joined([Uint8Array.from(algorithm), bits.as(BIT_STRING).raw]);
    const length = content.length < 128 ? [content.length]
        : content.length < 256 ? [0x81, content.length] : [0x82, content.length >> 8, content.length & 255];
    return joined([Uint8Array.from([0x30, ...length]), content]);
}

/** A positive INTEGER in so many bytes; nothing if it is larger, or no number of a signature. */
function fixed(/** @type {any} */ number, /** @type {number} */ size) {
    let bytes = number.as(INTEGER).content;
    if (bytes.length === 0 || bytes[0] & 128) return null;
    while (bytes.length > size && bytes[0] === 0) bytes = bytes.subarray(1);
    if (bytes.length > size) return null;
    const result = new Uint8Array(size);
    result.set(bytes, size - bytes.length);
    return result;
}

// MARK: Certificates

/** @returns {Certificate} */
function readCertificate(/** @type {any} */ element) {
    const body = element.as(SEQUENCE).children[0].as(SEQUENCE).children;
    if (body[0].tag === 0xa0) body.shift();
    const [serial, , issuer, , subject, key, ...rest] = body;
    const extensions = rest.find((part) => part.tag === 0xa3);
    let keyIdentifier;
    for (const extension of extensions ? read(extensions.content).children : []) {
        const parts = extension.children;
        if (parts[0].oid === KEY_IDENTIFIER) keyIdentifier = read(parts.at(-1).as(OCTET_STRING).content).content;
    }
    return {
        subject: distinguishedName(subject), raw: element.raw, key: key.raw, issuer: issuer.raw, serial: serial.raw,
        keyIdentifier,
    };
}

/** `CN=Panel 12, O=Example`; other parts have their identifiers. */
function distinguishedName(/** @type {any} */ element) {
    return element.children.flatMap((set) => set.children).map((part) => {
        const [type, value] = part.children;
        return `${NAMES[type.oid] ?? type.oid}=${text(value)}`;
    }).join(", ").slice(0, 500);
}

/** Of a P-256 key as `ssh-keygen -lf` prints it (RFC 5656, 3.1), to compare with seals; else of the certificate. */
export async function fingerprint(/** @type {Certificate} */ certificate) {
    const [algorithm, bits] = read(certificate.key).children;
    const point = bits.content.subarray(1);
    const curve = algorithm.children[1];
    if (curve?.tag !== OID || CURVES[curve.oid]?.name !== "P-256" || point.length !== 65)
        return `SHA-256 ${hex(await hashed("SHA-256", certificate.raw))}`;
    const encoder = new TextEncoder();
    const parts = [encoder.encode("ecdsa-sha2-nistp256"), encoder.encode("nistp256"), point];
    const blob = joined(parts.flatMap((part) => [Uint8Array.from([0, 0, 0, part.length]), part]));
    return `SHA256:${btoa(latin1(await hashed("SHA-256", blob))).replace(/=+$/, "")}`;
}

function kind(/** @type {string} */ reason) {
    return new FileError("cmsKind", `The signature is not checked here: ${reason}`);
}
