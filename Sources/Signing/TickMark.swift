// SPDX-License-Identifier: Apache-2.0
import Document
import Formats
import Geometry

/// Ticks and dots as outlines, in the middle of their boxes.
enum TickMark {
    /// Corners in a square of side 1, y down.
    private static let corners = [
        Point(x: 0.06, y: 0.52), Point(x: 0.20, y: 0.38), Point(x: 0.39, y: 0.58), Point(x: 0.80, y: 0.12),
        Point(x: 0.94, y: 0.24), Point(x: 0.39, y: 0.86),
    ]

    static func ink(in box: DocumentRectangle) -> DocumentInk {
        var path = Path()
        path.move(to: corners[0])
        for corner in corners.dropFirst() { path.addLine(to: corner) }
        return ink(path, in: box)
    }

    /// A disc of 0.56 times the height of the box.
    static func dot(in box: DocumentRectangle) -> DocumentInk {
        // Four cubic curves are within 0.03 % of a circle if their handles have this share of the radius.
        let (radius, handle) = (0.28, 0.28 * 0.552_285)
        func point(_ x: Double, _ y: Double) -> Point { Point(x: 0.5 + x, y: 0.5 + y) }
        var path = Path()
        path.move(to: point(radius, 0))
        var (x, y) = (radius, 0.0)
        for _ in 0..<4 {
            let (nextX, nextY) = (-y, x)
            let share = handle / radius
            path.addCubic(
                control1: point(x + nextX * share, y + nextY * share),
                control2: point(nextX + x * share, nextY + y * share), end: point(nextX, nextY))
            (x, y) = (nextX, nextY)
        }
        return ink(path, in: box)
    }

    private static func ink(_ path: Path, in box: DocumentRectangle) -> DocumentInk {
        let ink = PDFInkEncoder.encode(path, width: 1, height: 1, scale: min(box.width, box.height))
        return DocumentInk(
            width: ink.width, height: ink.height, content: ink.content,
            texts: [.init("\u{2713}", x: 0, y: 0, width: ink.width, height: ink.height)])
    }
}
