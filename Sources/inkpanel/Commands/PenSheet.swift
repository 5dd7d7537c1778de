// SPDX-License-Identifier: Apache-2.0
import Formats
import Geometry
import Ink
import Raster
import Record
import Text

/// One page drawn by every pen, side by side, each with its name: for comparing.
struct PenSheet {
    let page: StrokePage
    /// Whose pen says how wide ink is, not which pen draws.
    let look: Look
    let density: PixelDensity
    let pens: [PenName]
    let layout: PenSheetLayout

    init(page: StrokePage, look: Look, density: PixelDensity, pens: [PenName] = PenName.allCases) {
        self.page = page
        self.look = look
        self.density = density
        self.pens = pens
        layout = PenSheetLayout(count: pens.count, page: page.size)
    }

    /// - Throws: ``TextError``.
    func draw() throws(TextError) -> PixelBuffer {
        let fonts = try Fonts()
        let sheet = PixelBuffer(size: layout.size)
        let paper = look.background
        sheet.surface.fill(sheet.surface.bounds, with: paper.mixed(with: paper.contrast, 0.12))
        let style = TextStyle(size: layout.textSize, weight: .bold, color: paper.contrast)
        for (index, pen) in pens.enumerated() {
            let room = layout.name(index)
            let name = try TextLine(label(pen), style: style, maximumWidth: room.width, fonts: fonts)
            name.draw(on: sheet.surface, x: room.minX, baseline: room.maxY - Int(layout.textSize * 0.5))
            drawPage(with: pen, onto: sheet.surface.part(layout.picture(index)))
        }
        return sheet
    }

    /// The pen's name and those of its switches that are on.
    func label(_ pen: PenName) -> String {
        let switches = PenSwitch.allCases.filter { look.pen.switches.contains($0) && pen.switches.contains($0) }
        return ([pen.rawValue] + switches.map(\.rawValue)).joined(separator: " + ")
    }

    private func drawPage(with name: PenName, onto picture: Surface) {
        var pen = look.pen
        pen.name = name
        var drawing = Drawing(size: page.size, background: look.background, color: look.color)
        for stroke in page.strokes { drawing.add(stroke, pen: pen, density: density) }
        // Named, so that its memory lives until the end.
        let pixels = drawing.pixels()
        picture.copy(pixels.surface, reducedBy: layout.reduction)
    }
}

extension Surface {
    /// A view of some of its pixels, all of them on it.
    fileprivate func part(_ rect: PixelRect) -> Surface {
        precondition(bounds.contains(rect), "the layout keeps to the sheet")
        return Surface(
            base: UnsafeMutableRawPointer(row(rect.minY) + rect.minX),
            size: PixelSize(width: rect.width, height: rect.height), strideBytes: strideBytes)
    }
}

extension Color {
    /// Black or white, whichever is easier to read on this.
    fileprivate var contrast: Color {
        // Rec. 709 luma.
        let light = 0.2126 * Double(red) + 0.7152 * Double(green) + 0.0722 * Double(blue)
        return light < 128 ? .white : .black
    }
}
