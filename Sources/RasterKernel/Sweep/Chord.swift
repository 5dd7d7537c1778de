// SPDX-License-Identifier: Apache-2.0

/// The straight line from end to end of a boundary that leads from the top of a row to its bottom, and how far the
/// boundary strays from it: often enough to see that two boundaries do not cross.
struct Chord {
    /// 1/256 pixel.
    private let top, bottom: Int32
    /// How far left (negative) and right of the chord the boundary goes.
    private var left: Int32 = 0
    private var right: Int32 = 0

    /// - Parameter boundary: from the row's top to its bottom.
    @inline(__always)
    init(_ boundary: UnsafePointer<Boundary>, of row: SweptRow) {
        let parts = row.parts
        var part = boundary.pointee.firstPart
        let last = boundary.pointee.endPart &- 1
        top = parts.x0(part)
        bottom = parts.x1(last)
        let run = bottom &- top
        while part < last {
            let passed = parts.y1(part)
            let stray = parts.x1(part) &- top &- Int32(truncatingIfNeeded: (Int64(run) &* Int64(passed)) >> 8)
            left = stray < left ? stray : left
            right = stray > right ? stray : right
            part &+= 1
        }
    }

    /// Whether it lies left of another one at every height, with room for what samples are rounded by.
    @inline(__always)
    func isLeft(of other: Chord) -> Bool {
        let least = other.left &- right &- 3
        return top &- other.top < least && bottom &- other.bottom < least
    }
}
