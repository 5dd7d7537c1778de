// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Bytes that are never swapped out or dumped, and are overwritten when they are freed (mlock(2), madvise(2)).
public final class LockedMemory: Sendable {
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer
    public let byteCount: Int
    private var mappedCount: Int { max(byteCount, 1) }

    /// - Throws: ``Errno`` if the limit for locked memory (RLIMIT_MEMLOCK) does not allow it.
    public init(copying bytes: [UInt8]) throws(Errno) {
        let count = max(bytes.count, 1)
        let mapped = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else { throw Errno.current }
        guard mlock(mapped, count) == 0 else {
            let error = Errno.current
            munmap(mapped, count)
            throw error
        }
        // Fails only on kernels that make no dumps.
        _ = madvise(mapped, count, MADV_DONTDUMP)
        bytes.withUnsafeBytes {
            mapped.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(mapped), byteCount: bytes.count)
        }
        start = mapped
        byteCount = bytes.count
    }

    /// A copy. ``wipe(_:)`` it after use.
    public var bytes: [UInt8] { Array(UnsafeRawBufferPointer(start: start, count: byteCount)) }

    /// A copy of a part.
    /// - Parameter range: within the bytes.
    public func bytes(in range: Range<Int>) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: start, count: byteCount)[range])
    }

    deinit {
        explicit_bzero(start, byteCount)
        munmap(start, mappedCount)
    }

    /// Overwrites bytes that nobody needs any more.
    public static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
        bytes = []
    }
}
