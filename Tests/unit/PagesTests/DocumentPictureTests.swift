// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Pad
import Raster
import TestSupport
import Testing

@testable import Pages

@Suite("Picture of a document", .serialized)
struct DocumentPictureTests {
    private static let size = PixelSize(width: 480, height: 320)
    private static let density = PixelDensity(dotsPerInch: 165)
    private static let themes = [PageTheme.light, .dark, .highContrast]

    private static func page(_ direction: LayoutDirection = .leftToRight) -> Page {
        Page(
            [
                .document, .button(.cancel, label: "Cancel"), .button(.decline, label: "Decline"),
                .button(.lead, label: "2/3 · Signature · Page 3"),
            ], direction: direction)
    }

    private static func picture(
        _ theme: PageTheme = .light, _ page: Page = page()
    ) throws -> PadPicture {
        let screen = PadScreen(
            name: "screen", panelSize: size, rotation: .none, density: density, pageDensity: density)
        var picture = PadPicture(
            pen: Pen(), color: theme.ink, paper: theme.paper, screen: screen,
            painter: PagePainter(theme: theme, fonts: try Fonts()))
        _ = picture.apply(.show(page))
        return picture
    }

    private static func pixels(_ picture: inout PadPicture) -> PixelBuffer {
        let buffer = PixelBuffer(size: size)
        picture.compose(Damage(PixelRect(size: size)), onto: buffer.surface)
        return buffer
    }

    /// A picture whose pixels are all different.
    private static func drawn(_ width: Int, _ height: Int) -> DrawnPage {
        let buffer = PixelBuffer(size: PixelSize(width: width, height: height))
        for y in 0..<height {
            for x in 0..<width { buffer.surface.row(y)[x] = 0xFF00_0000 | UInt32(y) << 11 | UInt32(x) }
        }
        return DrawnPage(buffer, sha256: nil)
    }

    private static func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Rect {
        Rect(minX: x, minY: y, maxX: x + width, maxY: y + height)
    }

    private static func line(millimetres: Double) -> SignedInk {
        let density = PixelDensity(dotsPerInch: 254)
        let samples = (0...20).map { index in
            Sample(
                time: .zero + .milliseconds(8 * index),
                position: Point(x: 100 + Double(index) * millimetres * 10 / 20, y: 50))
        }
        return SignedInk(strokes: [samples], pen: Pen(.linear, width: 1), color: 0xFF0000, density: density)
    }

