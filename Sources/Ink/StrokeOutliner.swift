// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Turns the centre line of a stroke into its outline, node by node: the union of the discs at the nodes and the
/// tangent quads between them (tapered capsules), so that ends and joins are round.
///
/// All contours turn clockwise on the screen (positive area with y down): overlaps of a stroke with itself add up
/// under the non-zero rule and never cancel to a hole. Contours touch along edges that they share point for point, and
/// overlap only where the ink itself folds over, inside a turn. So a rasterizer that adds up the coverage of all edges
/// produces no seam and no doubled border.
///
/// A pen adds the final nodes to one outliner and finishes a copy with the wet ones (``CenterlineWriter``).
struct StrokeOutliner {
    /// Nodes nearer than this, in pixels, add edges but no visible shape. The last node is never skipped.
    private static let spacing = 0.03
    /// A node is smooth if a round join would stand out less than this, in pixels.
    private static let smoothSagitta = 0.02
    /// The largest growth (change of radius per length) whose lean can be neglected: less than 1 % of the radius.
    private static let smoothGrowth = 0.12

    /// The sine of the largest turn between two legs that is a rounding error: its slice of a join would have no area.
    private static let noSlice = 1e-9

    /// The last node; the next one tells how the stroke turns there.
    private var node: CenterlinePoint?
    /// The leg from the node before to ``node``.
    private var incoming: Leg?
    /// The open run that ends at ``node``.
    private var ribbon = Ribbon()
    /// A node skipped because it was too near; drawn after all if it is the last.
    private var skipped: CenterlinePoint?

    /// The outline between two nodes.
    private struct Leg {
        var length: Double
        var direction: Point
        /// Change of radius per length, between -1 and 1.
        var growth: Double
        var leftNormal: Point
        var rightNormal: Point

        /// nil when one of the discs contains the other, so that there is no tangent.
        init?(from start: CenterlinePoint, to end: CenterlinePoint) {
            let step = end.position - start.position
            guard let direction = step.normalized else { return nil }
            self.direction = direction
            length = step.length
            growth = (end.width - start.width) / (2 * length)
            guard abs(growth) < 0.99 else { return nil }
            // The normal of the outer tangent of two circles: its part along the leg is the change of radius.
            let side = direction.perpendicular * (1 - growth * growth).squareRoot()
            let lean = direction * -growth
            leftNormal = lean - side
            rightNormal = lean + side
        }

        func section(at node: CenterlinePoint) -> CrossSection {
            CrossSection(node: node, leftNormal: leftNormal, rightNormal: rightNormal)
        }
    }

    /// Copies the other one into this one's memory.
    mutating func copy(_ other: StrokeOutliner) {
        (node, incoming, skipped) = (other.node, other.incoming, other.skipped)
        ribbon.copy(other.ribbon)
    }

    /// Adds the next node, and the pieces whose shape no later node can change.
    mutating func add(_ next: CenterlinePoint, to ink: inout StrokeInk) {
        guard let node else {
            self.node = next
            return
        }
        if node.position.squaredDistance(to: next.position) < Self.spacing * Self.spacing {
            skipped = next
        } else {
            extend(from: node, to: next, ink: &ink)
        }
    }

    /// Ends the stroke round at the last node.
    mutating func finish(_ ink: inout StrokeInk) {
        if let node, let skipped, skipped.position != node.position {
            extend(from: node, to: skipped, ink: &ink)
        }
        guard let node else { return }
        close(at: node, ink: &ink)
    }

    private mutating func extend(from node: CenterlinePoint, to next: CenterlinePoint, ink: inout StrokeInk) {
        guard let outgoing = Leg(from: node, to: next) else {
            if next.width > node.width {
                // The new disc contains the old one: the ribbon ends there, and a new one starts.
                if incoming != nil { close(at: node, ink: &ink) }
                (self.node, skipped) = (next, nil)
            } else {
                skipped = next
            }
            return
        }
        if let incoming, ribbon.isOpen {
            turn(from: incoming, to: outgoing, at: node, ink: &ink)
        } else {
            ribbon.begin(at: outgoing.section(at: node), round: true)
        }
        self.node = next
        self.incoming = outgoing
        skipped = nil
    }

