// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pad
import Raster
import Testing

@testable import Pages

@Suite("Heights of letters")
struct LetterHeightTests {
    @Test("large letters are as high on the glass as was asked for, measured on the picture", arguments: [3.5, 4.9, 7])
    func pixels(letters: Double) throws {
        let (size, density) = (PixelSize(width: 1280, height: 800), PixelDensity(dotsPerInch: 149))
        var painter = PagePainter(theme: .highContrast, fonts: try Fonts())
        let page = Page([
            .text(PageText("HHH", .heading, of: .prompt)), .text(PageText("HHH", .body, of: .prompt)),
            .row(label: "HH", value: "HHH"), .inkField(.signing(hint: "H")),
            .text(PageText("HHH", .detail, of: .signer)), .text(PageText("HH", .trailingDetail, of: .date)),
            .button(.cancel, label: "HH"), .button(.undo, label: nil), .button(.accept, label: "HHH"),
        ])
        let placed = try painter.place(page, size: size, density: density, letters: letters)
        let buffer = PixelBuffer(size: size)
        painter.draw(placed, on: buffer.surface)
        var count = 0
        for element in placed.elements where element.style != nil {
            // The words of a button, without its edges.
            let rect = element.button == nil ? element.rect : placed.label(of: element).rect
            let face = buffer.surface.row(rect.minY)[rect.minX]
            let rows = (rect.minY..<rect.maxY).filter { y in
                (rect.minX..<rect.maxX).contains { buffer.surface.row(y)[$0] != face }
            }
            let height = Double(rows.count) / density.pixelsPerMillimetre
            #expect(height >= letters, "\(element)")
            count += 1
        }
        #expect(count == 8)
    }
}
