// SPDX-License-Identifier: Apache-2.0
internal import CLibcrypto

/// A signature over a file, in OpenSSH's format SSHSIG (PROTOCOL.sshsig of OpenSSH), with a key on P-256 and SHA-512.
///
/// `ssh-keygen -Y verify` checks it. The signed bytes begin with `SSHSIG`, so that no signature for another purpose,
/// such as that of a certificate, can be taken for one of these.
public struct SSHSignature: Equatable, Sendable {
    public let publicKey: PublicKey
    /// The purpose of the signature: 1 to 255 visible ASCII characters.
    public let namespace: String
    /// The two numbers of ECDSA, as SSH's `mpint`s without their lengths, which are INTEGERs of DER, too.
    private let r, s: ArraySlice<UInt8>

    /// The longest armoured signature that is read, in bytes. With a short namespace, 600 suffice.
    public static let longestArmour = 16 << 10
    /// A SEQUENCE of two INTEGERs of at most 33 bytes.
    static let longestDER = 72

    private static let magic = Array("SSHSIG".utf8)
    private static let version: UInt32 = 1
    private static let hash = "sha512"
    private static let firstLine = Array("-----BEGIN SSH SIGNATURE-----\n".utf8)
    private static let lastLine = Array("-----END SSH SIGNATURE-----\n".utf8)
    private static let lineLength = 76

    /// - Parameter der: a signature as libcrypto makes it (RFC 3279, 2.2.3); nil for anything else.
    init?(publicKey: PublicKey, namespace: String, der: ArraySlice<UInt8>) {
        // All lengths are below 128: one byte each.
        var rest = der
        func next(_ tag: UInt8) -> ArraySlice<UInt8>? {
            guard rest.count >= 2, rest.removeFirst() == tag, case let count = Int(rest.removeFirst()),
                count <= rest.count
            else { return nil }
            defer { rest.removeFirst(count) }
            return rest.prefix(count)
        }
        guard let sequence = next(0x30), rest.isEmpty else { return nil }
        rest = sequence
        guard let r = next(0x02), let s = next(0x02), rest.isEmpty else { return nil }
        (self.publicKey, self.namespace, self.r, self.s) = (publicKey, namespace, r, s)
    }

    private var der: [UInt8] {
        func field(_ tag: UInt8, _ value: some Collection<UInt8>) -> [UInt8] { [tag, UInt8(value.count)] + value }
        return field(0x30, field(0x02, r) + field(0x02, s))
    }

    static func isNamespace(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// The bytes that the key signs: not the message but its SHA-512, with the purpose.
    static func signedBytes(of message: [UInt8], namespace: String) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA512_DIGEST_LENGTH))
        precondition(
            EVP_Digest(message, message.count, &digest, nil, EVP_sha512(), nil) == 1, "libcrypto has no SHA-512")
        var writer = SSHWriter()
        writer.append(raw: magic)
        writer.append(namespace)
        writer.append("")
        writer.append(hash)
        writer.append(digest)
        return writer.bytes
    }

    /// Whether the owner of the key signed exactly these bytes for ``namespace``. Whose key it is, and whether the
    /// namespace is the wanted one, is up to the caller.
    public func isValid(for message: [UInt8]) -> Bool {
        publicKey.isValid(der, for: Self.signedBytes(of: message, namespace: namespace))
    }

    /// The contents of a file `.sig`: Base64 in lines of 76 characters between a first and a last line.
    public var armoured: [UInt8] {
        var writer = SSHWriter()
        writer.append(raw: Self.magic)
        writer.append(Self.version)
        writer.append(publicKey.blob)
        writer.append(namespace)
        writer.append("")
        writer.append(Self.hash)
        var numbers = SSHWriter()
        numbers.append(r)
        numbers.append(s)
        var signature = SSHWriter()
        signature.append(PublicKey.type)
        signature.append(numbers.bytes)
        writer.append(signature.bytes)
        let text = Base64.encode(writer.bytes, isPadded: true)
        var lines = Self.firstLine
        for start in stride(from: 0, to: text.count, by: Self.lineLength) {
            lines += text[start..<min(start + Self.lineLength, text.count)]
            lines.append(UInt8(ascii: "\n"))
        }
        return lines + Self.lastLine
    }

    /// Reads a file `.sig`. Any length of lines will do, since `ssh-keygen` writes other ones, and the last newline may
    /// be missing. Everything else has one form only; `ssh-keygen` does not read the line ends of Windows either.
    public init(armoured: [UInt8]) throws(EvidenceError) {
        func refused(_ reason: String) -> EvidenceError { .signature(reason: reason) }
        guard armoured.count <= Self.longestArmour else {
            throw refused("it is longer than \(Self.longestArmour) bytes")
        }
        guard let blob = Self.blob(inArmour: armoured) else {
            throw refused("it is not Base64 between the lines BEGIN SSH SIGNATURE and END SSH SIGNATURE")
        }
        var reader = SSHReader(blob)
        guard reader.skip(raw: Self.magic), let version = reader.uint32() else { throw refused("it is not an SSHSIG") }
        guard version == Self.version else { throw refused("its version is \(version), not \(Self.version)") }
        guard let key = reader.string(), let namespace = reader.string(), let reserved = reader.string(),
            let hash = reader.string(), let signature = reader.string()
        else { throw refused("it ends too early") }
        guard reader.rest.isEmpty else { throw refused("something follows its end") }
        guard let publicKey = PublicKey(blob: key) else { throw refused("its key is not \(PublicKey.type)") }
        let text = String(decoding: namespace, as: UTF8.self)
        guard Self.isNamespace(text), reserved.isEmpty else {
            throw refused("its namespace is not 1 to 255 visible ASCII characters, or its reserved field is not empty")
        }
        guard hash.elementsEqual(Self.hash.utf8) else { throw refused("its hash is not \(Self.hash)") }
        reader = SSHReader(signature)
        guard reader.skip(PublicKey.type), let numbers = reader.string(), reader.rest.isEmpty else {
            throw refused("its signature is not \(PublicKey.type)")
        }
        reader = SSHReader(numbers)
        guard let r = reader.positive256(), let s = reader.positive256(), reader.rest.isEmpty else {
            throw refused("its signature is not two numbers between 1 and 2^256 - 1")
        }
        (self.publicKey, self.namespace, self.r, self.s) = (publicKey, text, r, s)
    }

    private static func blob(inArmour armoured: [UInt8]) -> [UInt8]? {
        let newline = UInt8(ascii: "\n")
        var lines = armoured.split(separator: newline, omittingEmptySubsequences: false)[...]
        if lines.last?.isEmpty == true { lines.removeLast() }
        guard lines.count > 2, lines.removeFirst().elementsEqual(firstLine.dropLast()),
            lines.removeLast().elementsEqual(lastLine.dropLast()), lines.allSatisfy({ !$0.isEmpty })
        else { return nil }
        return Base64.decode(Array(lines.joined()), isPadded: true)
    }
}
