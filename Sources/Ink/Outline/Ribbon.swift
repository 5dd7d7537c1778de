// SPDX-License-Identifier: Apache-2.0
import Geometry

/// One cut across a stroke: the points on its two edges and the centre between them.
struct CrossSection {
    var left: Point
    var center: Point
    var right: Point
    /// Unit vectors from the center to the edges. The edges lean with the taper, so they need not be opposite.
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

/// A run of a stroke as one polygon: along its left edge, back along its right edge.
///
/// Equal in winding number to the chain of quads between its cross sections, without the inner edges that a
/// rasterizer would only have to cancel. An end that another contour continues goes through the centre point, so that
/// ribbons and pies share whole edges point for point; an end of the stroke goes round.
struct Ribbon {
    /// Bounds what is drawn again per report, and keeps the boxes of pieces small.
    static let maximumSections = 14

    private var lefts: [Point] = []
    private var rights: [Point] = []
    private var first: CrossSection
    private var startsRound: Bool

    /// - Parameter round: whether the stroke starts here.
    init(from first: CrossSection, round: Bool) {
        self.first = first
        startsRound = round
    }

    var isFull: Bool { lefts.count >= Self.maximumSections }

    mutating func append(_ section: CrossSection) {
        lefts.append(section.left)
        rights.append(section.right)
    }

    /// Adds the contour that ends at `last`.
    /// - Parameter round: whether the stroke ends here.
    func draw(to last: CrossSection, round: Bool, into path: inout Path) {
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
        for point in lefts { path.addLine(to: point) }
        path.addLine(to: last.left)
        if round {
            path.addArc(
                around: last.center, radius: last.radius, from: last.leftNormal, to: last.rightNormal, end: last.right)
        } else {
            path.addLine(to: last.center)
            path.addLine(to: last.right)
        }
        for point in rights.reversed() { path.addLine(to: point) }
    }
}
