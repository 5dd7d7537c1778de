// SPDX-License-Identifier: Apache-2.0
@testable import Pad
import Geometry
import Ink
import Raster
import TestSupport
import Testing

@Suite("The sketch page's layout")
struct SketchLayoutTests {
    static func tools(colors: Int = 5, widths: Int = 3) throws -> SketchTools {
        let colors = (0..<colors).map { Color(red: UInt8($0), green: 0, blue: 0) }
        return try #require(SketchTools(colors: colors, widths: (1...widths).map { Double($0) / 2 }))
    }

    private static func check(_ layout: SketchLayout, _ tools: SketchTools, _ comment: Comment) {
        let page = PixelRect(size: layout.size)
        #expect(layout.drawingArea.union(layout.toolBar) == page, comment)
        #expect(layout.drawingArea.area + layout.toolBar.area == page.area, comment)
        #expect(layout.drawingArea.intersection(layout.toolBar).isEmpty, comment)
        let share = Double(layout.drawingArea.area) / Double(page.area)
        #expect(share >= SketchLayout.leastDrawingShare, comment)
        for (index, button) in layout.buttons.enumerated() {
            #expect(layout.toolBar.contains(button.rect) && !button.rect.isEmpty, comment)
            for other in layout.buttons[..<index] {
                #expect(button.rect.intersection(other.rect).isEmpty && button.button != other.button, comment)
            }
            let gap = Int(layout.unit)
            let apart = PixelRect(
                minX: button.rect.minX - gap, minY: button.rect.minY - gap, maxX: button.rect.maxX + gap,
                maxY: button.rect.maxY + gap)
            #expect(apart.intersection(layout.drawingArea).isEmpty, comment)
        }
        let names = Set(layout.buttons.map(\.button))
        #expect(names.isSuperset(of: [.undo, .redo, .clear, .save]), comment)
        let all = tools.colors.indices.map { PageButton.color($0) } + tools.widths.indices.map { .width($0) }
        var few: [PageButton] = tools.colors.count > 1 ? [.nextColor] : []
        if tools.widths.count > 1 { few.append(.nextWidth) }
        let rest = names.subtracting([.undo, .redo, .clear, .save])
        #expect(rest == Set(all) || rest == Set(few), comment)
        #expect(layout.geometry.inkField == layout.drawingArea && layout.geometry.buttons == layout.buttons, comment)
    }

    @Test(
        "on any page everything is on it, nothing overlaps, and most of it is for drawing",
        arguments: 0..<40 as Range<UInt64>)
    func anyPage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for step in 0..<25 {
            let size = PixelSize(
                width: Int.random(in: 240...3840, using: &random), height: Int.random(in: 240...2160, using: &random))
            // Includes sizes that displays state if they do not know their own.
            let dots = Double.random(in: 1...4, using: &random)
            let density =
                Bool.random(using: &random)
                ? nil : PixelDensity(dotsPerInch: (0..<Int(dots)).reduce(dots * 4) { value, _ in value * 8 })
            let tools = try Self.tools(
                colors: .random(in: SketchTools.colorCountRange, using: &random),
                widths: .random(in: SketchTools.widthCountRange, using: &random))
            let layout = try #require(
                SketchLayout(size: size, density: density, direction: .leftToRight, tools: tools))
            Self.check(layout, tools, "seed \(seed), step \(step): \(size), \(density.map { "\($0)" } ?? "-")")
        }
    }

    @Test(
        "on real panels buttons are 9 mm, and from right to left all is mirrored",
        arguments: SignatureLayoutTests.panels, SignatureLayoutTests.densities)
    func realPanel(panel: PixelSize, density: PixelDensity?) throws {
        let tools = try Self.tools()
        for size in [panel, panel.transposed] {
            let layout = try #require(
                SketchLayout(size: size, density: density, direction: .leftToRight, tools: tools))
            Self.check(layout, tools, "\(size)")
            // The page is scaled down on smaller screens.
            let shorter = Double(min(size.width, size.height))
            let isLarge = density.map { shorter / $0.pixelsPerMillimetre >= 50 } ?? true
            for button in layout.buttons where isLarge {
                let side = Double(min(button.rect.width, button.rect.height))
                if let density {
                    #expect(side / density.pixelsPerMillimetre >= 9, "\(size)")
                } else {
                    #expect(side >= 36 && side >= shorter / 10, "\(size)")
                }
            }
            let right = try #require(
                SketchLayout(size: size, density: density, direction: .rightToLeft, tools: tools))
            func mirrored(_ rect: PixelRect) -> PixelRect {
                PixelRect(minX: size.width - rect.maxX, minY: rect.minY, maxX: size.width - rect.minX, maxY: rect.maxY)
            }
            #expect(right.drawingArea == mirrored(layout.drawingArea) && right.toolBar == mirrored(layout.toolBar))
            #expect(right.buttons.map(\.rect) == layout.buttons.map { mirrored($0.rect) })
            #expect(right.buttons.map(\.button) == layout.buttons.map(\.button))
        }
    }

    @Test("the bar is at the side in landscape and at the bottom in portrait, with all colours if there is room")
    func places() throws {
        let tools = try Self.tools()
        func layout(_ width: Int, _ height: Int) throws -> SketchLayout {
            try #require(
                SketchLayout(
                    size: PixelSize(width: width, height: height), density: nil, direction: .leftToRight, tools: tools))
        }
        let lying = try layout(800, 480)
        #expect(lying.toolBar.maxY == 480 && lying.toolBar.minX == 0 && lying.toolBar.maxX == lying.drawingArea.minX)
        #expect(lying.buttons.count == 12)
        let standing = try layout(480, 800)
        #expect(standing.toolBar.maxX == 480 && standing.toolBar.maxY == 800 && standing.drawingArea.minY == 0)
        #expect(standing.buttons.count == 12)
        // All twelve buttons would take two fifths of the page.
        #expect(try layout(320, 240).buttons.map(\.button) == [.undo, .redo, .clear, .save, .nextColor, .nextWidth])
    }

    @Test("a picture of very few pixels has no page, and empty or invalid tools are rejected")
    func nothing() throws {
        let tools = try Self.tools()
        for side in [0, 1, 3, 10] {
            let size = PixelSize(width: side, height: side)
            #expect(SketchLayout(size: size, density: nil, direction: .leftToRight, tools: tools) == nil)
        }
        #expect(SketchTools(colors: []) == nil)
        #expect(SketchTools(colors: [.black], widths: []) == nil)
        for width in [0, -1, .nan, .infinity] { #expect(SketchTools(colors: [.black], widths: [width]) == nil) }
        #expect(SketchTools(colors: [Color](repeating: .black, count: 11)) == nil)
        #expect(SketchTools(colors: [.black], widths: [Double](repeating: 1, count: 7)) == nil)
        // Widths are rounded to whole micrometres.
        #expect(SketchTools(colors: [.black], widths: [0.12345])?.widths == [0.123])
    }
}
