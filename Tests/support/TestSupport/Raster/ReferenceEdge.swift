// SPDX-License-Identifier: Apache-2.0
import Geometry

/// An edge of the ``ReferenceRasterizer``, from its upper to its lower end.
struct ReferenceEdge {
    let upperX, upperY, lowerX, lowerY: Double
    private let slope: Double
    /// +1 for an edge that runs down, -1 for one that runs up.
    let winding: Int
    /// The x at which the edge crosses the middle of the current slab.
    var middleX = 0.0

    /// - Parameter left: the origin of x.
    init(from start: Point, to end: Point, left: Double) {
        let isDown = start.y < end.y
        let (upper, lower) = isDown ? (start, end) : (end, start)
        upperX = upper.x - left
        upperY = upper.y
        lowerX = lower.x - left
        lowerY = lower.y
        slope = (lower.x - upper.x) / (lower.y - upper.y)
        winding = isDown ? 1 : -1
    }

    /// The x at a given y, clamped to the edge's ends, because the slope of a nearly horizontal edge may be far off.
    func x(atY y: Double) -> Double {
        if y <= upperY { return upperX }
        if y >= lowerY { return lowerX }
        return min(max(upperX + (y - upperY) * slope, min(upperX, lowerX)), max(upperX, lowerX))
    }
}
