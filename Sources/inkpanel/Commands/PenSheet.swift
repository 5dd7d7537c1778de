// SPDX-License-Identifier: Apache-2.0
import Formats
import Geometry
import Ink
import Pad
import Pages
import Panel
import Raster
import Record

/// One page drawn with every pen, side by side, for comparison.
struct PenSheet {
    let page: StrokePage
    /// Its pen gives the width of the ink; the name of the pen is ignored.
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

    func draw() throws(TextError) -> PixelBuffer {
        let fonts = try Fonts()
        let sheet = PixelBuffer(size: layout.size)
        let paper = look.background
        sheet.surface.fill(sheet.surface.bounds, with: paper.mixed(with: paper.contrast, 0.12))
        let style = TextStyle(em: layout.textSize, weight: .bold)
        for (index, pen) in pens.enumerated() {
            let room = layout.name(index)
            let name = try TextBlock(label(pen), style: style, width: room.width, height: room.height, fonts: fonts)
            name.draw(
                on: sheet.surface, x: room.minX, y: room.minY + (room.height - name.size.height) / 2,
                color: paper.contrast)
            drawPage(with: pen, onto: sheet.surface.part(layout.picture(index)))
        }
        return sheet
    }

    /// The names of the pen and of its switches that are on, without those that are on by default.
    func label(_ pen: PenName) -> String {
        let changes = pen.switches.subtracting(pen.defaultSwitches)
        let switches = PenSwitch.allCases.filter { look.pen.switches.contains($0) && changes.contains($0) }
        return ([pen.rawValue] + switches.map(\.rawValue)).joined(separator: " + ")
    }

    private func drawPage(with name: PenName, onto picture: Surface) {
        var pen = look.pen
        pen.name = name
        var drawing = Drawing(size: page.size, background: look.background, color: look.color)
        for stroke in page.strokes { drawing.add(stroke, pen: pen, density: density) }
        // Keeps the memory alive.
        let pixels = drawing.pixels()
        picture.copy(pixels.surface, reducedBy: layout.reduction)
    }
}

extension Surface {
    fileprivate func part(_ rect: PixelRect) -> Surface {
        precondition(bounds.contains(rect), "the layout is within the sheet")
        return Surface(
            base: UnsafeMutableRawPointer(row(rect.minY) + rect.minX),
            size: PixelSize(width: rect.width, height: rect.height), strideBytes: strideBytes)
    }
}

extension Color {
    /// Black or white, whichever is more readable on this colour.
    fileprivate var contrast: Color {
        // Rec. 709 luma.
        let light = 0.2126 * Double(red) + 0.7152 * Double(green) + 0.0722 * Double(blue)
        return light < 128 ? .white : .black
    }
}

/// Layout of a comparison sheet: a grid with a name above each picture.
struct PenSheetLayout {
    /// Preferred ratio of width to height.
    private static let proportion = 1.5
    /// Width in pixels that names fit into.
    private static let leastCellWidth = 160

    let columns: Int
    let rows: Int
    /// Pixels of the page, in either direction, for each pixel of the sheet; 1 unless the sheet would be too large.
    let reduction: Int
    let cell: PixelSize
    /// Size of the names, in pixels.
    let textSize: Double
    /// Distance between and around cells, in pixels.
    let gap: Int
    private let pitch: PixelSize
    private let nameHeight: Int

    /// - Parameters:
    ///   - count: number of cells, at least 1.
    ///   - page: drawable.
    init(count: Int, page: PixelSize) {
        precondition(count > 0 && page.isDrawable, "pens and a drawable page")
        var reduction = 1
        while true {
            let layouts = (1...count).map {
                PenSheetLayout(count: count, columns: $0, page: page, reduction: reduction)
            }
            if let best = layouts.filter(\.size.isDrawable).min(by: { $0.misfit < $1.misfit }) {
                self = best
                return
            }
            // Ends at the latest with pictures of one pixel.
            reduction += 1
        }
    }

    private init(count: Int, columns: Int, page: PixelSize, reduction: Int) {
        self.columns = columns
        self.reduction = reduction
        rows = (count + columns - 1) / columns
        cell = PixelSize(
            width: (page.width + reduction - 1) / reduction, height: (page.height + reduction - 1) / reduction)
        let width = max(cell.width, Self.leastCellWidth)
        textSize = Double(min(max(width / 40, 13), 36))
        nameHeight = Int(textSize * 1.8)
        gap = Int(textSize)
        pitch = PixelSize(width: width + gap, height: nameHeight + cell.height + gap)
    }

    var size: PixelSize { PixelSize(width: columns * pitch.width + gap, height: rows * pitch.height + gap) }

    /// Distance from the preferred ratio; a factor of 2 is as bad either way.
    private var misfit: Double {
        let ratio = Double(size.width) / Double(size.height) / Self.proportion
        return max(ratio, 1 / ratio)
    }

    /// Place of a picture; cells are numbered along the rows.
    func picture(_ index: Int) -> PixelRect {
        let (x, y) = (gap + index % columns * pitch.width, gap + index / columns * pitch.height + nameHeight)
        return PixelRect(minX: x, minY: y, maxX: x + cell.width, maxY: y + cell.height)
    }

    /// Place of a name.
    func name(_ index: Int) -> PixelRect {
        let picture = picture(index)
        return PixelRect(
            minX: picture.minX, minY: picture.minY - nameHeight, maxX: picture.minX + pitch.width - gap,
            maxY: picture.minY)
    }
}
