// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Geometry
import Ink
import Raster
import Record
import TestSupport
import Testing

@testable import Formats

/// Checks that the joined and rounded outlines of SVG look like the original ones.
@Suite("Ink in SVG")
struct SVGInkTests {
    /// Pixels of the comparison per pixel of the drawing.
    private static let zoom = 4.0
    private static let page = PixelSize(width: 300, height: 200)

    private func paths(_ drawing: Drawing) throws -> [Path] {
        let text = String(decoding: try SVGEncoder.encode(drawing), as: UTF8.self)
        return try text.split(separator: "<path").dropFirst().map { element in
            let data = try #require(element.firstRange(of: " d=\"").map { element[$0.upperBound...] })
            return try #require(PathDataReader(data.prefix { $0 != "\"" })).path
        }
    }

    private func zoomed(_ path: Path, from start: Path.Mark = .start, to end: Path.Mark? = nil) -> Path {
        var (result, index) = (Path(), start.pointCount)
        func next() -> Point {
            defer { index += 1 }
            return path.points[index] * Self.zoom
        }
        for verb in path.verbs[start.verbCount..<(end ?? path.end).verbCount] {
            switch verb {
            case .move: result.move(to: next())
            case .line: result.addLine(to: next())
            case .cubic: result.addCubic(control1: next(), control2: next(), end: next())
            }
        }
        return result
    }

    private func coverage(_ path: Path, _ bounds: PixelRect) -> [UInt8] {
        let buffer = CoverageBuffer(bounds: bounds)
        var rasterizer = Rasterizer()
        rasterizer.begin(clip: bounds)
        rasterizer.add(path, from: .start, to: path.end)
        rasterizer.fill(.nonZero, into: buffer)
        return buffer.bytes
    }

    private func area(_ path: Path, from start: Path.Mark, to end: Path.Mark) -> Double {
        let points = path.points[start.pointCount..<end.pointCount]
        guard let first = points.first else { return 0 }
        return zip(points, points.dropFirst()).reduce(0) { $0 + ($1.0 - first).cross($1.1 - first) } / 2
    }

    /// - Returns: the contours of the ink and of the file.
    @discardableResult
    private func check(_ ink: StrokeInk, _ name: String) throws -> (before: Int, after: Int) {
        let runs = ink.runs
        let paths = try paths(Drawing(size: Self.page, strokes: [ink]))
        try #require(paths.count == runs.count, "\(name)")
        for (run, path) in zip(runs, paths) {
            let expected = zoomed(ink.outline, from: run.start, to: run.end)
            let actual = zoomed(path)
            let page = PixelRect(
                minX: 0, minY: 0, maxX: Int(Double(Self.page.width) * Self.zoom),
                maxY: Int(Double(Self.page.height) * Self.zoom))
            let bounds = PixelRect(covering: expected.bounds.union(actual.bounds), within: page)
            let (before, after) = (coverage(expected, bounds), coverage(actual, bounds))
            var (common, all, worst) = (0, 0, 0)
            for index in before.indices {
                let (least, most) = (Int(min(before[index], after[index])), Int(max(before[index], after[index])))
                common += least
                all += most
                worst = max(worst, most - least)
            }
            #expect(all == 0 || Double(common) / Double(all) > 0.99, "\(name): \(Double(common) / Double(all))")
            #expect(worst <= 64, "\(name): \(worst) of 255 at \(Self.zoom) times the size")
            var mark = Path.Mark.start
            while mark != path.end {
                let next = path.endOfContour(at: mark)
                #expect(abs(area(path, from: mark, to: next)) >= 0.0099, "\(name)")
                mark = next
            }
        }
        let after = paths.reduce(0) { $0 + $1.verbs.count { $0 == .move } }
        return (ink.outline.verbs.count { $0 == .move }, after)
    }

    @Test(
        "SVG covers what the outlines cover, without slivers, for random strokes of all pens",
        arguments: Breadth.seeds(10, long: 60))
    func random(seed: UInt64) throws {
        var random = RandomSketch(seed: seed, page: Self.page)
        let stroke = random.stroke(longest: 60)
        var model = stroke.inkPen.makeStroke(density: PixelDensity(dotsPerInch: 254))
        var ink = StrokeInk()
        for sample in stroke.inkSamples() { model.add(sample, to: &ink) }
        model.finish(&ink)
        try check(ink, "\(seed) \(stroke.inkPen)")
    }

