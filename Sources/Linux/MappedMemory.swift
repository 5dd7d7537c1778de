// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// A shared, writable mapping of a device's memory; unmapped when the value ends.
public struct MappedMemory: ~Copyable, @unchecked Sendable {
    // @unchecked: the value owns the mapping alone; who may write to it when is the owner's business.
    public let start: UnsafeMutableRawPointer
    public let byteCount: Int

    public init(descriptor: CInt, offset: UInt64, byteCount: Int) throws(Errno) {
        guard let start = clinux_map_shared(descriptor, offset, UInt64(byteCount)) else { throw Errno.current }
        self.start = start
        self.byteCount = byteCount
    }

    deinit { munmap(start, byteCount) }
}
