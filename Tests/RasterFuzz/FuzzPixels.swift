// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Rows of pixels that end where their memory does, where the sanitizer watches; all of one value at first.
struct FuzzPixels<Pixel: FixedWidthInteger>: ~Copyable {
    let base: UnsafeMutablePointer<Pixel>
    let size: PixelSize
    /// From one row to the next, in pixels.
    let stride: Int
    let count: Int
    private let untouched: Pixel

    /// - Parameter padding: pixels beyond the width in each row but the last.
    init(size: PixelSize, padding: Int) {
        self.size = size
        stride = size.width + padding
        count = stride * (size.height - 1) + size.width
        untouched = Pixel(truncatingIfNeeded: 0x5A5A_5A5A)
        base = .allocate(capacity: count)
        base.initialize(repeating: untouched, count: count)
    }

    deinit { base.deallocate() }

    var strideBytes: Int { stride * MemoryLayout<Pixel>.stride }

    /// Whether these are the pixels of `whole` in a rectangle, and untouched elsewhere, beyond the rows too.
    func isCrop(of whole: borrowing FuzzPixels, to rect: PixelRect) -> Bool {
        let inside = rect.intersection(PixelRect(size: size))
        for index in 0..<count {
            let (y, x) = index.quotientAndRemainder(dividingBy: stride)
            let isInside = y >= inside.minY && y < inside.maxY && x >= inside.minX && x < inside.maxX
            if base[index] != (isInside ? whole.base[index] : untouched) { return false }
        }
        return true
    }
}
