// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster
import TestSupport
import Testing

@testable import Pad

@Suite("The layout of the sketch page")
struct ToolBarTests {
    static func tools(colors: Int = 5, widths: Int = 3) throws -> SketchTools {
        let colors = (0..<colors).map { Color(red: UInt8($0), green: 0, blue: 0) }
        return try #require(SketchTools(colors: colors, widths: (1...widths).map { Double($0) / 2 }))
    }

    /// The sketch page as the pad shows it.
    static func place(
        _ tools: SketchTools, _ size: PixelSize, _ density: PixelDensity?, _ direction: LayoutDirection = .leftToRight,
        gloves: Bool = false
    ) throws -> PlacedPage {
        var screen = PadDriver.screen(size)
        (screen.pageDensity, screen.gloves) = (density, gloves)
        let settings = SketchSettings(tools: tools, clearsOnDoubleTap: false)
        return try #require(Sketch(settings, direction, on: screen)).placed
    }

    private static func check(
        _ placed: PlacedPage, _ tools: SketchTools, _ density: PixelDensity?, _ comment: Comment
    ) {
        let (page, field, bar) = (PixelRect(size: placed.size), placed.inkField, placed.frame)
        #expect(field.union(bar) == page && field.intersection(bar).isEmpty, comment)
        #expect(field.area + bar.area == page.area, comment)
        #expect(Double(field.area) / Double(page.area) >= ToolBar.leastDrawingShare, comment)
        #expect(!placed.buttons.isEmpty && placed.elements.count == placed.buttons.count + 1, comment)
        for (index, button) in placed.buttons.enumerated() {
            #expect(bar.contains(button.rect) && !button.rect.isEmpty, comment)
            #expect(min(button.rect.width, button.rect.height) == placed.design.target, comment)
            func around(_ gap: Int) -> PixelRect {
                let rect = button.rect
                return PixelRect(
                    minX: rect.minX - gap, minY: rect.minY - gap, maxX: rect.maxX + gap, maxY: rect.maxY + gap)
            }
            for other in placed.buttons[..<index] {
                #expect(around(placed.design.targetGap).intersection(other.rect).isEmpty, comment)
                #expect(button.button != other.button, comment)
            }
            #expect(around(placed.design.smallGap).intersection(field).isEmpty, comment)
        }
        let names = Set(placed.buttons.compactMap(\.button))
        #expect(names.isSuperset(of: [.undo, .redo, .clear, .save]), comment)
        let all = tools.colors.indices.map { PageButton.color($0) } + tools.widths.indices.map { .width($0) }
        var few: [PageButton] = tools.colors.count > 1 ? [.nextColor] : []
        if tools.widths.count > 1 { few.append(.nextWidth) }
        let rest = names.subtracting([.undo, .redo, .clear, .save])
        #expect(rest == Set(all) || rest == Set(few), comment)
        // Smaller only on screens on which the bar would take too much.
        #expect(Double(placed.design.target) >= 9 * placed.design.unit, comment)
        let unit = PageDesign.unit(size: placed.size, density: density)
        let shorter = Double(min(placed.size.width, placed.size.height)) / unit
        #expect(placed.design.unit == unit || shorter < 50, comment)
    }

    @Test("the usual tools leave no hole in the bar", arguments: SigningPageTests.panels)
    func holes(panel: PixelSize) throws {
        for size in [panel, panel.transposed] {
            for gloves in [false, true] {
                let placed = try Self.place(try Self.tools(), size, nil, gloves: gloves)
                // The columns of a bar at the side have equally many buttons, and so do the lines of one at the foot.
                let isAtSide = placed.frame.height == size.height
                let lines = Dictionary(grouping: placed.buttons) { isAtSide ? $0.rect.minX : $0.rect.minY }
                #expect(Set(lines.values.map(\.count)).count == 1, "\(size), gloves \(gloves)")
            }
        }
    }