    /// Turns at the node between two legs: the ribbon goes on where the turn is smooth; elsewhere there is a round
    /// join.
    private mutating func turn(from incoming: Leg, to outgoing: Leg, at node: CenterlinePoint, ink: inout StrokeInk) {
        if Self.isSmooth(incoming, outgoing, radius: node.width / 2),
            let direction = (incoming.direction + outgoing.direction).normalized
        {
            let side = direction.perpendicular
            let section = CrossSection(node: node, leftNormal: side * -1, rightNormal: side)
            if ribbon.isFull {
                ink.appendPiece { ribbon.draw(to: section, round: false, into: &$0) }
                ribbon.begin(at: section, round: false)
            } else {
                ribbon.append(section)
            }
        } else {
            let before = incoming.section(at: node)
            let after = outgoing.section(at: node)
            ink.appendPiece {
                ribbon.draw(to: before, round: false, into: &$0)
                Self.drawJoin(before, incoming.direction, after, outgoing.direction, into: &$0)
            }
            ribbon.begin(at: after, round: false)
        }
    }

    /// Draws the open ribbon, with a round end at `node`.
    private mutating func close(at node: CenterlinePoint, ink: inout StrokeInk) {
        if let incoming, ribbon.isOpen {
            ink.appendPiece { ribbon.draw(to: incoming.section(at: node), round: true, into: &$0) }
        } else {
            ink.appendPiece { $0.addDisc(around: node.position, radius: node.width / 2) }
        }
        incoming = nil
        ribbon.close()
    }

    /// Whether both legs can share one cut across the stroke, at the mean of their directions. The turn must be so
    /// small that the cut loses nothing of the round join, and the legs long enough for both edges to keep going
    /// forward (at most 0.4 of each leg's length is lost at each of its ends, to the turn and to the lean of a
    /// neighbouring cut that is not shared).
    private static func isSmooth(_ incoming: Leg, _ outgoing: Leg, radius: Double) -> Bool {
        guard abs(incoming.growth) < smoothGrowth, abs(outgoing.growth) < smoothGrowth else { return false }
        let cosine = min(1, incoming.direction.dot(outgoing.direction))
        guard cosine > 0.5 else { return false }
        let cosineOfHalf = ((1 + cosine) / 2).squareRoot()
        guard radius * (1 - cosineOfHalf) <= smoothSagitta else { return false }
        let tangentOfHalf = abs(incoming.direction.cross(outgoing.direction)) / (1 + cosine)
        let lean = max(abs(incoming.growth), abs(outgoing.growth))
        return radius * (tangentOfHalf + lean) <= 0.4 * min(incoming.length, outgoing.length)
    }

    /// Adds the slices of the node's disc that stick out between two legs: one on the outer side of the turn, and a
    /// sliver on the other side where the edge bulges because the growth changes.
    private static func drawJoin(
        _ before: CrossSection, _ directionBefore: Point, _ after: CrossSection, _ directionAfter: Point,
        into path: inout Path
    ) {
        let turnsRight = directionBefore.cross(directionAfter) >= 0
        let isSharp = directionBefore.dot(directionAfter) < 0
        let (center, radius) = (before.center, before.radius)
        // Only the outer side of a sharp turn can stick out, and its angle may exceed 180 degrees.
        if before.leftNormal.cross(after.leftNormal) > noSlice && (turnsRight || !isSharp) || isSharp && turnsRight {
            path.addPie(
                around: center, radius: radius, from: before.leftNormal, start: before.left, to: after.leftNormal,
                end: after.left)
        }
        if after.rightNormal.cross(before.rightNormal) > noSlice && (!turnsRight || !isSharp) || isSharp && !turnsRight
        {
            path.addPie(
                around: center, radius: radius, from: after.rightNormal, start: after.right, to: before.rightNormal,
                end: before.right)
        }
    }
}

/// Writes a centre line and the outline around it to the ink of a stroke: final nodes once, wet ones with each report.
/// Keeps its memory between reports.
struct CenterlineWriter {
    /// Has the final nodes only.
    private var dry = StrokeOutliner()
    /// A copy of ``dry`` that goes on with the wet nodes.
    private var wet = StrokeOutliner()

    /// Replaces the wet tail.
    /// - Parameters:
    ///   - dryNodes: follow the dry ones before and never change again.
    ///   - wetNodes: between them and the tip, until the next report; nil leaves out the end of the ink.
    mutating func write(
        dry dryNodes: some Sequence<CenterlinePoint>, wet wetNodes: (some Sequence<CenterlinePoint>)?,
        to ink: inout StrokeInk
    ) {
        ink.removeWet()
        for node in dryNodes {
            ink.append(node)
            dry.add(node, to: &ink)
        }
        ink.dry()
        guard let wetNodes else { return }
        wet.copy(dry)
        for node in wetNodes {
            ink.append(node)
            wet.add(node, to: &ink)
        }
        wet.finish(&ink)
    }
}
