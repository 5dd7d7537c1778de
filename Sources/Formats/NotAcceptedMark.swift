// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Ink
import Raster
import Record

/// The words behind the ink of a signature that was not accepted, such as INTERRUPTED NOT ACCEPTED, centred and as
/// large as fits. The letters are drawn as lines, so that they are the same on every machine, unlike fonts.
enum NotAcceptedMark {
    /// Red, light enough to read ink on it.
    static let color = Color(red: 0xE5, green: 0x5B, blue: 0x5B)
    /// The minimum size of pictures trimmed to the ink, in millimetres: letters of 2 mm.
    private static let smallestSize = (width: 24.0, height: 8.0)

    /// Letters are 4 units wide and 6 high, with lines of width 1.
    private static let advance = 6.0
    private static let lineAdvance = 9.0
    /// The share of each side of the picture that the words fill.
    private static let share = 0.92

    /// The polylines of each letter, from its upper left corner.
    private static let letters: [Character: [[(Double, Double)]]] = [
        "A": [[(0, 6), (2, 0), (4, 6)], [(0.8, 4), (3.2, 4)]],
        "C": [[(4, 1), (3, 0), (1, 0), (0, 1), (0, 5), (1, 6), (3, 6), (4, 5)]],
        "D": [[(0, 0), (2.5, 0), (4, 1.5), (4, 4.5), (2.5, 6), (0, 6), (0, 0)]],
        "E": [[(4, 0), (0, 0), (0, 6), (4, 6)], [(0, 3), (3, 3)]],
        "I": [[(2, 0), (2, 6)]],
        "L": [[(0, 0), (0, 6), (4, 6)]],
        "M": [[(0, 6), (0, 0), (2, 3), (4, 0), (4, 6)]],
        "N": [[(0, 6), (0, 0), (4, 6), (4, 0)]],
        "O": [[(1, 0), (3, 0), (4, 1), (4, 5), (3, 6), (1, 6), (0, 5), (0, 1), (1, 0)]],
        "P": [[(0, 6), (0, 0), (3, 0), (4, 1), (4, 2), (3, 3), (0, 3)]],
        "R": [[(0, 6), (0, 0), (3, 0), (4, 1), (4, 2), (3, 3), (0, 3)], [(2, 3), (4, 6)]],
        "T": [[(0, 0), (4, 0)], [(2, 0), (2, 6)]],
        "U": [[(0, 0), (0, 5), (1, 6), (3, 6), (4, 5), (4, 0)]],
    ]

    /// - Returns: nil for an accepted record.
    static func ink(for record: CaptureRecord, on size: PixelSize) -> StrokeInk? {
        let first: String
        switch record.outcome {
        case .accepted: return nil
        case .interrupted: first = "INTERRUPTED"
        case .cancelled: first = "CANCELLED"
        case .timedOut: first = "TIMED OUT"
        }
        let (width, height) = (Double(size.width) * share, Double(size.height) * share)
        func unit(_ lines: [String]) -> Double {
            let longest = Double(lines.map(\.count).max() ?? 0)
            return min(width / (longest * advance - 1), height / (Double(lines.count) * lineAdvance - 2))
        }
        // The layout with the largest letters.
        let broken = [[first + " NOT ACCEPTED"], [first, "NOT ACCEPTED"], [first, "NOT", "ACCEPTED"]]
        let lines = broken.max { unit($0) < unit($1) } ?? []
        let scale = unit(lines)
        let top = Double(size.height) / 2 - (Double(lines.count) * lineAdvance - 3) / 2 * scale
        var ink = StrokeInk()
        ink.appendPiece { path in
            for (row, line) in lines.enumerated() {
                let left = Double(size.width) / 2 - (Double(line.count) * advance - 2) / 2 * scale
                for (column, letter) in line.enumerated() {
                    let corner = Point(
                        x: left + Double(column) * advance * scale, y: top + Double(row) * lineAdvance * scale)
                    for line in letters[letter] ?? [] {
                        let points = line.map { Point(x: $0.0, y: $0.1) * scale + corner }
                        for bar in bars(along: points, halfWidth: scale / 2) { path.addPolygon(bar) }
                    }
                }
            }
        }
        ink.dry()
        return ink
    }

    /// Extends `frame` until the letters are readable.
    static func room(around frame: Rect, density: PixelDensity) -> Rect {
        let unit = density.pixelsPerMillimetre
        let x = max(0, smallestSize.width * unit - frame.width) / 2
        let y = max(0, smallestSize.height * unit - frame.height) / 2
        return Rect(minX: frame.minX - x, minY: frame.minY - y, maxX: frame.maxX + x, maxY: frame.maxY + y)
    }

    /// The segments of a polyline as rectangles, mitred where they meet. All have the same orientation, so they add up.
    private static func bars(along points: [Point], halfWidth: Double) -> [[Point]] {
        let parts = Array(zip(points, points.dropFirst()))
        let directions = parts.map { start, end in (end - start) * (1 / start.distance(to: end)) }
        let isClosed = points.first == points.last
        /// The extension of a segment beyond its end, in half widths.
        func reach(_ direction: Point, _ other: Point?) -> Double {
            let cosine = other.map { direction.x * $0.x + direction.y * $0.y } ?? -1
            if let other, cosine >= 0 { return abs(direction.x * other.y - direction.y * other.x) / (1 + cosine) }
            // Sharp corners and free ends; less for slanting segments, which would stick out.
            return direction.x == 0 || direction.y == 0 ? 1 : 0.3
        }
        return parts.indices.map { index in
            let along = directions[index]
            let before = index > 0 ? directions[index - 1] : isClosed ? directions.last : nil
            let after = index + 1 < parts.count ? directions[index + 1] : isClosed ? directions.first : nil
            let across = Point(x: -along.y, y: along.x) * halfWidth
            let start = parts[index].0 - along * (reach(along, before) * halfWidth)
            let end = parts[index].1 + along * (reach(along, after) * halfWidth)
            return [start + across, start - across, end - across, end + across]
        }
    }
}
