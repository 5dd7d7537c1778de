// SPDX-License-Identifier: Apache-2.0

/// One row of area differences: the sum of the cells up to x is the integral of the winding number over pixel x, in
/// units of ``Coverage``.
///
/// The merged form of font-rs (R. Levien, `raster.rs`) in the integers of Blend2D's analytic rasterizer: a boundary
/// that covers `a` of its pixel adds `a` there and what is missing to its full height in the next one.
struct AreaRow: ~Copyable {
    /// `width + 2` cells, all zero between rows.
    private(set) var cells: UnsafeMutablePointer<Int32>
    private(set) var width: Int32 = 0
    private var capacity = 1024

    init() {
        cells = .allocate(capacity: capacity)
        cells.initialize(repeating: 0, count: capacity)
    }

    deinit { cells.deallocate() }

    mutating func resize(width newWidth: Int) {
        width = Int32(newWidth)
        if newWidth + 2 > capacity {
            cells.deallocate()
            capacity = newWidth + 2
            cells = .allocate(capacity: capacity)
            cells.initialize(repeating: 0, count: capacity)
        }
    }

    /// Adds the area to the right of a segment. What lies left of the row counts as if at its left side.
    @inline(__always)
    func deposit(_ segment: UnsafePointer<RowSegment>) {
        let upperX = segment.pointee.upperX
        let lowerX = segment.pointee.lowerX
        let height = Int32(segment.pointee.lowerY &- segment.pointee.upperY)
        let winding = segment.pointee.winding
        let cell = upperX >> 8
        if cell == lowerX >> 8 && UInt32(bitPattern: cell) < UInt32(bitPattern: width) {
            let fractions = (upperX & 255) &+ (lowerX & 255)
            let amount = winding &* height
            cells[Int(cell)] &+= amount &* (512 &- fractions)
            cells[Int(cell) &+ 1] &+= amount &* fractions
        } else if upperX <= lowerX {
            depositLong(from: upperX, to: lowerX, height: height, winding: winding)
        } else {
            depositLong(from: lowerX, to: upperX, height: height, winding: winding)
        }
    }

    /// A segment over several pixels, from its left to its right end. The height reached at each pixel side is computed
    /// from the left end, not added up, so that it is the same wherever the clip cuts the row.
    private func depositLong(from left: Int32, to right: Int32, height: Int32, winding: Int32) {
        if height == 0 { return }
        if right <= 0 {
            cells[0] &+= winding &* height &* 512
            return
        }
        let end = width << 8
        if left >= end { return }
        // Height gained a 1/256 pixel to the right, in 2^-40 pixel; right > left because the ends are in different
        // pixels.
        let slope = Int64(Double(height) * 4_294_967_296 / Double(right &- left))
        var x = left
        var reached: Int32 = 0
        if left < 0 {
            reached = Int32(truncatingIfNeeded: (Int64(0 &- left) &* slope &+ 2_147_483_648) >> 32)
            cells[0] &+= winding &* reached &* 512
            x = 0
        }
        // A whole cell has as much of its height left of its middle as right of it; `carried` goes to the next one.
        var cell = x >> 8
        let lastCell = right >> 8
        var fraction = x & 255
        var carried: Int32 = 0
        let stop = lastCell < width ? lastCell : width
        while cell < stop {
            let side = (cell &+ 1) << 8
            let next = Int32(truncatingIfNeeded: (Int64(side &- left) &* slope &+ 2_147_483_648) >> 32)
            let amount = winding &* (next &- reached)
            cells[Int(cell)] &+= carried &+ amount &* (256 &- fraction)
            carried = amount &* (256 &+ fraction)
            fraction = 0
            reached = next
            cell &+= 1
        }
        if lastCell < width {
            let fractions = fraction &+ (right & 255)
            let amount = winding &* (height &- reached)
            cells[Int(cell)] &+= carried &+ amount &* (512 &- fractions)
            cells[Int(cell) &+ 1] &+= amount &* fractions
        } else {
            cells[Int(cell)] &+= carried
        }
    }
}
