// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Icons, drawn within a square as pens would: lines of one thickness with round ends. All contours turn the same way,
/// so that filled non-zero they join.
extension Path {
    /// Of the square's side.
    private static let lineShare = 0.13

    /// An arrow that goes up and turns back.
    static func turningArrow(_ square: Rect, pointsRight: Bool) -> Path {
        icon(square, isMirrored: pointsRight) { line in
            // Half a turn in 24 steps of 7.5 degrees. The step's cosine and sine are written down, for sines differ
            // between machines.
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

    /// What saving looks like since nobody knows disks any more.
    static func arrowIntoTray(_ square: Rect) -> Path {
        icon(square) { line in
            line([Point(x: 0.5, y: 0.06), Point(x: 0.5, y: 0.62)])
            line([Point(x: 0.26, y: 0.4), Point(x: 0.5, y: 0.64), Point(x: 0.74, y: 0.4)])
            line([Point(x: 0.06, y: 0.66), Point(x: 0.06, y: 0.92), Point(x: 0.94, y: 0.92), Point(x: 0.94, y: 0.66)])
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

    /// As large as fits.
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
    private mutating func addLine(_ points: [Point], thickness: Double) {
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
