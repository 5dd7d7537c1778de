// SPDX-License-Identifier: Apache-2.0
import Geometry

extension Path {
    /// Where an arc is less than this many pixels from its chord, the chord is drawn: that is about one of 255 grey
    /// levels at most, and nearly all joins along a curve are that flat.
    private static let flatSagitta = 0.005

    /// Continues the contour along the circle around `center`, in the direction of growing angle (clockwise on the
    /// screen), as cubic Béziers.
    ///
    /// - Parameters:
    ///   - from: unit vector from the center to the current point.
    ///   - to: unit vector from the center to `end`; the sweep between is more than 0 and less than a full turn.
    ///   - end: passed on exactly, so that a neighbour that shares the point still meets.
    mutating func addArc(around center: Point, radius: Double, from: Point, to: Point, end: Point) {
        let cosine = from.dot(to)
        if cosine < 0 || from.cross(to) < 0 {
            // More than a quarter: halve. Turning the two vectors towards each other by a quarter keeps the sum long
            // for every angle but 0 and 360 degrees, also at 180 where the plain sum vanishes.
            let middle = (from.perpendicular - to.perpendicular).normalized ?? from.perpendicular
            addArc(around: center, radius: radius, from: from, to: middle, end: center + middle * radius)
            addArc(around: center, radius: radius, from: middle, to: to, end: end)
            return
        }
        let cosineOfHalf = ((1 + cosine) / 2).squareRoot()
        guard radius * (1 - cosineOfHalf) > Self.flatSagitta else {
            addLine(to: end)
            return
        }
        // Handles 4/3 tan(angle/4) (A. Riskus 2006); the radius is off by less than 0.03 % for a quarter.
        let sineOfHalf = (max(0, 1 - cosine) / 2).squareRoot()
        let handle = 4.0 / 3 * sineOfHalf / (1 + cosineOfHalf) * radius
        let start = center + from * radius
        addCubic(
            control1: start + from.perpendicular * handle, control2: end - to.perpendicular * handle, end: end)
    }

    /// Adds a whole disc as its own contour, clockwise on the screen.
    mutating func addDisc(around center: Point, radius: Double) {
        let right = Point(x: 1, y: 0)
        let start = center + right * radius
        let left = right * -1
        move(to: start)
        addArc(around: center, radius: radius, from: right, to: left, end: center + left * radius)
        addArc(around: center, radius: radius, from: left, to: right, end: start)
    }

    /// Adds the slice of a disc between two unit vectors as its own contour, clockwise on the screen. `start` and
    /// `end` are the rim points as the neighbours have them.
    mutating func addPie(around center: Point, radius: Double, from: Point, start: Point, to: Point, end: Point) {
        move(to: center)
        addLine(to: start)
        addArc(around: center, radius: radius, from: from, to: to, end: end)
    }
}
