// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Glibc

/// XRGB8888 pixels in ordinary, cached memory, initially zero: the paper, a scratch tile, a picture to export.
public struct PixelBuffer: ~Copyable, @unchecked Sendable {
    // @unchecked: the buffer is the only owner of its memory.
    public let surface: Surface

    /// The size of a huge page on x86-64 and arm64 with pages of 4 KiB (Linux,
    /// Documentation/admin-guide/mm/transhuge.rst). With larger pages `madvise` has no effect.
    private static let hugePage = 2 << 20

    public init(size: PixelSize) {
        self.init(unwritten: size)
        clear()
    }

    /// A buffer in huge pages if the kernel grants them, for pixels that are drawn on all the time. Each row of a large
    /// picture lies in other 4 KiB pages, and address translation would take an eighth of a fill's time. Only for
    /// buffers that are kept, because finding huge pages takes time and each is allocated whole.
    public init(lasting size: PixelSize) {
        self.init(lastingUnwritten: size)
        clear()
    }

    /// The same with uninitialized pixels, which take memory only where they are written.
    public init(lastingUnwritten size: PixelSize) {
        let isLarge = Self.byteCount(of: size) >= Self.hugePage
        self.init(unwritten: size, alignment: isLarge ? Self.hugePage : Self.cacheLine)
        if isLarge {
            _ = madvise(surface.base, Self.byteCount(of: size, alignment: Self.hugePage), MADV_HUGEPAGE)
        }
    }

    /// Gives the memory of all pixels back to the kernel until they are used again. Whole memory pages are zero then
    /// (MADV_DONTNEED of madvise(2)); both ends keep their pixels.
    public func releaseMemory() {
        // Whole pages only: other blocks of the heap may share the first and the last.
        let page = Int(sysconf(CInt(_SC_PAGESIZE)))
        let start = (Int(bitPattern: surface.base) + page - 1) & -page
        let end = (Int(bitPattern: surface.base) + Self.byteCount(of: surface.size)) & -page
        guard start < end, let base = UnsafeMutableRawPointer(bitPattern: start) else { return }
        _ = madvise(base, end - start, MADV_DONTNEED)
    }

    /// A buffer with uninitialized pixels, where zeroing all of them at once would take too long. The kernel allocates
    /// only the pages of a large buffer that are written.
    public init(unwritten size: PixelSize) { self.init(unwritten: size, alignment: Self.cacheLine) }

    private init(unwritten size: PixelSize, alignment: Int) {
        precondition(size.width >= 0 && size.height >= 0, "a size is not negative")
        let base = UnsafeMutableRawPointer.allocate(
            byteCount: max(Self.byteCount(of: size, alignment: alignment), alignment), alignment: alignment)
        surface = Surface(base: base, size: size, strideBytes: Self.strideBytes(of: size))
    }

    deinit { surface.base.deallocate() }

    private static let cacheLine = 64

    /// Each row begins a cache line.
    private static func strideBytes(of size: PixelSize) -> Int { (size.width * 4 + cacheLine - 1) & ~(cacheLine - 1) }

    private static func byteCount(of size: PixelSize, alignment: Int = cacheLine) -> Int {
        (strideBytes(of: size) * size.height + alignment - 1) & ~(alignment - 1)
    }

    private func clear() {
        surface.base.initializeMemory(as: UInt8.self, repeating: 0, count: Self.byteCount(of: surface.size))
    }
}

/// 8-bit coverage of a rectangle of pixels: 0 is no ink, 255 full ink. Initially zero.
public struct CoverageBuffer: ~Copyable {
    public let bounds: PixelRect
    private let base: UnsafeMutablePointer<UInt8>

    public init(bounds: PixelRect) {
        self.bounds = bounds
        base = .allocate(capacity: max(bounds.area, 1))
        base.initialize(repeating: 0, count: max(bounds.area, 1))
    }

    deinit { base.deallocate() }

    /// All rows without gaps, `bounds.width` bytes each.
    public var bytes: [UInt8] { Array(UnsafeBufferPointer(start: base, count: bounds.area)) }

    /// The coverage of a pixel within ``bounds``.
    public subscript(x: Int, y: Int) -> UInt8 {
        precondition(x >= bounds.minX && x < bounds.maxX && y >= bounds.minY && y < bounds.maxY, "outside the buffer")
        return base[(y - bounds.minY) * bounds.width + x - bounds.minX]
    }

    /// Calls `body` with the memory, `bounds.area` bytes in the order of ``bytes``, to store coverage directly.
    public func withUnsafeMutableBytes(_ body: (UnsafeMutablePointer<UInt8>) -> Void) { body(base) }

    var memory: PixelMemory { PixelMemory(base: base, bounds: bounds, strideBytes: bounds.width) }
}