    private static func randomScene(
        _ random: inout SeededGenerator, _ pages: [DrawnPage], _ inks: [SignedInk]
    ) -> DocumentScene {
        var scene = DocumentScene()
        let scale = [1, 1, 1.37, 2.5].randomElement(using: &random)!
        let y = Double(Int.random(in: -300...200, using: &random))
        for (number, drawn) in pages.enumerated() {
            let size = drawn.pixels.surface.size
            var sheet = DocumentScene.Sheet(
                page: number + 1,
                place: rect(
                    8, y + Double(number) * (Double(size.height) * scale + 9), Double(size.width) * scale,
                    Double(size.height) * scale), picture: Bool.random(using: &random) ? drawn : nil)
            sheet.pixelsPerPoint = scale
            if Bool.random(using: &random) {
                (sheet.detail, sheet.detailPlace) = (pages[0], rect(40, y + 20, 200, 260))
            }
            scene.sheets.append(sheet)
        }
        let shapes: [DocumentScene.Mark.Shape] = [.signature, .initials, .check, .choice, .words]
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let states: [DocumentScene.Mark.State] = [
                .open(isRequired: true), .open(isRequired: false), .foreign, .empty, .ticked,
                .ink(inks.randomElement(using: &random)!), .words("2026-03-14"),
            ]
            var mark = DocumentScene.Mark(
                shapes.randomElement(using: &random)!,
                place: rect(
                    .random(in: -50...450, using: &random), .random(in: -50...300, using: &random),
                    .random(in: 1...200, using: &random), .random(in: 1...80, using: &random)),
                state: states.randomElement(using: &random)!,
                hint: Bool.random(using: &random) ? "Sign here" : nil)
            mark.isPressed = Bool.random(using: &random)
            scene.marks.append(mark)
        }
        if Bool.random(using: &random) { scene.visible = 0.2...0.4 }
        return scene
    }

    /// The scene with a few changes.
    private static func changed(
        _ scene: DocumentScene, _ random: inout SeededGenerator, _ pages: [DrawnPage], _ inks: [SignedInk]
    ) -> DocumentScene {
        var next = scene
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return randomScene(&random, pages, inks)
        case 1: if !next.sheets.isEmpty { next.sheets[0].picture = pages[0] }
        case 2:
            for index in next.marks.indices where Bool.random(using: &random) { next.marks[index].isPressed.toggle() }
        default:
            next.marks = randomScene(&random, pages, inks).marks
        }
        return next
    }

    @Test(
        "a scene looks the same however it was reached, a display with the changes is up to date, and the foot stays",
        arguments: 0..<6 as Range<UInt64>)
    func anyScenes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let theme = Self.themes[Int(seed) % 3]
        let page = Self.page(seed % 2 == 0 ? .leftToRight : .rightToLeft)
        let pages = [Self.drawn(300, 420), Self.drawn(300, 200)]
        let inks = [Self.line(millimetres: 20), Self.line(millimetres: 60)]
        var picture = try Self.picture(theme, page)
        let display = Self.pixels(&picture)
        _ = picture.takeDamage()
        let before = Self.pixels(&picture)
        let shown = picture.shown
        let area = try #require(shown).documentArea
        var scene = Self.randomScene(&random, pages, inks)
        for step in 0..<25 {
            let comment: Comment = "seed \(seed), step \(step)"
            _ = picture.apply(.document(scene))
            let damage = picture.takeDamage()
            #expect(area.contains(damage.bounds), comment)
            picture.compose(damage, onto: display.surface)
            let now = Self.pixels(&picture)
            #expect(display.surface.differences(from: now.surface).isEmpty, comment)
            #expect(area.contains(before.surface.differences(from: now.surface)), comment)
            var other = try Self.picture(theme, page)
            _ = other.apply(.document(scene))
            let whole = Self.pixels(&other)
            let difference = whole.surface.differences(from: now.surface)
            #expect(difference.isEmpty, comment)
            scene = Self.changed(scene, &random, pages, inks)
        }
    }

    @Test("a page as large as its place is shown pixel for pixel, and so is a part that was drawn larger")
    func exact() throws {
        var picture = try Self.picture()
        let drawn = Self.drawn(400, 500)
        var sheet = DocumentScene.Sheet(page: 1, place: Self.rect(40, -100, 400, 500), picture: drawn)
        _ = picture.apply(.document(DocumentScene(sheets: [sheet])))
        var seen = Self.pixels(&picture)
        let shown = picture.shown
        let area = try #require(shown).documentArea
        for y in 0..<area.maxY {
            for x in 40..<440 where seen.surface.row(y)[x] != drawn.pixels.surface.row(y + 100)[x - 40] {
                Issue.record("\(x) \(y)")
                return
            }
        }
        let detail = Self.drawn(50, 60)
        sheet.place = Self.rect(-300, -400, 1200, 1500)
        (sheet.detail, sheet.detailPlace) = (detail, Self.rect(100, 20, 50, 60))
        _ = picture.apply(.document(DocumentScene(sheets: [sheet])))
        seen = Self.pixels(&picture)
        #expect(
            seen.surface.rows(PixelRect(minX: 100, minY: 20, maxX: 150, maxY: 80))
                == detail.pixels.surface.rows(detail.pixels.surface.bounds))
    }

    @Test("a field that is touched changes nothing but its surroundings")
    func smallDamage() throws {
        var picture = try Self.picture()
        var scene = DocumentScene(
            sheets: [DocumentScene.Sheet(page: 1, place: Self.rect(40, 10, 400, 500), picture: Self.drawn(400, 500))],
            marks: [.init(.signature, place: Self.rect(80, 60, 120, 40), state: .open(isRequired: true))])
        _ = picture.apply(.document(scene))
        _ = picture.takeDamage()
        scene.marks[0].isPressed = true
        _ = picture.apply(.document(scene))
        let damage = picture.takeDamage().bounds
        #expect(!damage.isEmpty && damage.width < 220 && damage.height < 120)
        _ = picture.apply(.document(scene))
        let again = picture.takeDamage()
        #expect(again.isEmpty)
    }

    /// The box around red pixels.
    private static func redBox(_ surface: Surface) -> PixelRect {
        var box = PixelRect.empty
        for y in 0..<surface.size.height {
            for x in 0..<surface.size.width {
                let (red, green) = (surface.row(y)[x] >> 16 & 0xFF, surface.row(y)[x] >> 8 & 0xFF)
                if red > 200, green < 128 { box = box.union(PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1)) }
            }
        }
        return box
    }

    @Test("ink has the size of life on the page, or less in a smaller field, and stands in its middle")
    func life() throws {
        // A line of 20 mm with ends of half a millimetre, on a page with 4 pixels a millimetre.
        let ink = Self.line(millimetres: 20)
        for (width, expected) in [(200.0, 84.0), (81, 81), (40, 40)] {
            var picture = try Self.picture()
            var sheet = DocumentScene.Sheet(page: 1, place: Self.rect(10, 0, 440, 400))
            sheet.pixelsPerPoint = 4 * 25.4 / 72
            let place = Self.rect(100, 60, width, 50)
            _ = picture.apply(
                .document(
                    DocumentScene(sheets: [sheet], marks: [.init(.signature, place: place, state: .ink(ink))])))
            let pixels = Self.pixels(&picture)
            let box = Self.redBox(pixels.surface)
            #expect(abs(Double(box.width) - expected) <= 2, "\(width): \(box)")
            let middle = (Double(box.minX + box.maxX) / 2, Double(box.minY + box.maxY) / 2)
            #expect(abs(middle.0 - 100 - width / 2) <= 1.5 && abs(middle.1 - 85) <= 1.5, "\(box)")
        }
    }

    @Test("open, required, foreign, empty, ticked and touched fields look different, in every theme")
    func states() throws {
        for theme in Self.themes {
            for shape in [DocumentScene.Mark.Shape.signature, .initials, .check, .choice] {
                var seen: [[UInt32]] = []
                let states: [(state: DocumentScene.Mark.State?, isPressed: Bool)] = [
                    (nil, false), (.open(isRequired: true), false), (.open(isRequired: false), false),
                    (.foreign, false), (.ticked, false), (.open(isRequired: true), true),
                ]
                for (state, isPressed) in states {
                    var picture = try Self.picture(theme)
                    var scene = DocumentScene(
                        sheets: [DocumentScene.Sheet(page: 1, place: Self.rect(10, 0, 440, 400))])
                    if let state {
                        var mark = DocumentScene.Mark(shape, place: Self.rect(100, 60, 60, 30), state: state)
                        mark.isPressed = isPressed
                        scene.marks = [mark]
                    }
                    _ = picture.apply(.document(scene))
                    let buffer = Self.pixels(&picture)
                    let pixels = words(of: buffer.surface)
                    #expect(!seen.contains(pixels), "\(shape) \(state as Any) \(isPressed)")
                    seen.append(pixels)
                }
            }
        }
    }

    @Test("places that no screen has, and pictures without pixels, draw nothing")
    func hostile() throws {
        var picture = try Self.picture()
        let odd = [
            Rect(minX: -1e300, minY: -1e300, maxX: 1e300, maxY: 1e300), Rect.empty,
            Rect(minX: .nan, minY: 0, maxX: 1, maxY: 1), Rect(minX: 0, minY: 0, maxX: .infinity, maxY: 5),
            Rect(minX: -900_000, minY: -900_000, maxX: 900_000, maxY: 900_000),
        ]
        let blank = DrawnPage(PixelBuffer(size: PixelSize(width: 0, height: 0)), sha256: nil)
        let none = SignedInk(strokes: [[]], pen: Pen(), color: .black, density: .standard)
        for place in odd {
            var sheet = DocumentScene.Sheet(page: 1, place: place, picture: blank)
            (sheet.detail, sheet.detailPlace, sheet.pixelsPerPoint) = (Self.drawn(3, 3), place, .nan)
            let marks = [DocumentScene.Mark.State.open(isRequired: true), .ticked, .ink(none), .words("x"), .foreign]
                .map { DocumentScene.Mark(.signature, place: place, state: $0, hint: "Sign here") }
            _ = picture.apply(.document(DocumentScene(sheets: [sheet], marks: marks, visible: 0...1)))
        }
        let damage = picture.takeDamage()
        let shown = picture.shown
        let height = try #require(shown).size.height
        #expect(damage.bounds.maxY <= height)
    }

    @Test("another label fits into the button, keeps its state, and comes back as it was")
    func labels() throws {
        var picture = try Self.picture()
        let first = Self.pixels(&picture)
        let shown = picture.shown
        let page = try #require(shown)
        let lead = try #require(page.element(of: .lead))
        let long = "12/15 · Initials for the conditions of cancellation and insurance · Page 128"
        for text in ["Done", long, "完了", String(repeating: "x", count: 60)] {
            _ = picture.apply(.label(.lead, text))
            let shown = picture.shown
            let now = try #require(shown)
            let element = try #require(now.element(of: .lead))
            #expect(element.rect == lead.rect)
            guard case .button(.lead, let label) = element.element else { continue }
            #expect(label == text)
            let room = now.label(of: element).rect
            let block = try TextBlock(
                text, style: try #require(element.style), width: room.width, fonts: try Fonts())
            #expect(block.size.width <= room.width && block.size.height <= room.height, "\(text)")
            let pixels = Self.pixels(&picture)
            let box = pixels.surface.differences(from: first.surface)
            #expect(!box.isEmpty && lead.rect.contains(box), "\(text): \(box) of \(lead.rect)")
        }
        _ = picture.apply(.label(.lead, "2/3 · Signature · Page 3"))
        let last = Self.pixels(&picture)
        #expect(last.surface.differences(from: first.surface).isEmpty)
        _ = picture.apply(.button(.lead, ButtonState(isEnabled: false)))
        let disabled = Self.pixels(&picture)
        _ = picture.apply(.label(.lead, "Done"))
        _ = picture.apply(.label(.lead, "2/3 · Signature · Page 3"))
        let after = Self.pixels(&picture)
        #expect(after.surface.differences(from: disabled.surface).isEmpty)
    }

    @Test("fields of a document and chosen answers are legible in every theme")
    func colours() throws {
        for theme in Self.themes + [try .light.accented(0x5B2A86), try .light.accented(0xC41E1E)] {
            #expect(theme.mark.contrast(with: .white) >= PageTheme.textContrast)
            #expect(theme.chosen.contrast(with: theme.paper) >= PageTheme.textContrast)
            #expect(theme.paperText.contrast(with: theme.paper) >= PageTheme.textContrast)
        }
    }
}
