// SPDX-License-Identifier: Apache-2.0
import Canvas
import Formats
import Geometry
import Ink
import Raster
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

    private func colors(_ surface: Surface, _ rect: PixelRect) -> Set<UInt32> {
        Set((rect.minY..<rect.maxY).flatMap { y in (rect.minX..<rect.maxX).map { surface.row(y)[$0] & 0xFF_FFFF } })
    }

    @Test("every pen has its page with ink on it and a name above")
    func everyPen() throws {
        let sheet = PenSheet(page: try page(), look: Self.look, density: .standard)
        let pixels = try sheet.draw()
        #expect(pixels.surface.size == sheet.layout.size)
        #expect(sheet.pens == PenName.allCases)
        for (index, pen) in sheet.pens.enumerated() {
            let picture = colors(pixels.surface, sheet.layout.picture(index))
            #expect(picture.contains(0xFF_FFFF) && picture.contains { $0 < 0x40_0000 }, "\(pen)")
            #expect(colors(pixels.surface, sheet.layout.name(index)).contains(0), "\(pen)")
        }
    }

    @Test("a picture on the sheet is what render draws with that pen, pixel for pixel")
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

    @Test("a pen's name says which of its switches are on")
    func labels() throws {
        var look = Self.look
        look.pen.switches = [.varyingColor, .noPinch]
        let sheet = PenSheet(page: try page(), look: look, density: .standard)
        #expect(sheet.label(.offset) == "offset + no-pinch + varying-color" && sheet.label(.ink) == "ink")
    }
}
