// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Icons in a square: lines of one thickness with round ends. All contours have the same direction, for the non-zero
/// rule.
extension Path {
    /// Thickness of lines, as a share of the side.
    private static let lineShare = 0.13

    /// An arrow that turns back, for undo and redo.
    static func turningArrow(_ square: Rect, pointsRight: Bool) -> Path {
        icon(square, isMirrored: pointsRight) { line in
            // Half a turn in 24 steps of 7.5 degrees. Cosine and sine are constants, because library sines differ.
            let step = Point(x: 0.9914448613738104, y: 0.13052619222005157)
            var direction = Point(x: 0, y: -1)
            var arc = [Point(x: 0.62, y: 0.28)]
            for _ in 0..<24 {
                direction = direction * step.x + direction.perpendicular * step.y
                arc.append(Point(x: 0.62, y: 0.58) + direction * 0.3)
            }
            line([Point(x: 0.08, y: 0.28)] + arc + [Point(x: 0.3, y: 0.88)])
            line([Point(x: 0.3, y: 0.06), Point(x: 0.08, y: 0.28), Point(x: 0.3, y: 0.5)])
        }
    }

    /// A waste bin.
    static func bin(_ square: Rect) -> Path {
        icon(square) { line in
            line([Point(x: 0.06, y: 0.22), Point(x: 0.94, y: 0.22)])
            line([Point(x: 0.36, y: 0.22), Point(x: 0.36, y: 0.06), Point(x: 0.64, y: 0.06), Point(x: 0.64, y: 0.22)])
            line([Point(x: 0.18, y: 0.22), Point(x: 0.25, y: 0.94), Point(x: 0.75, y: 0.94), Point(x: 0.82, y: 0.22)])
            line([Point(x: 0.42, y: 0.42), Point(x: 0.43, y: 0.74)])
            line([Point(x: 0.58, y: 0.42), Point(x: 0.57, y: 0.74)])
        }
    }

    /// The icon for saving.
    static func arrowIntoTray(_ square: Rect) -> Path {
        icon(square) { line in
            line([Point(x: 0.5, y: 0.06), Point(x: 0.5, y: 0.62)])
            line([Point(x: 0.26, y: 0.4), Point(x: 0.5, y: 0.64), Point(x: 0.74, y: 0.4)])
            line([Point(x: 0.06, y: 0.66), Point(x: 0.06, y: 0.92), Point(x: 0.94, y: 0.92), Point(x: 0.94, y: 0.66)])
        }
    }

    /// A check mark.
    /// - Parameter share: the drawn share of its length, 0...1.
    static func tick(_ square: Rect, share: Double) -> Path {
        var path = Path()
        let side = square.maxX - square.minX
        let points = [Point(x: 0, y: 0.54), Point(x: 0.36, y: 0.9), Point(x: 1, y: 0.14)].map {
            Point(x: square.minX + $0.x * side, y: square.minY + $0.y * side)
        }
        // The short part is a third of the length.
        let (first, second) = (min(share * 3, 1), max(0, (share * 3 - 1) / 2))
        var line = [points[0], points[0].interpolated(to: points[1], first)]
        if second > 0 { line.append(points[1].interpolated(to: points[2], second)) }
        if share > 0 { path.addLine(line, thickness: max(1, side * 0.17)) }
        return path
    }

    /// The steps of a turn of the ring, 7.5 degrees each.
    static let turnSteps = 48

    /// A ring with a gap, for something under way.
    /// - Parameter start: the number of steps that it has turned clockwise.
    static func openRing(_ square: Rect, turned start: Int) -> Path {
        icon(square) { line in
            // 7.5 degrees, as in `turningArrow`.
            let step = Point(x: 0.9914448613738104, y: 0.13052619222005157)
            var direction = Point(x: 0, y: -1)
            var arc: [Point] = []
            // Three quarters of a turn.
            for index in 0...start + turnSteps * 3 / 4 {
                if index >= start { arc.append(Point(x: 0.5, y: 0.5) + direction * 0.42) }
                direction = direction * step.x + direction.perpendicular * step.y
            }
            line(arc)
        }
    }

    /// A pen that points to the start of lines.
    static func pen(_ square: Rect, isMirrored: Bool) -> Path {
        icon(square, isMirrored: isMirrored) { line in
            line([
                Point(x: 0.06, y: 0.94), Point(x: 0.16, y: 0.64), Point(x: 0.72, y: 0.08), Point(x: 0.92, y: 0.28),
                Point(x: 0.36, y: 0.84), Point(x: 0.06, y: 0.94),
            ])
        }
    }

    /// An open eye.
    static func eye(_ square: Rect) -> Path {
        icon(square) { line in
            let upper = [(0.05, 0.5), (0.2, 0.34), (0.35, 0.25), (0.5, 0.22), (0.65, 0.25), (0.8, 0.34), (0.95, 0.5)]
            let points = upper.map { Point(x: $0.0, y: $0.1) }
            line(points + points.dropLast().reversed().map { Point(x: $0.x, y: 1 - $0.y) })
            line([Point(x: 0.48, y: 0.5), Point(x: 0.52, y: 0.5)])
        }
    }

    /// A loudspeaker with two waves.
    static func loudspeaker(_ square: Rect, isMirrored: Bool) -> Path {
        icon(square, isMirrored: isMirrored) { line in
            line([
                Point(x: 0.06, y: 0.36), Point(x: 0.24, y: 0.36), Point(x: 0.48, y: 0.14), Point(x: 0.48, y: 0.86),
                Point(x: 0.24, y: 0.64), Point(x: 0.06, y: 0.64), Point(x: 0.06, y: 0.36),
            ])
            line([Point(x: 0.64, y: 0.36), Point(x: 0.7, y: 0.5), Point(x: 0.64, y: 0.64)])
            line([Point(x: 0.8, y: 0.22), Point(x: 0.92, y: 0.5), Point(x: 0.8, y: 0.78)])
        }
    }

