// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

/// The coverage of a run of a stroke that comes in several parts. The uncovered share of a pixel is the product of the
/// shares that the parts leave uncovered.
///
/// The page is divided into square tiles. A tile that is completely covered takes no more ink, so an endless scribble
/// costs no more than the page that it blackens.
struct InkMask: ~Copyable {
    private static let side = 64
    /// An upper bound of the rounding of a vertex, in pixels.
    private static let margin = 1.0

    private let coverage: CoverageBuffer
    private let columnCount: Int
    private let rowCount: Int
    private var isInked: [Bool]
    /// The pieces to fill in each tile; empty between parts.
    private var pieces: [[UInt32]]
    /// The horizontal extent of a piece in each row of tiles.
    private var spans: [(least: Double, most: Double)] = []
    private var bounds: PixelRect { coverage.bounds }
    /// The number of times that a piece was filled into a tile.
    private(set) var filledCount = 0
    var inkedTileCount: Int { isInked.count { $0 } }

    /// - Parameter bounds: of the page; takes a byte of memory per pixel.
    init(bounds: PixelRect) {
        coverage = CoverageBuffer(bounds: bounds)
        columnCount = (bounds.width + Self.side - 1) / Self.side
        rowCount = (bounds.height + Self.side - 1) / Self.side
        isInked = [Bool](repeating: false, count: columnCount * rowCount)
        pieces = [[UInt32]](repeating: [], count: columnCount * rowCount)
    }

    /// Adds pieces of `ink` as one shape.
    mutating func add(_ range: Range<Int>, of ink: StrokeInk, with rasterizer: inout Rasterizer) {
        var touched: [Int] = []
        for number in range { list(number, of: ink, &touched) }
        for tile in touched {
            fill(tile, of: ink, with: &rasterizer)
            pieces[tile].removeAll(keepingCapacity: true)
        }
    }

    /// Lists a piece for the tiles that it may touch, except covered ones.
    private mutating func list(_ number: Int, of ink: StrokeInk, _ touched: inout [Int]) {
        let piece = ink.pieces[number]
        let box = PixelRect(covering: piece.bounds, within: bounds)
        if box.isEmpty { return }
        let first = (box.minY - bounds.minY) / Self.side
        let rows = first...(box.maxY - 1 - bounds.minY) / Self.side
        spans.removeAll(keepingCapacity: true)
        for _ in rows { spans.append((.infinity, -.infinity)) }
        let outline = ink.outline
        var index = piece.start.pointCount
        var (start, last) = (outline.points[index], outline.points[index])
        for verb in outline.verbs[piece.start.verbCount..<piece.end.verbCount] {
            switch verb {
            case .move:
                span(last, start, from: first)
                start = outline.points[index]
            case .line: span(last, outline.points[index], from: first)
            case .cubic:
                // A curve lies within the quadrangle of its points.
                for (number, point) in outline.points[index..<index + 3].enumerated() {
                    span(last, point, from: first)
                    for other in outline.points[index..<index + number] { span(other, point, from: first) }
                }
                index += 2
            }
            last = outline.points[index]
            index += 1
        }
        span(last, start, from: first)
        for row in rows {
            let span = spans[row - first]
            guard span.least <= span.most else { continue }
            let columns = column(span.least - Self.margin)...column(span.most + Self.margin)
            for column in columns {
                let tile = row * columnCount + column
                if isInked[tile] { continue }
                if pieces[tile].isEmpty { touched.append(tile) }
                pieces[tile].append(UInt32(number))
            }
        }
    }

    /// - Parameter first: the first row of tiles in ``spans``.
    private mutating func span(_ a: Point, _ b: Point, from first: Int) {
        let (upper, lower) = a.y <= b.y ? (a, b) : (b, a)
        let top = Double(bounds.minY + first * Self.side)
        let end = Double(spans.count * Self.side)
        let (y0, y1) = (upper.y - top - Self.margin, lower.y - top + Self.margin)
        guard y1 >= 0, y0 < end else { return }
        let rows = Int(max(y0, 0)) / Self.side...Int(min(y1, end - 1)) / Self.side
        let height = lower.y - upper.y
        for row in rows {
            var (x0, x1) = (upper.x, lower.x)
            if rows.count > 1, height > Self.margin {
                let rowTop = top + Double(row * Self.side) - Self.margin
                let slope = (lower.x - upper.x) / height
                let share = { (y: Double) in min(max(y - upper.y, 0), height) }
                x0 = upper.x + share(rowTop) * slope
                x1 = upper.x + share(rowTop + Double(Self.side) + 2 * Self.margin) * slope
            }
            spans[row].least = min(spans[row].least, x0, x1)
            spans[row].most = max(spans[row].most, x0, x1)
        }
    }

    private func column(_ x: Double) -> Int {
        Int(min(max(x - Double(bounds.minX), 0), Double(bounds.width - 1))) / Self.side
    }

    private mutating func fill(_ tile: Int, of ink: StrokeInk, with rasterizer: inout Rasterizer) {
        let (row, column) = tile.quotientAndRemainder(dividingBy: columnCount)
        let (x, y) = (bounds.minX + column * Self.side, bounds.minY + row * Self.side)
        let rect = PixelRect(minX: x, minY: y, maxX: x + Self.side, maxY: y + Self.side).intersection(bounds)
        let part = CoverageBuffer(bounds: rect)
        rasterizer.begin(clip: rect)
        for number in pieces[tile] {
            let piece = ink.pieces[Int(number)]
            rasterizer.add(ink.outline, from: piece.start, to: piece.end)
            filledCount += 1
        }
        rasterizer.fill(.nonZero, into: part)
        let start = (rect.minY - bounds.minY) * bounds.width + rect.minX - bounds.minX
        let pitch = bounds.width
        var least: UInt8 = 255
        coverage.withUnsafeMutableBytes { all in
            part.withUnsafeMutableBytes { new in
                for y in 0..<rect.height {
                    let (target, source) = (all + start + y * pitch, new + y * rect.width)
                    for x in 0..<rect.width {
                        // Rounded so that a nearly covered pixel becomes covered.
                        let free = UInt16(255 - target[x]) * UInt16(255 - source[x]) / 255
                        target[x] = 255 - UInt8(truncatingIfNeeded: free)
                        least = min(least, target[x])
                    }
                }
            }
        }
        isInked[tile] = least == 255
    }

    func withCoverage(_ body: (borrowing CoverageBuffer) -> Void) { body(coverage) }
}
