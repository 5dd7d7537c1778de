// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Document
import Geometry
import Ink
import Raster
import Record
import TestSupport
import Testing

@testable import Formats

@Suite("Ink in PDF")
struct PDFInkTests {
    /// Ten pixels a millimetre.
    private static let density = PixelDensity(dotsPerInch: 254)
    private static let page = PixelSize(width: 300, height: 200)

    private func square(_ x: Double, _ y: Double, side: Double = 10) -> StrokeInk {
        var ink = StrokeInk()
        ink.appendPiece {
            $0.addPolygon([
                Point(x: x, y: y), Point(x: x + side, y: y), Point(x: x + side, y: y + side), Point(x: x, y: y + side),
            ])
        }
        return ink
    }

    @Test("a square of 100 pixels at 254 dpi is 28.35 points wide, with its corner in the origin")
    func lifeSize() throws {
        let ink = try PDFInkEncoder.encode(
            Drawing(size: Self.page, strokes: [square(50, 20, side: 100)]), density: Self.density)
        #expect(abs(ink.width - 28.3465) < 0.0001 && abs(ink.height - 28.3465) < 0.0001)
        let lines = ink.content.split(separator: "\n")
        #expect(lines.first == "0 0 0 rg" && lines.suffix(2) == ["h", "f"])
        #expect(
            Set(lines.dropFirst().dropLast(2).map { $0.dropLast(2) }) == [
                "0 0", "28.35 0", "28.35 28.35", "0 28.35",
            ])
    }

    @Test("y points up")
    func up() throws {
        // The lower one is smaller.
        let drawing = Drawing(size: Self.page, strokes: [square(0, 0, side: 100), square(0, 150, side: 10)])
        let ink = try PDFInkEncoder.encode(drawing, density: Self.density)
        let fills = ink.content.components(separatedBy: "f\n")
        #expect(fills[0].contains("0 17.01 ") && fills[0].contains("0 45.35 "))
        #expect(fills[1].contains("2.83 0 ") && fills[1].contains("0 2.83 "))
    }

    @Test("colours are opaque and written where they change")
    func colours() throws {
        var drawing = Drawing(size: Self.page, color: 0x000080)
        drawing.add(square(0, 0))
        drawing.add(square(20, 0))
        drawing.add(square(40, 0), color: Color(red: 255, green: 0, blue: 0, alpha: 51))
        drawing.add(square(60, 0))
        let lines = try PDFInkEncoder.encode(drawing, density: Self.density).content.split(separator: "\n")
        #expect(lines.filter { $0.hasSuffix("rg") } == ["0 0 0.502 rg", "1 0.8 0.8 rg", "0 0 0.502 rg"])
        #expect(lines.count { $0 == "f" } == 4)
    }

    @Test(
        "it has operators of filled paths only, and covers what the panel fills",
        arguments: Breadth.seeds(10, long: 60))
    func random(seed: UInt64) throws {
        var random = RandomSketch(seed: seed, page: Self.page)
        let stroke = random.stroke(longest: 60)
        var model = stroke.inkPen.makeStroke(density: Self.density)
        var ink = StrokeInk()
        for sample in stroke.inkSamples() { model.add(sample, to: &ink) }
        model.finish(&ink)
        // Ink of one tone only, so that all of it is one path.
        guard ink.runs.count == 1 else { return }
        let encoded = try PDFInkEncoder.encode(Drawing(size: Self.page, strokes: [ink]), density: Self.density)
        let path = try PDFPathReader(encoded.content).path
        // Eight pixels of the comparison a point, both from the lower left corner.
        let scale = 8.0
        let perPixel = 72 / 254.0 * scale
        let bounds = ink.bounds
        func place(_ point: Point) -> Point {
            Point(x: (point.x - bounds.minX) * perPixel + 4, y: (bounds.maxY - point.y) * perPixel + 4)
        }
        let outline = moved(ink.outline, place)
        let written = moved(path) { Point(x: $0.x * scale + 4, y: $0.y * scale + 4) }
        let (before, after) = (coverage(outline), coverage(written))
        var (common, all) = (0, 0)
        for index in before.indices {
            common += Int(min(before[index], after[index]))
            all += Int(max(before[index], after[index]))
        }
        #expect(all > 0 && Double(common) / Double(all) > 0.97, "\(seed): \(Double(common) / Double(all))")
        #expect(abs(encoded.width - bounds.width * 72 / 254) < 0.1)
        #expect(abs(encoded.height - bounds.height * 72 / 254) < 0.1)
    }

    @Test("too much ink and no ink are refused")
    func limits() {
        let drawing = Drawing(size: Self.page, strokes: [square(0, 0)])
        #expect(
            thrownError { try PDFInkEncoder.encode(drawing, density: Self.density, byteLimit: 20) } as? ExportError
                == .textTooLarge(byteLimit: 20))
        #expect(throws: Never.self) { try PDFInkEncoder.encode(drawing, density: Self.density, byteLimit: 100) }
        for strokes in [[], [StrokeInk()]] {
            let empty = Drawing(size: Self.page, strokes: strokes)
            #expect(thrownError { try PDFInkEncoder.encode(empty, density: Self.density) } as? ExportError == .noInk)
        }
    }

    private func moved(_ path: Path, _ place: (Point) -> Point) -> Path {
        var (result, index) = (Path(), 0)
        func next() -> Point {
            defer { index += 1 }
            return place(path.points[index])
        }
        for verb in path.verbs {
            switch verb {
            case .move: result.move(to: next())
            case .line: result.addLine(to: next())
            case .cubic: result.addCubic(control1: next(), control2: next(), end: next())
            }
        }
        return result
    }

    private func coverage(_ path: Path) -> [UInt8] {
        let bounds = PixelRect(minX: 0, minY: 0, maxX: 800, maxY: 600)
        let buffer = CoverageBuffer(bounds: bounds)
        var rasterizer = Rasterizer()
        rasterizer.begin(clip: bounds)
        rasterizer.add(path, from: .start, to: path.end)
        rasterizer.fill(.nonZero, into: buffer)
        return buffer.bytes
    }
}

/// Reads what ``PDFInkEncoder`` writes.
private struct PDFPathReader {
    private(set) var path = Path()

    init(_ content: String) throws {
        var numbers: [Double] = []
        for word in content.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            if let number = Double(word) {
                numbers.append(number)
                continue
            }
            let points = stride(from: 0, to: numbers.count - 1, by: 2).map {
                Point(x: numbers[$0], y: numbers[$0 + 1])
            }
            switch word {
            case "m": path.move(to: try #require(points.first))
            case "l": path.addLine(to: try #require(points.first))
            case "c":
                try #require(points.count == 3)
                path.addCubic(control1: points[0], control2: points[1], end: points[2])
            case "h", "f", "rg": break
            default: Issue.record("\(word) is not an operator of filled paths")
            }
            numbers = []
        }
    }
}

extension String {
    fileprivate func components(separatedBy mark: String) -> [String] {
        var (parts, rest) = ([String](), self[...])
        while let range = rest.firstRange(of: mark) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return parts + [String(rest)]
    }
}