    static func exclamationMark(_ square: Rect) -> Path {
        icon(square) { line in
            line([Point(x: 0.5, y: 0.24), Point(x: 0.5, y: 0.56)])
            line([Point(x: 0.5, y: 0.76), Point(x: 0.5, y: 0.765)])
        }
    }

    /// The sign for information.
    static func letterI(_ square: Rect) -> Path {
        icon(square) { line in
            line([Point(x: 0.5, y: 0.24), Point(x: 0.5, y: 0.245)])
            line([Point(x: 0.5, y: 0.46), Point(x: 0.5, y: 0.76)])
        }
    }

    /// A line that goes up.
    static func risingLine(_ square: Rect, thickness: Double) -> Path {
        var path = Path()
        let inner = square.insetBy(thickness / 2)
        path.addLine(
            [Point(x: inner.minX, y: inner.maxY), Point(x: inner.maxX, y: inner.minY)], thickness: thickness)
        return path
    }

    /// The tick in a box of a document, as the signed document has it: a polygon as high as the smaller side of the
    /// box.
    static func documentTick(_ box: Rect) -> Path {
        let side = min(box.width, box.height)
        let (x, y) = ((box.minX + box.maxX - side) / 2, (box.minY + box.maxY - side) / 2)
        let corners = [(0.06, 0.52), (0.20, 0.38), (0.39, 0.58), (0.80, 0.12), (0.94, 0.24), (0.39, 0.86)]
        return Path(polygon: corners.map { Point(x: x + $0.0 * side, y: y + $0.1 * side) })
    }

    /// An arrow to the end of lines.
    static func arrow(_ square: Rect, isMirrored: Bool) -> Path {
        icon(square, isMirrored: isMirrored) { line in
            line([Point(x: 0.08, y: 0.5), Point(x: 0.88, y: 0.5)])
            line([Point(x: 0.56, y: 0.2), Point(x: 0.9, y: 0.5), Point(x: 0.56, y: 0.8)])
        }
    }

    /// A line across, for something that was not done.
    static func dash(_ square: Rect) -> Path {
        icon(square) { line in line([Point(x: 0.16, y: 0.5), Point(x: 0.84, y: 0.5)]) }
    }

    /// The largest disc in a square.
    static func disc(_ rect: Rect) -> Path {
        roundedRect(rect, radius: .infinity)
    }

    private static func icon(
        _ square: Rect, isMirrored: Bool = false, _ draw: (_ line: ([Point]) -> Void) -> Void
    ) -> Path {
        var path = Path()
        let side = square.maxX - square.minX
        draw { points in
            let placed = points.map { point in
                Point(
                    x: square.minX + (isMirrored ? 1 - point.x : point.x) * side, y: square.minY + point.y * side)
            }
            path.addLine(placed, thickness: max(1, side * lineShare))
        }
        return path
    }

    /// Through the points, with round ends and corners.
    mutating func addLine(_ points: [Point], thickness: Double) {
        let half = thickness / 2
        for point in points {
            append(
                .disc(Rect(minX: point.x - half, minY: point.y - half, maxX: point.x + half, maxY: point.y + half)))
        }
        for (start, end) in zip(points, points.dropFirst()) {
            guard let direction = (end - start).normalized else { continue }
            let across = direction.perpendicular * half
            // Clockwise on the screen, as discs are.
            addPolygon([start - across, end - across, end + across, start + across])
        }
    }
}

extension Path {
    /// Distance of the control points of a quarter circle from its ends, as a share of the radius: 4/3 (sqrt 2 - 1).
    /// The error is at most 0.03 %.
    private static let quarterCircle = 0.5522847498

    /// - Parameter radius: limited to half of the shorter side.
    static func roundedRect(_ rect: Rect, radius: Double) -> Path {
        let r = max(0, min(radius, (rect.maxX - rect.minX) / 2, (rect.maxY - rect.minY) / 2))
        let c = r * (1 - quarterCircle)
        let (left, top, right, bottom) = (rect.minX, rect.minY, rect.maxX, rect.maxY)
        var path = Path()
        path.move(to: Point(x: left + r, y: top))
        path.addLine(to: Point(x: right - r, y: top))
        path.addCubic(
            control1: Point(x: right - c, y: top), control2: Point(x: right, y: top + c),
            end: Point(x: right, y: top + r))
        path.addLine(to: Point(x: right, y: bottom - r))
        path.addCubic(
            control1: Point(x: right, y: bottom - c), control2: Point(x: right - c, y: bottom),
            end: Point(x: right - r, y: bottom))
        path.addLine(to: Point(x: left + r, y: bottom))
        path.addCubic(
            control1: Point(x: left + c, y: bottom), control2: Point(x: left, y: bottom - c),
            end: Point(x: left, y: bottom - r))
        path.addLine(to: Point(x: left, y: top + r))
        path.addCubic(
            control1: Point(x: left, y: top + c), control2: Point(x: left + c, y: top), end: Point(x: left + r, y: top))
        return path
    }
}

extension Rect {
    init(_ rect: PixelRect) {
        self.init(
            minX: Double(rect.minX), minY: Double(rect.minY), maxX: Double(rect.maxX), maxY: Double(rect.maxY))
    }

    /// Smaller by `inset` on each side.
    func insetBy(_ inset: Double) -> Rect {
        Rect(minX: minX + inset, minY: minY + inset, maxX: maxX - inset, maxY: maxY - inset)
    }
}
