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
    /// Sections between the first and the last: bounds what is drawn again per report, and keeps the boxes of pieces
    /// small.
    static let maximumSections = 14

    /// The first one and those after it, but not the last; empty while no ribbon is open.
    private var sections: [CrossSection] = []
    private var startsRound = false

    var isOpen: Bool { !sections.isEmpty }
    var isFull: Bool { sections.count > Self.maximumSections }

    /// Opens a new one.
    /// - Parameter round: whether the stroke starts here.
    mutating func begin(at first: CrossSection, round: Bool) {
        sections.removeAll(keepingCapacity: true)
        sections.append(first)
        startsRound = round
    }

    mutating func append(_ section: CrossSection) { sections.append(section) }

    mutating func close() { sections.removeAll(keepingCapacity: true) }

    /// Becomes the other one, in its own memory.
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
