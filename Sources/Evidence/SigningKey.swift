// SPDX-License-Identifier: Apache-2.0
internal import CLibcrypto

/// A panel's private key, on the curve P-256. Threads may share it: libcrypto only reads it.
public final class SigningKey: Sendable {
    /// The longest file of a key that is read, in bytes. A key on P-256 has about 250.
    private static let longestFile = 16 << 10

    /// Owned.
    nonisolated(unsafe) let key: OpaquePointer
    public let publicKey: PublicKey

    private init(owning key: OpaquePointer, _ publicKey: PublicKey) {
        self.key = key
        self.publicKey = publicKey
    }

    deinit { EVP_PKEY_free(key) }

    /// Makes a new key.
    public static func generate() throws(EvidenceError) -> SigningKey {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { throw EvidenceError.failed("make a key") }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_group_name(context, SN_X9_62_prime256v1) == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { throw EvidenceError.failed("make a key") }
        guard let point = PublicKey.point(of: key) else {
            EVP_PKEY_free(key)
            throw EvidenceError.failed("make a key")
        }
        return SigningKey(owning: key, PublicKey(checked: point))
    }

    /// Reads a key from a PEM file: PKCS #8 (RFC 5958) or `EC PRIVATE KEY` (RFC 5915).
    public convenience init(pem: [UInt8]) throws(EvidenceError) {
        let key = try Self.read(pem)
        do throws(EvidenceError) {
            let publicKey = try Self.checkedPublicKey(of: key)
            self.init(owning: key, publicKey)
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
    }

    private static func read(_ pem: [UInt8]) throws(EvidenceError) -> OpaquePointer {
        guard pem.count <= longestFile else {
            throw EvidenceError.privateKey(reason: "the file is longer than \(longestFile) bytes")
        }
        func contains(_ word: String) -> Bool { pem.firstRange(of: Array(word.utf8)) != nil }
        guard contains("PRIVATE KEY-----") else {
            throw EvidenceError.privateKey(reason: "there is no PEM block PRIVATE KEY in the file")
        }
        guard !contains("OPENSSH PRIVATE KEY") else {
            throw EvidenceError.privateKey(
                reason: "it is in OpenSSH's format; convert it with ssh-keygen -p -m PKCS8 -f FILE")
        }
        // Without a function, libcrypto would ask for a password on the terminal.
        let key = PEM.read(pem) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
        guard let key else {
            let reason = EvidenceError.libcryptoReason()
            guard !contains("ENCRYPTED") else {
                throw EvidenceError.privateKey(
                    reason: "it is encrypted with a password; decrypt it with openssl pkcs8 -in FILE -out NEW")
            }
            throw EvidenceError.privateKey(reason: reason)
        }
        return key
    }

    private static func checkedPublicKey(of key: OpaquePointer) throws(EvidenceError) -> PublicKey {
        guard let point = PublicKey.point(of: key) else {
            let type = EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown"
            let found =
                switch PublicKey.groupName(of: key) {
                case SN_X9_62_prime256v1?: "P-256 with explicit parameters"
                case let curve?: "\(type) on the curve \(curve)"
                case nil: type
                }
            throw EvidenceError.privateKey(
                reason: "its type is \(found), not P-256; make one with openssl genpkey -algorithm EC"
                    + " -pkeyopt ec_paramgen_curve:P-256")
        }
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else {
            throw EvidenceError.failed("check a key")
        }
        defer { EVP_PKEY_CTX_free(context) }
        // A public half of another key would make signatures that nobody can verify.
        guard EVP_PKEY_check(context) == 1 else {
            ERR_clear_error()
            throw EvidenceError.privateKey(reason: "its private and public halves do not belong together")
        }
        return PublicKey(checked: point)
    }

    /// The key as a PEM file, PKCS #8 without a password. Whoever gets it can sign for the panel.
    public func pem() throws(EvidenceError) -> [UInt8] {
        try PEM.write("write a key") { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
    }

    /// Signs `message` for the purpose `namespace`, as `ssh-keygen -Y sign` does. A signature is never the same twice.
    /// - Parameter namespace: 1 to 255 visible ASCII characters. A verifier accepts the signature for it only.
    public func sign(_ message: [UInt8], namespace: String) throws(EvidenceError) -> SSHSignature {
        guard SSHSignature.isNamespace(namespace) else { throw EvidenceError.namespace }
        let signed = SSHSignature.signedBytes(of: message, namespace: namespace)
        guard let context = EVP_MD_CTX_new() else { throw EvidenceError.failed("sign") }
        defer { EVP_MD_CTX_free(context) }
        var der = [UInt8](repeating: 0, count: SSHSignature.longestDER)
        var count = der.count
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &der, &count, signed, signed.count) == 1,
            let signature = SSHSignature(publicKey: publicKey, namespace: namespace, der: der.prefix(count))
        else { throw EvidenceError.failed("sign") }
        return signature
    }
}
