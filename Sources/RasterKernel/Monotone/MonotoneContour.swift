// SPDX-License-Identifier: Apache-2.0

/// A contour of two chains, one down and one up: its sides. Points into ``Contours`` and is of use until these change.
struct MonotoneContour {
    let vertices: UnsafePointer<FixedPoint2>
    /// As ``Contours/slopes``.
    let slopes: UnsafePointer<Int64>
    let one, other: Chain
    let window: Window

    /// - Parameters:
    ///   - contours: two chains, all within the window.
    @inline(__always)
    init(_ contours: borrowing Contours, _ window: Window) {
        vertices = UnsafePointer(contours.vertices)
        slopes = UnsafePointer(contours.slopes)
        one = contours.chains[0]
        other = contours.chains[1]
        self.window = window
    }
}
