// SPDX-License-Identifier: Apache-2.0
import CProcessor

/// Where the pixels of a window lie, to have them in the cache when they are blended: much of a fill's time goes by
/// waiting for them otherwise.
struct PrefetchTarget {
    /// Where the first pixel of the row in hand lies.
    private var base: UnsafeRawPointer
    private let strideBytes: Int
    private let bytesPerPixel: Int

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
}
