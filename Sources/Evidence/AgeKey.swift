// SPDX-License-Identifier: Apache-2.0

/// An X25519 public key, to which age files are encrypted (c2sp.org/age, "The X25519 recipient type").
public struct AgeRecipient: Hashable, Sendable, CustomStringConvertible {
    static let prefix = "age"

    /// 32 bytes.
    let point: [UInt8]

    init(point: [UInt8]) { self.point = point }

    /// - Parameter text: `age1` and 58 characters, as `age-keygen` prints it.
    public init(_ text: String) throws(EvidenceError) {
        func refused(_ reason: String) -> EvidenceError { .recipient(reason: reason) }
        let lower = text.lowercased()
        // Never repeat the text: it might be secret.
        if lower.hasPrefix(AgeIdentity.prefix) || lower.hasPrefix("age-plugin-") {
            throw refused(
                "this is a secret key, which opens files; give its recipient, which age-keygen -y FILE prints,"
                    + " and make a new key if others have seen this one")
        }
        if lower.hasPrefix("ssh-") || lower.hasPrefix("ecdsa-") {
            throw refused("SSH keys are not supported; make a key with age-keygen")
        }
        guard lower.hasPrefix("age1") else { throw refused("it must begin with age1") }
        do {
            let (prefix, bytes) = try Bech32.decode(text)
            guard prefix == Self.prefix else {
                throw refused("it is of another type, \(prefix); only X25519 is supported: make a key with age-keygen")
            }
            guard text == lower, bytes.count == X25519.byteCount else {
                throw refused("it must have 62 characters in lower case")
            }
            // Some points of low order give the same secret with every key; the test needs any key.
            guard X25519.sharedSecret(Secret(copying: bytes.map { _ in 1 }), bytes) != nil else {
                throw refused("everybody could open files for it; make a key with age-keygen")
            }
            point = bytes
        } catch let error as EvidenceError {
            throw error
        } catch {
            throw refused(Self.reason(of: error))
        }
    }

    static func reason(of error: any Error) -> String {
        switch error as? Bech32.Failure {
        case .checksum?: "its checksum is wrong; copy it whole, without changes"
        case .characters?: "it has characters that no key has; copy it whole, without changes"
        default: "it is cut or damaged; copy it whole, without changes"
        }
    }

    public var description: String { Bech32.encode(point, prefix: Self.prefix) }
}

/// An X25519 private key, which decrypts age files.
public struct AgeIdentity: Sendable {
    static let prefix = "age-secret-key-"
    /// The longest file of identities that is read, in bytes.
    public static let longestFile = 64 << 10

    let secret: Secret
    /// The public half, to encrypt files to.
    public let recipient: AgeRecipient

    private init(_ secret: Secret) throws(EvidenceError) {
        self.secret = secret
        recipient = AgeRecipient(point: try X25519.point(of: secret))
    }

    /// Makes a new key.
    public static func generate() throws(EvidenceError) -> AgeIdentity {
        try AgeIdentity(.random(X25519.byteCount))
    }

    /// - Parameter text: `AGE-SECRET-KEY-1` and 58 characters, as `age-keygen` prints it.
    public init(_ text: String) throws(EvidenceError) {
        try self.init(text, line: nil)
    }

    private init(_ text: String, line: Int?) throws(EvidenceError) {
        func refused(_ reason: String) -> EvidenceError { .identity(line: line, reason: reason) }
        guard text.hasPrefix(Self.prefix.uppercased()) else {
            if text.hasPrefix("age1") {
                throw refused("this is a recipient; give the secret key, which age-keygen made")
            }
            if text.hasPrefix("AGE-PLUGIN-") { throw refused("plugins are not supported; decrypt the file with age") }
            if text.hasPrefix("-----BEGIN") { throw refused("SSH keys are not supported; decrypt the file with age") }
            if text.hasPrefix("age-encryption.org/") {
                throw refused("the file of identities is encrypted itself; decrypt it with age -d first")
            }
            throw refused("it must begin with AGE-SECRET-KEY-1")
        }
        do {
            var (prefix, bytes) = try Bech32.decode(text)
            defer { bytes.erase() }
            guard prefix == Self.prefix, bytes.count == X25519.byteCount else {
                throw refused("it is of another type than X25519; decrypt the file with age")
            }
            try self.init(Secret(copying: bytes))
        } catch let error as EvidenceError {
            throw error
        } catch {
            throw refused(AgeRecipient.reason(of: error))
        }
    }

    /// The identities in a file as `age-keygen -o FILE` writes it: one a line, and comments after `#`.
    /// - Returns: at least one.
    public static func identities(inFile bytes: [UInt8]) throws(EvidenceError) -> [AgeIdentity] {
        guard bytes.count <= longestFile else {
            throw .identity(line: nil, reason: "the file is longer than \(longestFile) bytes")
        }
        var identities: [AgeIdentity] = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, var line) in lines.enumerated() {
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
            identities.append(try AgeIdentity(String(decoding: line, as: UTF8.self), line: index + 1))
        }
        guard !identities.isEmpty else {
            throw .identity(line: nil, reason: "there is no line AGE-SECRET-KEY-1… in the file")
        }
        return identities
    }

    /// The secret key as `age-keygen` prints it. A text cannot be overwritten; write it and forget it.
    public var text: String {
        var bytes = secret.withBytes { Array($0) }
        defer { bytes.erase() }
        return Bech32.encode(bytes, prefix: Self.prefix).uppercased()
    }
}
