// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import PNG
import Raster
import Record
import TestSupport
import Testing

@testable import Formats

@Suite("Export")
struct ExportTests {
    private func square() -> StrokeInk {
        var ink = StrokeInk()
        ink.append(CenterlinePoint(time: Timestamp(microseconds: 1500), position: Point(x: 2, y: 3), width: 1.25))
        ink.appendPiece { path in
            path.addPolygon([Point(x: 1, y: 2), Point(x: 3, y: 2), Point(x: 3, y: 4.0006), Point(x: 1, y: 4)])
        }
        ink.dry()
        return ink
    }

    @Test("PNG has the pixels and the resolution, and the same pixels give the same bytes")
    func png() throws {
        let buffer = PixelBuffer(size: PixelSize(width: 3, height: 2))
        buffer.surface.fill(buffer.surface.bounds, with: .white)
        buffer.surface.row(1)[2] = Color(red: 10, green: 20, blue: 30).xrgb8888
        let bytes = try PNGEncoder.encode(buffer.surface, dotsPerInch: 254)
        let picture = try #require(DecodedPNG(bytes))
        #expect(picture.size == PixelSize(width: 3, height: 2))
        #expect(picture[2, 1] == Color(red: 10, green: 20, blue: 30))
        #expect(picture[0, 0] == .white)
        // pHYs: 10000 pixels a metre both ways, unit metre.
        #expect(bytes.firstRange(of: Array("pHYs".utf8) + [0, 0, 0x27, 0x10, 0, 0, 0x27, 0x10, 1]) != nil)
        #expect(try PNGEncoder.encode(buffer.surface, dotsPerInch: 254) == bytes)
    }

    @Test("an empty picture is an error, not a crash")
    func emptyPNG() throws {
        let buffer = PixelBuffer(size: PixelSize(width: 0, height: 0))
        #expect(throws: PNGError.self) { try PNGEncoder.encode(buffer.surface) }
    }

    @Test("SVG has the outline to 1/100 pixel, non-zero, and its size in millimetres")
    func svg() throws {
        let drawing = Drawing(
            size: PixelSize(width: 254, height: 127), color: Color(red: 0, green: 0, blue: 128, alpha: 51),
            strokes: [square()])
        let text = String(decoding: try SVGEncoder.encode(drawing, dotsPerInch: 254), as: UTF8.self)
        #expect(text.contains("width=\"25.4mm\" height=\"12.7mm\" viewBox=\"0 0 254 127\""))
        #expect(text.contains("fill=\"#000080\" fill-rule=\"nonzero\" fill-opacity=\"0.2\""))
        #expect(text.contains("<path d=\"m1 2 2 0 0 2-2 0z\"/>"))
    }

    /// Two squares of the ink's colour, one of the lightest.
    private func tones() -> StrokeInk {
        var ink = StrokeInk()
        for (left, lightness) in [(0.0, 0.0), (2, 0), (4, 1)] {
            ink.tone = Tone(lightness: lightness)
            ink.appendPiece { path in
                path.addPolygon([Point(x: left, y: 0), Point(x: left + 1, y: 0), Point(x: left + 1, y: 1)])
            }
        }
        ink.dry()
        return ink
    }

    @Test("SVG draws each run of one tone in its colour: 65 % of the paper's where it is lightest")
    func svgTones() throws {
        let drawing = Drawing(size: PixelSize(width: 9, height: 9), color: .black, strokes: [tones()])
        let text = String(decoding: try SVGEncoder.encode(drawing), as: UTF8.self)
        #expect(text.contains("<path fill=\"#000000\" d=\"m0 0 1 0 0 1zm2 0 1 0 0 1z\"/>\n"))
        #expect(text.contains("<path fill=\"#a6a6a6\" d=\"m4 0 1 0 0 1z\"/>\n"))
    }

    @Test("JSON has the number of polygons of each tone, if there are tones")
    func jsonTones() {
        let text = String(decoding: InkJSONEncoder.encode([tones(), square()]), as: UTF8.self)
        #expect(text.contains("]],\"tones\":[[2,0],[1,1]]}"))
        #expect(text.contains("[1,4]]]}"))
    }

    @Test("JSON has centre line and closed polygons")
    func json() {
        let text = String(decoding: InkJSONEncoder.encode([square()]), as: UTF8.self)
        #expect(text.contains("{\"t\":1.5,\"x\":2,\"y\":3,\"width\":1.25}"))
        #expect(text.contains("\"outline\":[[[1,2],[3,2],[3,4.0006],[1,4]]]"))
    }

    @Test(
        "numbers are short, plain and rounded",
        arguments: [
            (0.0, "0"), (-0.0001, "0"), (1.5, "1.5"), (-2.0625, "-2.063"), (1234567.0, "1234567"), (0.05, "0.05"),
            (.nan, "0"), (.infinity, "0"), (1e300, "0"), (9.3e15, "0"), (-9.3e15, "0"), (9.2e14, "920000000000000"),
        ])
    func decimals(value: Double, text: String) {
        #expect(DecimalText.text(value, decimals: 3) == text)
    }
}
