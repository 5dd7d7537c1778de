// SPDX-License-Identifier: Apache-2.0
import Geometry

/// A cut across a stroke: the points on its two edges and the centre between them.
struct CrossSection {
    var left: Point
    var center: Point
    var right: Point
    /// Unit vector from the center to the left edge. The edges lean as the radius grows, so the two vectors need not be
    /// opposite.
    var leftNormal: Point
    var rightNormal: Point
    var radius: Double

    init(node: CenterlinePoint, leftNormal: Point, rightNormal: Point) {
        radius = node.width / 2
        center = node.position
        self.leftNormal = leftNormal
        self.rightNormal = rightNormal
        left = center + leftNormal * radius
        right = center + rightNormal * radius
    }
}

/// A stretch of a stroke as one polygon: along its left edge, back along its right edge.
///
/// It has the winding numbers of the chain of quads between its cross sections, without the inner edges that a
/// rasterizer would have to cancel. An end that another contour continues goes through the centre point, so that
/// ribbons and pies share whole edges point for point; an end of the stroke is round.
struct Ribbon {
    /// The maximum number of sections between the first and the last: limits what is drawn again per report, and keeps
    /// the bounds of pieces small.
    static let maximumSections = 14

    /// All sections but the last; empty while no ribbon is open.
    private var sections: [CrossSection] = []
    private var startsRound = false

    var isOpen: Bool { !sections.isEmpty }
    var isFull: Bool { sections.count > Self.maximumSections }

    /// Opens a new ribbon.
    /// - Parameter round: whether the stroke starts here.
    mutating func begin(at first: CrossSection, round: Bool) {
        sections.removeAll(keepingCapacity: true)
        sections.append(first)
        startsRound = round
    }

    mutating func append(_ section: CrossSection) { sections.append(section) }

    mutating func close() { sections.removeAll(keepingCapacity: true) }

    /// Copies the other one into this one's memory.
    mutating func copy(_ other: Ribbon) {
        sections.removeAll(keepingCapacity: true)
        sections.append(contentsOf: other.sections)
        startsRound = other.startsRound
    }

    /// Adds the contour that ends at `last`.
    /// - Parameter round: whether the stroke ends here.
    func draw(to last: CrossSection, round: Bool, into path: inout Path) {
        let first = sections[0]
        if startsRound {
            path.move(to: first.right)
            path.addArc(
                around: first.center, radius: first.radius, from: first.rightNormal, to: first.leftNormal,
                end: first.left)
        } else {
            path.move(to: first.right)
            path.addLine(to: first.center)
            path.addLine(to: first.left)
        }
        for section in sections.dropFirst() { path.addLine(to: section.left) }
        path.addLine(to: last.left)
        if round {
            path.addArc(
                around: last.center, radius: last.radius, from: last.leftNormal, to: last.rightNormal, end: last.right)
        } else {
            path.addLine(to: last.center)
            path.addLine(to: last.right)
        }
        for section in sections.dropFirst().reversed() { path.addLine(to: section.right) }
    }
}

extension Path {
    /// An arc that is less than this many pixels from its chord is drawn as the chord: about one of 255 grey levels at
    /// most, and nearly all joins along a curve are that flat.
    private static let flatSagitta = 0.005

    /// Continues the contour along the circle around `center`, in the direction of growing angle (clockwise on the
    /// screen), as cubic Béziers.
    ///
    /// - Parameters:
    ///   - from: unit vector from the center to the current point.
    ///   - to: unit vector from the center to `end`; the sweep between is more than 0 and less than a full turn.
    ///   - end: used exactly, so that a neighbour shares the point.
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

    /// Adds a disc as its own contour, clockwise on the screen.
    mutating func addDisc(around center: Point, radius: Double) {
        let right = Point(x: 1, y: 0)
        let start = center + right * radius
        let left = right * -1
        move(to: start)
        addArc(around: center, radius: radius, from: right, to: left, end: center + left * radius)
        addArc(around: center, radius: radius, from: left, to: right, end: start)
    }

    /// Adds the slice of a disc between two unit vectors as its own contour, clockwise on the screen. `start` and `end`
    /// are the neighbours' points on the rim.
    mutating func addPie(around center: Point, radius: Double, from: Point, start: Point, to: Point, end: Point) {
        move(to: center)
        addLine(to: start)
        addArc(around: center, radius: radius, from: from, to: to, end: end)
    }
}
