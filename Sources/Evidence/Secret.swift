// SPDX-License-Identifier: Apache-2.0
internal import CLibcrypto

/// Secret bytes, which are in one place only and overwritten when the last reference goes. Swift may copy an array.
final class Secret: Sendable {
    nonisolated(unsafe) private let buffer: UnsafeMutableRawBufferPointer

    /// - Parameter fill: writes `count` bytes and returns true; false if libcrypto has failed.
    init?(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Bool) {
        buffer = .allocate(byteCount: count, alignment: 16)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        guard fill(buffer) else { return nil }
    }

    init(copying bytes: some Collection<UInt8>) {
        buffer = .allocate(byteCount: bytes.count, alignment: 16)
        buffer.copyBytes(from: bytes)
    }

    deinit {
        OPENSSL_cleanse(buffer.baseAddress, buffer.count)
        buffer.deallocate()
    }

    static func random(_ count: Int) throws(EvidenceError) -> Secret {
        let secret = Secret(count: count) { RAND_priv_bytes($0.baseAddress, Int32($0.count)) == 1 }
        guard let secret else { throw EvidenceError.failed("make random bytes") }
        return secret
    }

    var count: Int { buffer.count }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withExtendedLifetime(self) { body(UnsafeRawBufferPointer(buffer)) }
    }
}

extension [UInt8] {
    /// Overwrites the bytes. Copies elsewhere stay.
    mutating func erase() { withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
}