    /// A spiral whose turns do not touch.
    private func spiral(_ count: Int) -> [Sample] {
        (0..<count).map { index in
            let (time, radius) = (Double(index), 4 + 90 * Double(index) / Double(count))
            var (x, y) = (1.0, 0.0)
            // Rotates by a step per sample, without functions that differ between machines.
            for _ in 0..<index % 64 { (x, y) = (x * 0.99518 - y * 0.09802, x * 0.09802 + y * 0.99518) }
            return Sample(
                time: Timestamp(microseconds: Int64(time * 8000)),
                position: Point(x: 150 + radius * x, y: 100 + radius * y),
                pressure: nil)
        }
    }

    /// ``PenName/speedQuadratic`` and ``PenName/naiveWidth`` differ, because each of their parts has its own width.
    @Test(
        "a stroke is joined to one contour or a few",
        arguments: [PenName.linear, .bezier, .smoothedBezier, .quadratic, .offset, .ink])
    func few(pen: PenName) throws {
        var model = Pen(pen).makeStroke()
        var ink = StrokeInk()
        for sample in spiral(300) { model.add(sample, to: &ink) }
        model.finish(&ink)
        let count = try check(ink, "\(pen)")
        #expect(count.after * 10 < count.before, "\(pen): \(count)")
    }

    @Test("a long stroke is emitted in parts without a seam")
    func long() throws {
        var model = Pen(.linear, width: 0.4).makeStroke(density: PixelDensity(dotsPerInch: 254))
        var ink = StrokeInk()
        // A zigzag on rows that do not touch.
        for index in 0..<6000 {
            let (row, step) = index.quotientAndRemainder(dividingBy: 500)
            let column = row % 2 == 0 ? step : 499 - step
            model.add(
                Sample(
                    time: .zero + .milliseconds(8 * index),
                    position: Point(
                        x: 10 + Double(column) * 0.56, y: 10 + Double(row) * 15 + Double(index % 2) * 0.7),
                    pressure: nil),
                to: &ink)
        }
        model.finish(&ink)
        #expect(try check(ink, "long").after > 1)
    }

    @Test("ink smaller than a sliver is kept")
    func speck() throws {
        var ink = StrokeInk()
        ink.appendPiece { $0.addPolygon([Point(x: 5, y: 5), Point(x: 5.08, y: 5), Point(x: 5.08, y: 5.08)]) }
        let paths = try paths(Drawing(size: Self.page, strokes: [ink]))
        #expect(paths.count == 1)
    }
}

/// Reads path data of SVG 1.1, except arcs.
struct PathDataReader {
    private var rest: Substring
    private(set) var path = Path()

    /// nil for invalid path data.
    init?(_ text: some StringProtocol) {
        rest = Substring(text)
        var (start, last) = (Point.zero, Point.zero)
        var command: Character = "z"
        while !rest.isEmpty {
            if let letter = rest.first, letter.isLetter {
                rest.removeFirst()
                command = letter
            } else if command == "z" {
                return nil
            }
            switch command {
            case "m":
                guard let way = point() else { return nil }
                start = start + way
                last = start
                path.move(to: start)
                command = "l"
            case "l":
                guard let way = point() else { return nil }
                last = last + way
                path.addLine(to: last)
            case "c":
                guard let first = point(), let second = point(), let way = point() else { return nil }
                path.addCubic(control1: last + first, control2: last + second, end: last + way)
                last = last + way
            case "z": last = start
            default: return nil
            }
        }
        guard command == "z" else { return nil }
    }

    private mutating func point() -> Point? {
        guard let x = number(), let y = number() else { return nil }
        return Point(x: x, y: y)
    }

    private mutating func number() -> Double? {
        while rest.first == " " { rest.removeFirst() }
        var text = ""
        while let character = rest.first, character.isNumber || character == "." || character == "-" && text.isEmpty {
            text.append(rest.removeFirst())
        }
        return Double(text)
    }
}
