// SPDX-License-Identifier: Apache-2.0
import Canvas
import Formats
import Geometry
import Ink
import Pages
import Panel
import Raster
import TestSupport
import Testing
import Touch

@testable import inkpanel

@Suite("Comparison sheet", .serialized)
struct PenSheetTests {
    private static let pageSize = PixelSize(width: 320, height: 180)
    private static let look = Look(color: .black, background: .white)

    private func page() throws -> StrokePage {
        try StrokePage(recording: .demonstration(), name: "demo", size: Self.pageSize)
    }

    @Test("every pen has a page with ink and a name above it")
    func everyPen() throws {
        let sheet = PenSheet(page: try page(), look: Self.look, density: .standard)
        let pixels = try sheet.draw()
        #expect(pixels.surface.size == sheet.layout.size)
        #expect(sheet.pens == PenName.allCases)
        for (index, pen) in sheet.pens.enumerated() {
            let picture = pixels.surface.colors(sheet.layout.picture(index))
            #expect(picture.contains(0xFF_FFFF) && picture.contains { $0 < 0x40_0000 }, "\(pen)")
            #expect(pixels.surface.colors(sheet.layout.name(index)).contains(0), "\(pen)")
        }
    }

    @Test("a picture on the sheet equals the output of render with that pen, pixel for pixel")
    func samePixels() throws {
        let sheet = PenSheet(page: try page(), look: Self.look, density: .standard, pens: [.ink, .offset])
        let pixels = try sheet.draw()
        for (index, pen) in sheet.pens.enumerated() {
            let rect = sheet.layout.picture(index)
            var canvas = Canvas(size: Self.pageSize, pen: Pen(pen), color: .black, background: .white)
            for event in sheet.page.events { canvas.apply(event) }
            let dry = canvas.dryPixels
            let isSame = (0..<Self.pageSize.height).allSatisfy { y in
                let (row, expected) = (pixels.surface.row(rect.minY + y) + rect.minX, dry.row(y))
                return (0..<Self.pageSize.width).allSatisfy { row[$0] == expected[$0] }
            }
            #expect(isSame, "\(pen)")
        }
    }

    @Test("the label of a pen names its switches")
    func labels() throws {
        var look = Self.look
        look.pen.switches = [.varyingColor, .noPinch]
        let sheet = PenSheet(page: try page(), look: look, density: .standard)
        #expect(sheet.label(.offset) == "offset + no-pinch + varying-color" && sheet.label(.ink) == "ink")
    }
}

@Suite("Layout of a comparison sheet")
struct PenSheetLayoutTests {
    @Test("keeps the pixels of the page and has about the proportions of a screen")
    func grid() {
        let layout = PenSheetLayout(count: 8, page: PixelSize(width: 1280, height: 720))
        #expect((layout.columns, layout.rows, layout.reduction) == (3, 3, 1))
        #expect(layout.cell == PixelSize(width: 1280, height: 720))
        #expect(PenSheetLayout(count: 4, page: PixelSize(width: 3000, height: 200)).columns == 1)
        #expect(PenSheetLayout(count: 4, page: PixelSize(width: 200, height: 3000)).columns == 4)
    }

    @Test(
        "is drawable for every page, without overlaps",
        arguments: [(1, 1), (16384, 1), (1, 16384), (8192, 8192), (16384, 4096), (60, 40), (4000, 2500)])
    func everyPage(width: Int, height: Int) {
        for count in [1, 2, 5, 12] {
            let layout = PenSheetLayout(count: count, page: PixelSize(width: width, height: height))
            #expect(layout.size.isDrawable && layout.columns * layout.rows >= count)
            let rooms = (0..<count).flatMap { [layout.picture($0), layout.name($0)] }
            for (index, room) in rooms.enumerated() {
                #expect(PixelRect(size: layout.size).contains(room) && !room.isEmpty, "\(room)")
                for other in rooms[..<index] { #expect(room.intersection(other).isEmpty, "\(room), \(other)") }
            }
        }
    }
}
