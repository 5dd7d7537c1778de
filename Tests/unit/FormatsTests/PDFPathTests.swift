// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import Testing

@testable import Formats

@Suite("Paths in PDF")
struct PDFPathTests {
    @Test("a path is turned upside down, in points")
    func path() {
        var path = Path()
        path.move(to: Point(x: 0, y: 0))
        path.addLine(to: Point(x: 16, y: 0))
        path.addCubic(control1: Point(x: 16, y: 8), control2: Point(x: 8, y: 16), end: Point(x: 0, y: 16))
        let ink = PDFInkEncoder.encode(path, width: 32, height: 16, scale: 0.5)
        #expect((ink.width, ink.height) == (16, 8))
        #expect(ink.content == "0 0 0 rg\n0 8 m\n8 8 l\n8 4 4 0 0 0 c\nf\n")
    }

    @Test("a path without contours fills nothing")
    func empty() { #expect(PDFInkEncoder.encode(Path(), width: 1, height: 1, scale: 1).content == "0 0 0 rg\n") }

    @Test("ink moves and shrinks; colours stay")
    func placed() {
        let ink = DocumentInk(width: 10, height: 10, content: "0.5 0 1 rg\n0 0 m\n10 0 l\n1 2 3 4 5 6 c\nh\nf\n")
        let expected = "0.5 0 1 rg\n100 7 m\n105 7 l\n100.5 8 101.5 9 102.5 10 c\nh\nf\n"
        #expect(ink.content(scaledBy: 0.5, x: 100, y: 7) == expected)
    }
}
