// SPDX-License-Identifier: Apache-2.0
public import HostAPI
public import Record

/// A seal with its signatures, as one file: the line of the seal, then the signatures.
public struct SealFile: Equatable, Sendable {
    public let seal: Seal
    /// The bytes that are signed.
    public let line: [UInt8]
    /// Each in the armour of ssh-keygen: that of ``Seal/key`` first. A change of the key has a second one, by the old
    /// key.
    public let signatures: [[UInt8]]

    /// Signs a seal.
    /// - Parameter line: ``Seal/line()``.
    public init(_ seal: Seal, line: [UInt8], signedBy keys: [SigningKey]) throws(EvidenceError) {
        self.seal = seal
        self.line = line
        var signatures: [[UInt8]] = []
        for key in keys { signatures.append(try key.sign(line, namespace: Seal.namespace).armoured) }
        self.signatures = signatures
    }

    /// - Parameter signatures: from files of their own.
    public init(line: [UInt8], signatures: [[UInt8]]) throws(CaptureFormatError) {
        seal = try Seal(line: line)
        self.line = line
        self.signatures = signatures
    }

    /// - Parameter bytes: of a file. The signatures are not checked.
    public init(_ bytes: [UInt8]) throws(CaptureFormatError) {
        guard bytes.count <= 2 * Seal.maximumByteCount, let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            throw .notASeal("the file has no line, or more than \(2 * Seal.maximumByteCount) bytes")
        }
        line = Array(bytes[...end])
        seal = try Seal(line: line)
        let rest = Array(bytes[(end + 1)...])
        guard rest.isEmpty || rest.last == UInt8(ascii: "\n") else { throw .notASeal("its last line has no newline") }
        signatures = try Self.signatures(in: rest)
    }

    /// The signatures of a seal, which are not checked: the rest of the panel's file, or a file `.sig`, whose last
    /// newline may be missing.
    public static func signatures(in bytes: [UInt8]) throws(CaptureFormatError) -> [[UInt8]] {
        let newline = UInt8(ascii: "\n")
        var lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        // Each signature begins and ends with a line of its own.
        var signatures: [[UInt8]] = []
        for line in lines {
            if line.elementsEqual(beginning.utf8) { signatures.append([]) }
            if signatures.isEmpty { throw .notASeal("no signature begins where one must") }
            signatures[signatures.count - 1] += Array(line) + [newline]
        }
        if signatures.count > 2 { throw .notASeal("it has more than two signatures") }
        return signatures
    }

    private static let beginning = "-----BEGIN SSH SIGNATURE-----"

    public var bytes: [UInt8] { signatures.reduce(line) { $0 + $1 } }
    public var head: SealHead { SealHead(n: seal.n, digest: SHA256Digest(of: line).description) }
}
