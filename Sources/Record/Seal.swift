// SPDX-License-Identifier: Apache-2.0
public import HostAPI

/// A link in the chain of a panel's evidence: one line of JSON that names a record by its digest, and the seal before
/// it by its own. Its signature follows in the same file (OpenSSH, PROTOCOL.sshsig, namespace ``namespace``).
/// docs/seals.md describes both.
///
/// Digests are SHA-256, 64 lower-case hexadecimal digits. A seal has no name of a person and no coordinates.
public struct Seal: Codable, Equatable, Sendable {
    public static let format = "inkpanel-seal"
    public static let version = 1
    /// The version of seals with ``signed``.
    public static let signedVersion = 2
    public static let namespace = "inkpanel-seal"
    /// The `previous` of a first seal.
    public static let noDigest = String(repeating: "0", count: 64)
    /// A seal has about 900 bytes.
    public static let maximumByteCount = 8 << 10

    /// The wall clock's state, as the kernel has it (adjtimex(2)).
    public struct Clock: Codable, Equatable, Sendable {
        /// Whether a time service controls the clock.
        public var synchronized: Bool
        /// The kernel's bound for the error, microseconds; means nothing unless synchronized.
        public var maximumError: Int64

        public init(synchronized: Bool, maximumError: Int64) {
            self.synchronized = synchronized
            self.maximumError = maximumError
        }
    }

    /// Why a record was deleted.
    public enum Deletion: String, Codable, Sendable, CaseIterable {
        /// A host called `Delete`.
        case host
        /// It was too old, or there were too many.
        case age, count
        /// The capture failed after it had been sealed; its host was notified.
        case withdrawn
    }

    public var format: String
    public var version: Int
    /// The position in the chain, from 1. It goes on after a change of the key.
    public var n: Int64
    /// The digest of the seal before this one, its newline included; ``noDigest`` for the first one and after a lost
    /// key.
    public var previous: String
    /// The fingerprint of the key that signed this seal, as `ssh-keygen -lf` prints it.
    public var key: String
    /// Wall clock, microseconds since 1970-01-01 UTC.
    public var at: Int64
    public var clock: Clock
    /// The kernel's id of this boot.
    public var boot: String?
    /// Name and version of the program.
    public var program: String

    // A sealed record.

    /// Its ``CaptureID``.
    public var id: String?
    /// The digest of the record's JSON lines, also if only an encrypted file is stored.
    public var record: String?
    /// The digest of the encrypted file; nil if the record is stored as it is.
    public var stored: String?
    /// The digest of the document, as in the record.
    public var document: String?
    /// The digest of the signed document, also if only an encrypted file is stored; nil if nothing was signed.
    public var signed: String? {
        didSet { version = neededVersion }
    }
    /// The digest of the encrypted file with the signed document; nil if it is stored as it is.
    public var signedStored: String?
    /// The digests of the pages, as in the record: first without ink, last as accepted.
    public var shown: [String]?
    /// Members of ``CaptureHeader``: they order encrypted records, and say who may fetch them.
    public var startedAt, sequence: Int64?
    public var askedBy: HostRole?

    // A deleted record.

    /// Its ``CaptureID``. Its own seal stays.
    public var deleted: String?
    public var reason: Deletion?

    // A change of the key.

    /// The fingerprint of the key before. This seal has a second signature by it, unless that key is lost.
    public var replaces: String?
    public var lost: Bool?

    public init(
        n: Int64, previous: String, key: String, at: Int64, clock: Clock, boot: String? = nil, program: String
    ) {
        format = Self.format
        version = Self.version
        self.n = n
        self.previous = previous
        self.key = key
        self.at = at
        self.clock = clock
        self.boot = boot
        self.program = program
    }

    /// The only bytes of this seal, newline included.
    /// - Throws: ``CaptureFormatError/unencodable(_:)``
    public func line() throws(CaptureFormatError) -> [UInt8] {
        if let fault { throw .unencodable(fault) }
        do {
            return try JSONLines.encode(self) + [JSONLines.newline]
        } catch {
            throw .unencodable("a text of the seal is not valid Unicode (\(error))")
        }
    }

    /// - Parameter bytes: one line with its newline.
    /// - Throws: ``CaptureFormatError``, also for members that this version does not know: only exactly the line that
    ///   ``line()`` writes is a seal, so that nothing is signed that nobody reads.
    public init(line bytes: [UInt8]) throws(CaptureFormatError) {
        guard bytes.count <= Self.maximumByteCount, bytes.last == JSONLines.newline else {
            throw .notASeal("not one line of at most \(Self.maximumByteCount) bytes")
        }
        do throws(JSONLineError) {
            let value = try JSONLines.read(bytes.dropLast())
            let named = try JSONLines.decode(JSONLines.Format.self, value)
            if named.format != Self.format { throw JSONLineError(reason: "the format is \"\(named.format)\"") }
            if ![Self.version, Self.signedVersion].contains(named.version) {
                throw JSONLineError(
                    reason: "version \(named.version) is not supported (only \(Self.version) and "
                        + "\(Self.signedVersion))")
            }
            self = try JSONLines.decode(Seal.self, value)
        } catch {
            throw .notASeal(error.reason)
        }
        if let fault { throw .notASeal(fault) }
        if try line() != bytes { throw .notASeal("it is not in the canonical form, or has unknown members") }
    }

    private var neededVersion: Int { signed == nil ? Self.version : Self.signedVersion }

    /// Whether a text can be the fingerprint of a key, which programs show to people.
    private static func isFingerprint(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst("SHA256:".utf8.count)
        return text.hasPrefix("SHA256:") && digits.count == 43
            && digits.allSatisfy { digit in
                switch digit {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                    true
                default: false
                }
            }
    }

    private var fault: String? {
        if version != neededVersion { return "the version is not that of its members" }
        if !(1...CaptureHeader.largestSequence ~= n) { return "n is not 1 to 2^53 - 1" }
        if at < 0 { return "at is before 1970" }
        for key in [key, replaces].compactMap({ $0 }) where !Self.isFingerprint(key) {
            return "a key is not SHA256: and 43 letters of Base64"
        }
        for digest in [previous, record, stored, document, signed, signedStored].compactMap({ $0 }) + (shown ?? [])
        where !SealHead.isDigest(digest) {
            return "a digest is not 64 lower-case hexadecimal digits"
        }
        if let name = id ?? deleted, CaptureID(name) == nil { return "the id is not that of a capture" }
        if signed != nil, document == nil { return "a signed document without the document" }
        if signedStored != nil, signed == nil || stored == nil {
            return "an encrypted signed document without the signed document or the encrypted record"
        }
        if signed != nil, id == nil { return "a signed document without a record" }
        switch (id, deleted, replaces) {
        case (.some, nil, nil): return record == nil ? "the record's digest is missing" : nil
        case (nil, .some, nil): return reason == nil ? "the reason of the deletion is missing" : nil
        case (nil, nil, .some): return nil
        default: return "neither a record, nor a deletion, nor a change of the key"
        }
    }
}
