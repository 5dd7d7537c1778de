// SPDX-License-Identifier: Apache-2.0

/// A view of ``EdgeParts``: number after number, each kind by itself, so that eight are read with one load.
///
/// A part is what of an edge lies within one row of pixels, from where the contour comes in to where it leaves. Areas,
/// crossings and order are computed from these rounded parts alone, which is why it cannot matter how the window lies
/// or in which pieces a path was handed in.
struct EdgePartList {
    let memory: UnsafeMutablePointer<Int32>
    let capacity: Int

    /// 1/256 pixel from the left of the window.
    @inline(__always)
    var x0: UnsafeMutablePointer<Int32> { memory }
    @inline(__always)
    var x1: UnsafeMutablePointer<Int32> { memory + capacity }
    /// From the top of the window.
    @inline(__always)
    var row: UnsafeMutablePointer<Int32> { memory + 2 &* capacity }
    /// 0...256 from the top of the row: where it comes in in the lower half, where it leaves in the upper. Equal for a
    /// horizontal part, which has no area but still is a boundary.
    @inline(__always)
    var ys: UnsafeMutablePointer<Int32> { memory + 3 &* capacity }

    @inline(__always)
    func y0(_ index: Int) -> Int32 { ys[index] & 0xFFFF }
    @inline(__always)
    func y1(_ index: Int) -> Int32 { ys[index] >> 16 }

    @inline(__always)
    func set(_ index: Int, _ newX0: Int32, _ newX1: Int32, _ newRow: Int32, _ y0: Int32, _ y1: Int32) {
        x0[index] = newX0
        x1[index] = newX1
        row[index] = newRow
        ys[index] = y0 | y1 &<< 16
    }
}
