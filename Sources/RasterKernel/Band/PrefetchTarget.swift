// SPDX-License-Identifier: Apache-2.0
import CProcessor

/// Where the pixels of a window lie, to have them in the cache when they are blended: much of a fill's time goes by
/// waiting for them otherwise.
struct PrefetchTarget {
    /// Where the first pixel of the row in hand lies.
    private var base: UnsafeRawPointer
    private let strideBytes: Int
    private let bytesPerPixel: Int
    /// From the first pixel of a block to its last one, of four bytes each; smaller ones lie within that.
    private static let blockReach = 7 * 4

    init(base: UnsafeRawPointer, strideBytes: Int, bytesPerPixel: Int) {
        self.base = base
        self.strideBytes = strideBytes
        self.bytesPerPixel = bytesPerPixel
    }

    /// Goes on to the next row.
    @inline(__always)
    mutating func advance() { base += strideBytes }

    @inline(__always)
    func prefetch(_ x: Int) { inkpanel_prefetch(base + x &* bytesPerPixel) }

    /// Asks for the block of eight pixels from x on, which half of the time lies in two lines of the cache.
    @inline(__always)
    func prefetchBlock(_ x: Int) {
        let first = base + x &* bytesPerPixel
        inkpanel_prefetch(first)
        inkpanel_prefetch(first + Self.blockReach)
    }
}
