// SPDX-License-Identifier: Apache-2.0
internal import CLibcrypto
import Linux

/// A SHA-256 digest (FIPS 180-4).
public struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes.
    public static let byteCount = 32

    /// 32 bytes.
    public let bytes: [UInt8]

    /// The digest of `bytes`.
    public init(of bytes: [UInt8]) {
        var hash = SHA256Hash()
        hash.update(bytes)
        self = hash.finish()
    }

    /// - Parameter hex: 64 hexadecimal digits in lower case; nil for anything else.
    public init?(hex: String) {
        let digits = Array(hex.utf8)
        guard digits.count == 2 * Self.byteCount else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(of: digits[index]), let low = Self.value(of: digits[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    /// - Returns: nil unless there are 32 bytes.
    init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// - Parameter bytes: 32 bytes.
    fileprivate init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// 32 zero bytes, which stand for the digest before the first one of a chain.
    public static let zero = SHA256Digest([UInt8](repeating: 0, count: byteCount))

    /// 64 hexadecimal digits in lower case.
    public var description: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// SHA-256 of bytes that come in pieces, such as those of a large file.
///
/// Hashing has no error of its own: libcrypto can only be out of memory, or have a configuration that takes SHA-256
/// away. Like Swift's own allocations, these end the process.
public struct SHA256Hash: ~Copyable {
    private let context: OpaquePointer

    public init() {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("no memory for a SHA-256 digest") }
        self.context = context
        precondition(EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1, "libcrypto has no SHA-256")
    }

    deinit { EVP_MD_CTX_free(context) }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        precondition(EVP_DigestUpdate(context, start, bytes.count) == 1, "libcrypto cannot continue a SHA-256 digest")
    }

    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    public consuming func finish() -> SHA256Digest {
        var bytes = [UInt8](repeating: 0, count: SHA256Digest.byteCount)
        precondition(EVP_DigestFinal_ex(context, &bytes, nil) == 1, "libcrypto cannot finish a SHA-256 digest")
        return SHA256Digest(bytes)
    }
}

extension SHA256Digest {
    /// The digest of a file of any size. Blocks while it reads.
    package init(ofFile path: String) throws(EvidenceFileError) {
        var hash = SHA256Hash()
        do throws(Errno) {
            let file = try InputFile.open(path)
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            while true {
                let count = try file.read(into: &bytes)
                if count == 0 { break }
                bytes.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            }
        } catch {
            throw .cannotRead(path, error)
        }
        self = hash.finish()
    }
}