    @Test(
        "on any page everything is on it, nothing overlaps, and most of it is for drawing",
        arguments: Breadth.seeds(8, long: 40))
    func anyPage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for step in 0..<25 {
            let size = SigningPageTests.randomSize(&random)
            let density = SigningPageTests.randomDensity(&random)
            let tools = try Self.tools(
                colors: .random(in: SketchTools.colorCountRange, using: &random),
                widths: .random(in: SketchTools.widthCountRange, using: &random))
            let comment: Comment = "seed \(seed), step \(step): \(size), \(density.map { "\($0)" } ?? "-")"
            let usual = try Self.place(tools, size, density)
            Self.check(usual, tools, density, comment)
            let gloved = try Self.place(tools, size, density, gloves: true)
            Self.check(gloved, tools, density, comment)
            #expect((gloved == usual) == (gloved.design.targetGap == 0), comment)
        }
    }

    @Test(
        "on real panels buttons are 9 mm, and from right to left all is mirrored",
        arguments: SigningPageTests.panels, SigningPageTests.densities)
    func realPanel(panel: PixelSize, density: PixelDensity?) throws {
        let tools = try Self.tools()
        for size in [panel, panel.transposed] {
            let placed = try Self.place(tools, size, density)
            Self.check(placed, tools, density, "\(size)")
            // The page is scaled down on smaller screens.
            let shorter = Double(min(size.width, size.height))
            let isLarge = density.map { shorter / $0.pixelsPerMillimetre >= 50 } ?? true
            for button in placed.buttons where isLarge {
                let side = Double(min(button.rect.width, button.rect.height))
                if let density {
                    #expect(side / density.pixelsPerMillimetre >= 9, "\(size)")
                } else {
                    #expect(side >= 36 && side >= shorter / 10, "\(size)")
                }
            }
            let right = try Self.place(tools, size, density, .rightToLeft)
            #expect(right.rects == placed.mirroredRects)
            #expect(right.buttons.map(\.button) == placed.buttons.map(\.button))
        }
    }

    @Test("for gloves, counter panels have tools of 18 mm that are 3 mm apart; smaller ones keep the usual tools")
    func gloves() throws {
        let tools = try Self.tools()
        for (width, height, dots, isGloved) in [
            (1280, 800, 149, true), (800, 1280, 149, true), (1920, 1080, 141, true), (480, 320, 165, false),
        ] as [(Int, Int, Double, Bool)] {
            let (size, density) = (PixelSize(width: width, height: height), PixelDensity(dotsPerInch: dots))
            let usual = try Self.place(tools, size, density)
            let placed = try Self.place(tools, size, density, gloves: true)
            #expect((placed != usual) == isGloved, "\(size)")
            guard isGloved else { continue }
            Self.check(placed, tools, density, "\(size)")
            #expect(Double(placed.design.target) / density.pixelsPerMillimetre >= 18, "\(size)")
            #expect(Double(placed.design.targetGap) / density.pixelsPerMillimetre >= 3, "\(size)")
        }
    }

    @Test("the bar is at the side in landscape and at the bottom in portrait, with all colours if there is room")
    func places() throws {
        let tools = try Self.tools()
        let lying = try Self.place(tools, PixelSize(width: 800, height: 480), nil)
        #expect(lying.frame.maxY == 480 && lying.frame.minX == 0 && lying.frame.maxX == lying.inkField.minX)
        #expect(lying.buttons.count == 12)
        let standing = try Self.place(tools, PixelSize(width: 480, height: 800), nil)
        #expect(standing.frame.maxX == 480 && standing.frame.maxY == 800 && standing.inkField.minY == 0)
        #expect(standing.buttons.count == 12)
        // All twelve buttons would take two fifths of the page.
        let small = try Self.place(tools, PixelSize(width: 320, height: 240), nil)
        #expect(small.buttons.map(\.button) == [.undo, .redo, .clear, .save, .nextColor, .nextWidth])
    }

    @Test("a picture of very few pixels has no page, and empty or invalid tools are rejected")
    func nothing() throws {
        let settings = SketchSettings(tools: try Self.tools(), clearsOnDoubleTap: false)
        for side in [0, 1, 3, 10] {
            let screen = PadDriver.screen(PixelSize(width: side, height: side))
            let sketch = Sketch(settings, .leftToRight, on: screen)
            #expect(sketch == nil)
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
