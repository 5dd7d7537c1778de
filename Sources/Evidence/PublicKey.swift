// SPDX-License-Identifier: Apache-2.0
internal import CLibcrypto

/// A public key on the curve P-256 (FIPS 186-4, D.1.2.3; `nistp256` of SSH, `prime256v1` of OpenSSL).
public struct PublicKey: Hashable, Sendable {
    /// The type of such keys in SSH (RFC 5656).
    static let type = "ecdsa-sha2-nistp256"
    private static let curve = "nistp256"
    /// The number of bytes of an uncompressed point.
    static let pointByteCount = 65

    /// The uncompressed point (SEC 1, 2.3.3): 04, then X and Y of 32 bytes each.
    public let point: [UInt8]

    /// - Parameter point: an uncompressed point of 65 bytes; nil if it is not on the curve.
    public init?(point: [UInt8]) {
        guard point.count == Self.pointByteCount, point[0] == 4, let key = Self.key(at: point) else { return nil }
        EVP_PKEY_free(key)
        self.point = point
    }

    /// - Parameter point: of a key that libcrypto has checked.
    init(checked point: [UInt8]) { self.point = point }

    /// Reads a line as ``text``, or of `ssh-keygen`: the type, the key in Base64, and optionally a comment.
    /// - Parameter text: nil for other types of keys and other texts.
    public init?(text: String) {
        let fields = text.utf8.split(maxSplits: 2) { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard fields.count >= 2, fields[0].elementsEqual(Self.type.utf8),
            let blob = Base64.decode(Array(fields[1]), isPadded: true)
        else { return nil }
        self.init(blob: blob)
    }

    /// Reads ``blob``; nil for anything else.
    init?(blob: some Sequence<UInt8>) {
        var reader = SSHReader(blob)
        guard reader.skip(Self.type), reader.skip(Self.curve), let point = reader.string(), reader.rest.isEmpty else {
            return nil
        }
        self.init(point: Array(point))
    }

    /// The key as SSH encodes it (RFC 5656, 3.1).
    var blob: [UInt8] {
        var writer = SSHWriter()
        writer.append(Self.type)
        writer.append(Self.curve)
        writer.append(point)
        return writer.bytes
    }

    /// `SHA256:` and 43 characters of Base64, as `ssh-keygen -lf` prints it.
    public var fingerprint: String {
        let digest = Base64.encode(SHA256Digest(of: blob).bytes, isPadded: false)
        return "SHA256:" + String(decoding: digest, as: UTF8.self)
    }

    /// The key as in a file `id_ecdsa.pub` of OpenSSH: `ecdsa-sha2-nistp256 AAAA…`.
    public var text: String {
        Self.type + " " + String(decoding: Base64.encode(blob, isPadded: true), as: UTF8.self)
    }

    /// Checks an ECDSA signature with SHA-256.
    /// - Parameter signature: in DER (RFC 3279, 2.2.3).
    func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let key = Self.key(at: point), let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(key)
            // A wrong signature leaves errors in the thread's queue.
            ERR_clear_error()
        }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// - Returns: libcrypto's key, to be freed; nil if the point is not on the curve.
    private static func key(at point: [UInt8]) -> OpaquePointer? {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
        defer {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        var key: OpaquePointer?
        guard EVP_PKEY_paramgen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, SN_X9_62_prime256v1) == 1,
            EVP_PKEY_paramgen(context, &key) == 1, let key
        else { return nil }
        guard EVP_PKEY_set1_encoded_public_key(key, point, point.count) == 1 else {
            EVP_PKEY_free(key)
            return nil
        }
        return key
    }

    /// The key of libcrypto's `key`.
    /// - Returns: nil if it is on another curve or of another type, or has its curve's parameters instead of the name.
    static func point(of key: OpaquePointer) -> [UInt8]? {
        defer { ERR_clear_error() }
        var isExplicit: Int32 = 0
        var point = [UInt8](repeating: 0, count: pointByteCount)
        var count = 0
        guard EVP_PKEY_is_a(key, "EC") == 1, groupName(of: key) == SN_X9_62_prime256v1,
            EVP_PKEY_get_int_param(key, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &isExplicit) == 1,
            isExplicit == 0,
            EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, &point, point.count, &count) == 1,
            count == pointByteCount, point[0] == 4
        else { return nil }
        return point
    }

    /// The name of the curve of libcrypto's `key`, such as `secp384r1`; nil if it has none.
    static func groupName(of key: OpaquePointer) -> String? {
        var name = [CChar](repeating: 0, count: 80)
        var count = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return nil }
        return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }
}
