// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Turns the centre line of a stroke into its outline, node by node: the union of the discs at the nodes and the
/// tangent quads between them (tapered capsules), so ends and joins are round.
///
/// All contours turn clockwise on the screen (positive area with y down): overlaps of a stroke with itself add up
/// under the non-zero rule and never cancel to a hole. Contours touch along edges that they share point for point, and
/// overlap only where the ink itself folds over, inside a turn; so a rasterizer that adds up the coverage of all edges
/// sees no seam and no doubled border.
///
/// A pen feeds the final nodes to one and finishes a copy with the wet ones.
struct StrokeOutliner {
    /// Nodes nearer than this add edges but no visible shape, in pixels. The last node is never left out.
    private static let spacing = 0.03
    /// A node where the edge of a round join would stand out less than this from the straight one, in pixels, is
    /// smooth.
    private static let smoothSagitta = 0.02
    /// Steepest taper (change of radius per length) whose lean can be neglected: less than 1 % of the radius.
    private static let smoothTaper = 0.12

    /// The last node taken in; how the stroke turns there is known with the next one.
    private var node: CenterlinePoint?
    /// From the node before to ``node``.
    private var incoming: Leg?
    /// The open run that ends at ``node``.
    private var ribbon = Ribbon()
    /// A node left out because it was too near; drawn after all if it turns out to be the last.
    private var skipped: CenterlinePoint?

    /// The outline between two nodes.
    private struct Leg {
        var length: Double
        var direction: Point
        /// Change of radius per length, between -1 and 1.
        var taper: Double
        var leftNormal: Point
        var rightNormal: Point

        /// Nil when one of the discs has the other inside and there is no tangent.
        init?(from start: CenterlinePoint, to end: CenterlinePoint) {
            let way = end.position - start.position
            guard let direction = way.normalized else { return nil }
            self.direction = direction
            length = way.length
            taper = (end.width - start.width) / (2 * length)
            guard abs(taper) < 0.99 else { return nil }
            // The normal of the outer tangent of two circles: its part along the way is the change of radius.
            let side = direction.perpendicular * (1 - taper * taper).squareRoot()
            let lean = direction * -taper
            leftNormal = lean - side
            rightNormal = lean + side
        }

        func section(at node: CenterlinePoint) -> CrossSection {
            CrossSection(node: node, leftNormal: leftNormal, rightNormal: rightNormal)
        }
    }

    /// Becomes the other one, in its own memory.
    mutating func copy(_ other: StrokeOutliner) {
        (node, incoming, skipped) = (other.node, other.incoming, other.skipped)
        ribbon.copy(other.ribbon)
    }

    /// Takes the next node. Adds pieces whose shape no later node can change.
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
                // The new disc has the old one inside: what was drawn ends there, and a new run starts.
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

    /// Goes round the node between two legs: on with the ribbon where the turn is smooth, with a round join elsewhere.
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

    /// Draws what is open, with a round end at `node`.
    private mutating func close(at node: CenterlinePoint, ink: inout StrokeInk) {
        if let incoming, ribbon.isOpen {
            ink.appendPiece { ribbon.draw(to: incoming.section(at: node), round: true, into: &$0) }
        } else {
            ink.appendPiece { $0.addDisc(around: node.position, radius: node.width / 2) }
        }
        incoming = nil
        ribbon.close()
    }

    /// Whether both legs can share one cut across the stroke, at the mean of their directions: the turn is so small
    /// that the cut loses nothing of the round join, and the legs are long enough for both edges to keep going forward
    /// (at most 0.4 of each leg's length is lost at each of its ends, to the turn and to the lean of a neighbouring cut
    /// that is not shared).
    private static func isSmooth(_ incoming: Leg, _ outgoing: Leg, radius: Double) -> Bool {
        guard abs(incoming.taper) < smoothTaper, abs(outgoing.taper) < smoothTaper else { return false }
        let cosine = min(1, incoming.direction.dot(outgoing.direction))
        guard cosine > 0.5 else { return false }
        let cosineOfHalf = ((1 + cosine) / 2).squareRoot()
        guard radius * (1 - cosineOfHalf) <= smoothSagitta else { return false }
        let tangentOfHalf = abs(incoming.direction.cross(outgoing.direction)) / (1 + cosine)
        let lean = max(abs(incoming.taper), abs(outgoing.taper))
        return radius * (tangentOfHalf + lean) <= 0.4 * min(incoming.length, outgoing.length)
    }

    /// Adds the slices of the node's disc that stick out between two legs: on the outer side of the turn, and a sliver
    /// on the other side where the edge bulges because the taper changes.
    private static func drawJoin(
        _ before: CrossSection, _ directionBefore: Point, _ after: CrossSection, _ directionAfter: Point,
        into path: inout Path
    ) {
        let turnsRight = directionBefore.cross(directionAfter) >= 0
        let isSharp = directionBefore.dot(directionAfter) < 0
        let (center, radius) = (before.center, before.radius)
        // In a sharp turn only the outer side can stick out, and there the angle may exceed 180 degrees.
        if before.leftNormal.cross(after.leftNormal) > 0 && (turnsRight || !isSharp) || isSharp && turnsRight {
            path.addPie(
                around: center, radius: radius, from: before.leftNormal, start: before.left, to: after.leftNormal,
                end: after.left)
        }
        if after.rightNormal.cross(before.rightNormal) > 0 && (!turnsRight || !isSharp) || isSharp && !turnsRight {
            path.addPie(
                around: center, radius: radius, from: after.rightNormal, start: after.right, to: before.rightNormal,
                end: before.right)
        }
    }
}
