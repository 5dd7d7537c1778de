// SPDX-License-Identifier: Apache-2.0
internal import CLibcrypto

// The algorithms of age, in the few forms in which it uses them.

/// Diffie-Hellman on Curve25519 (RFC 7748, section 5).
enum X25519 {
    /// The size of a scalar, a point and a shared secret.
    static let byteCount = 32

    /// The scalar times the base point.
    /// - Parameter scalar: 32 bytes.
    static func point(of scalar: Secret) throws(EvidenceError) -> [UInt8] {
        guard let key = privateKey(scalar) else { throw EvidenceError.failed("make an X25519 key") }
        defer { EVP_PKEY_free(key) }
        var point = [UInt8](repeating: 0, count: byteCount)
        var count = byteCount
        guard EVP_PKEY_get_raw_public_key(key, &point, &count) == 1 else {
            throw EvidenceError.failed("make an X25519 key")
        }
        return point
    }

    /// - Parameters:
    ///   - scalar: 32 bytes.
    ///   - point: 32 bytes.
    /// - Returns: nil if the secret is zero, as it is for the few points of low order with every scalar, or without
    ///   memory.
    static func sharedSecret(_ scalar: Secret, _ point: [UInt8]) -> Secret? {
        guard let key = privateKey(scalar) else { return nil }
        defer { EVP_PKEY_free(key) }
        guard let peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, point, point.count) else { return nil }
        defer { EVP_PKEY_free(peer) }
        guard let context = EVP_PKEY_CTX_new(key, nil) else { return nil }
        defer {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        return Secret(count: byteCount) { bytes in
            var count = byteCount
            return EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, peer) == 1
                && EVP_PKEY_derive(context, bytes.baseAddress, &count) == 1 && count == byteCount
        }
    }

    private static func privateKey(_ scalar: Secret) -> OpaquePointer? {
        scalar.withBytes { EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, $0.baseAddress, $0.count) }
    }
}

/// HMAC-SHA-256 (RFC 2104).
enum HMACSHA256 {
    static let byteCount = 32

    static func authenticate(_ message: [UInt8], with key: Secret) throws(EvidenceError) -> [UInt8] {
        guard let code = key.withBytes({ secretCode(of: message, key: $0) }) else {
            throw EvidenceError.failed("authenticate")
        }
        return code.withBytes { Array($0) }
    }

    fileprivate static func secretCode(of message: [UInt8], key: UnsafeRawBufferPointer) -> Secret? {
        message.withUnsafeBytes { secretCode(of: $0, key: key) }
    }

    fileprivate static func secretCode(of message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) -> Secret? {
        Secret(count: byteCount) { code in
            HMAC(
                EVP_sha256(), key.baseAddress, Int32(key.count), message.bindMemory(to: UInt8.self).baseAddress,
                message.count, code.bindMemory(to: UInt8.self).baseAddress, nil) != nil
        }
    }
}

/// HKDF-SHA-256 (RFC 5869) with 32 bytes of output: one block, so that each of its two steps is one HMAC.
enum HKDFSHA256 {
    static func derive(from secret: Secret, salt: [UInt8], info: String) throws(EvidenceError) -> Secret {
        let extracted = salt.withUnsafeBytes { salt in
            secret.withBytes { HMACSHA256.secretCode(of: $0, key: salt) }
        }
        let key = extracted?.withBytes { HMACSHA256.secretCode(of: Array(info.utf8) + [1], key: $0) }
        guard let key else { throw EvidenceError.failed("derive a key") }
        return key
    }
}

/// ChaCha20-Poly1305 (RFC 8439) without additional data.
enum ChaChaPoly {
    static let nonceByteCount = 12
    static let tagByteCount = 16

    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes.
    /// - Returns: as many bytes, and a tag.
    static func seal(_ plain: ArraySlice<UInt8>, key: Secret, nonce: [UInt8]) throws(EvidenceError) -> [UInt8] {
        guard let sealed = plain.withUnsafeBufferPointer({ seal($0, key, nonce) }) else {
            throw EvidenceError.failed("encrypt")
        }
        return sealed
    }

    /// The same for a secret.
    static func seal(_ plain: Secret, key: Secret, nonce: [UInt8]) throws(EvidenceError) -> [UInt8] {
        guard let sealed = plain.withBytes({ seal($0.bindMemory(to: UInt8.self), key, nonce) }) else {
            throw EvidenceError.failed("encrypt")
        }
        return sealed
    }

    private static func seal(_ plain: UnsafeBufferPointer<UInt8>, _ key: Secret, _ nonce: [UInt8]) -> [UInt8]? {
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        var sealed = [UInt8](repeating: 0, count: plain.count + tagByteCount)
        var tag = [UInt8](repeating: 0, count: tagByteCount)
        var count: Int32 = 0
        guard start(context, isEncrypting: true, key, nonce),
            plain.isEmpty || EVP_CipherUpdate(context, &sealed, &count, plain.baseAddress, Int32(plain.count)) == 1,
            // Writes nothing, but wants a place.
            EVP_CipherFinal_ex(context, &tag, &count) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagByteCount), &tag) == 1
        else { return nil }
        sealed.replaceSubrange(plain.count..., with: tag)
        return sealed
    }

    /// - Parameters:
    ///   - sealed: at least 16 bytes.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes.
    /// - Returns: nil if `sealed` was not made with this key and nonce.
    static func open(_ sealed: ArraySlice<UInt8>, key: Secret, nonce: [UInt8]) throws(EvidenceError) -> [UInt8]? {
        guard let context = EVP_CIPHER_CTX_new() else { throw EvidenceError.failed("decrypt") }
        defer {
            EVP_CIPHER_CTX_free(context)
            ERR_clear_error()
        }
        let body = Array(sealed.dropLast(tagByteCount))
        var tag = Array(sealed.suffix(tagByteCount))
        var plain = [UInt8](repeating: 0, count: body.count)
        var count: Int32 = 0
        guard start(context, isEncrypting: false, key, nonce),
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagByteCount), &tag) == 1,
            body.isEmpty || EVP_CipherUpdate(context, &plain, &count, body, Int32(body.count)) == 1
        else { throw EvidenceError.failed("decrypt") }
        guard EVP_CipherFinal_ex(context, &tag, &count) == 1 else {
            plain.erase()
            return nil
        }
        return plain
    }

    private static func start(
        _ context: OpaquePointer, isEncrypting: Bool, _ key: Secret, _ nonce: [UInt8]
    ) -> Bool {
        key.withBytes {
            EVP_CipherInit_ex(
                context, EVP_chacha20_poly1305(), nil, $0.bindMemory(to: UInt8.self).baseAddress, nonce,
                isEncrypting ? 1 : 0)
        } == 1
    }
}
