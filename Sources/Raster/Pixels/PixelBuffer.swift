// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Glibc

/// Pixels in ordinary, cached memory: the paper, a scratch tile, a picture to export. Zeroed at first.
public struct PixelBuffer: ~Copyable, @unchecked Sendable {
    // @unchecked: it owns its memory alone.
    public let surface: Surface

    /// Bytes of a huge page where pages have 4 KiB, on x86-64 and arm64 (the kernel's
    /// Documentation/admin-guide/mm/transhuge.rst). Where they have more, asking for them does nothing.
    private static let hugePage = 2 << 20

    public init(size: PixelSize) {
        self.init(unwritten: size)
        clear()
    }

    /// The same for what is filled all the time and kept for good: each row of a large picture lies in pages of memory
    /// of its own, and looking these up takes an eighth of a fill's time. So the kernel is asked for huge ones, which
    /// it may decline. To find them may take it a while, and all of one is there when a byte is written; this is why no
    /// other pixels ask.
    public init(lasting size: PixelSize) {
        let isLarge = Self.byteCount(of: size) >= Self.hugePage
        self.init(unwritten: size, alignment: isLarge ? Self.hugePage : Self.cacheLine)
        if isLarge {
            _ = madvise(surface.base, Self.byteCount(of: size, alignment: Self.hugePage), MADV_HUGEPAGE)
        }
        clear()
    }

    /// The same with no pixel written yet, where to zero all of them would take too long at once. Of a large buffer,
    /// the kernel gives only what is written to.
    public init(unwritten size: PixelSize) { self.init(unwritten: size, alignment: Self.cacheLine) }

    private init(unwritten size: PixelSize, alignment: Int) {
        precondition(size.width >= 0 && size.height >= 0, "sizes are checked where they come in")
        let base = UnsafeMutableRawPointer.allocate(
            byteCount: max(Self.byteCount(of: size, alignment: alignment), alignment), alignment: alignment)
        surface = Surface(base: base, size: size, strideBytes: Self.strideBytes(of: size))
    }

    deinit { surface.base.deallocate() }

    private static let cacheLine = 64

    /// Whole cache lines a row, so that rows never share one.
    private static func strideBytes(of size: PixelSize) -> Int { (size.width * 4 + cacheLine - 1) & ~(cacheLine - 1) }

    private static func byteCount(of size: PixelSize, alignment: Int = cacheLine) -> Int {
        (strideBytes(of: size) * size.height + alignment - 1) & ~(alignment - 1)
    }

    private func clear() {
        surface.base.initializeMemory(as: UInt8.self, repeating: 0, count: Self.byteCount(of: surface.size))
    }
}
