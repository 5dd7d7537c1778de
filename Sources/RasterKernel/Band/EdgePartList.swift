// SPDX-License-Identifier: Apache-2.0

/// A view of the parts of a ``Band``.
///
/// A part is what of an edge lies within one row of pixels, from its upper end to its lower one. Areas, crossings and
/// order are computed from these rounded parts alone, which is why it cannot matter how the window lies or in which
/// pieces a path was handed in.
struct EdgePartList {
    let memory: UnsafeMutablePointer<Int32>

    /// Numbers of a part.
    static let partSize = 4

    @inline(__always)
    func place(_ part: Int32) -> UnsafeMutablePointer<Int32> { memory + Int(part) &* Self.partSize }

    /// x at the upper and at the lower end, in 1/256 pixel from the left of the window.
    @inline(__always)
    func x0(_ part: Int32) -> Int32 { place(part)[0] }
    @inline(__always)
    func x1(_ part: Int32) -> Int32 { place(part)[1] }
    /// 0...256 from the top of the row. Equal for a level part, which has no area but still is a boundary.
    @inline(__always)
    func y0(_ part: Int32) -> Int32 { ys(part) & 0xFFFF }
    @inline(__always)
    func y1(_ part: Int32) -> Int32 { ys(part) >> 16 }
    /// Both, y0 in the lower half.
    @inline(__always)
    func ys(_ part: Int32) -> Int32 { place(part)[2] }

    // As 16 bits, of x0 the low ones, where lanes are to be filled with them: loaded as such, that is one instruction.
    // The low half of a number lies first on all processors that this is built for.
    @inline(__always)
    func shortX0(_ part: Int32) -> Int16 { UnsafeRawPointer(place(part)).load(as: Int16.self) }
    @inline(__always)
    func shortY0(_ part: Int32) -> Int16 { UnsafeRawPointer(place(part)).load(fromByteOffset: 8, as: Int16.self) }
    @inline(__always)
    func shortY1(_ part: Int32) -> Int16 { UnsafeRawPointer(place(part)).load(fromByteOffset: 10, as: Int16.self) }

    /// Index of the row's first cell x 2, and one more when the contour leads up.
    @inline(__always)
    func line(_ part: Int32) -> Int32 { place(part)[3] }

    @inline(__always)
    static func set(
        _ place: UnsafeMutablePointer<Int32>, _ x0: Int32, _ x1: Int32, _ y0: Int32, _ y1: Int32, _ line: Int32
    ) {
        place[0] = x0
        place[1] = x1
        place[2] = y0 | y1 &<< 16
        place[3] = line
    }
}
