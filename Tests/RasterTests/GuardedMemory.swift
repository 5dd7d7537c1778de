// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Memory between two pages that nobody may touch: a write before or behind it ends the tests.
final class GuardedMemory {
    /// Where the memory lies in its pages: its first byte right behind the guard, or its last right before the other.
    enum Place: CaseIterable, Sendable {
        case front, back
    }

    let base: UnsafeMutableRawPointer
    let byteCount: Int
    private let pages: UnsafeMutableRawPointer
    private let mappedCount: Int
    private let pageSize: Int

    /// nil when the kernel refuses. Zeroed; the rest of the pages in between can be written.
    init?(byteCount: Int, place: Place) {
        pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
        let usable = max(1, (byteCount + pageSize - 1) / pageSize) * pageSize
        mappedCount = usable + 2 * pageSize
        guard let mapped = mmap(nil, mappedCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            Int(bitPattern: mapped) != -1
        else { return nil }
        guard mprotect(mapped + pageSize, usable, PROT_READ | PROT_WRITE) == 0 else {
            munmap(mapped, mappedCount)
            return nil
        }
        pages = mapped
        self.byteCount = byteCount
        base = mapped + pageSize + (place == .front ? 0 : usable - byteCount)
    }

    deinit { munmap(pages, mappedCount) }

    /// The last byte before and the first behind what can be written.
    var guards: [UnsafeMutableRawPointer] { [pages + pageSize - 1, pages + mappedCount - pageSize] }

    /// The bytes of the pages in between that are not the memory's.
    var slack: [UInt8] {
        let usable = UnsafeRawBufferPointer(start: pages + pageSize, count: mappedCount - 2 * pageSize)
        let start = base - (pages + pageSize)
        return Array(usable[..<start]) + Array(usable[(start + byteCount)...])
    }
}
