// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import HostAPI
import Ink
import Pad
import Pages
import Raster
import Record
import TestSupport
import Testing

@Suite("Picture of the pad", .serialized)
struct PadPictureTests {
    private static let theme = PageTheme.light
    private static let screen = SigningScreen.all[0]

    /// The picture, and what a display that gets only its damage shows.
    private struct Watched: ~Copyable {
        var picture: PadPicture
        let display: PixelBuffer

        init(size: PixelSize = screen.size) throws {
            picture = PadPicture(
                pen: Pen(), color: theme.ink, paper: theme.paper,
                screen: PadPictureTests.padScreen(size), painter: PagePainter(theme: theme, fonts: try Fonts()))
            display = PixelBuffer(size: size)
        }

        /// - Returns: the damage.
        @discardableResult
        mutating func apply(_ action: RenderAction) -> Damage {
            #expect(picture.apply(action) == nil)
            return refresh()
        }

        mutating func move(to time: Timestamp) -> Damage {
            picture.move(to: time)
            return refresh()
        }

        /// Composes the damage, and checks that the rest of the display is up to date.
        private mutating func refresh() -> Damage {
            let damage = picture.takeDamage()
            picture.compose(damage, onto: display.surface)
            let whole = PixelBuffer(size: picture.size)
            picture.compose(Damage(PixelRect(size: picture.size)), onto: whole.surface)
            let stale = display.surface.differences(from: whole.surface)
            #expect(stale.isEmpty)
            return damage
        }

        mutating func draw(_ points: [Point]) {
            for (index, point) in points.enumerated() {
                let sample = Sample(time: .zero + .milliseconds(8 * index), position: point)
                apply(.ink(index == 0 ? .begin(sample) : .move(sample), reported: sample.time))
            }
            apply(.ink(.end, reported: .zero + .milliseconds(8 * points.count)))
        }

        /// The page that is shown.
        func placed() throws -> PlacedPage {
            let shown = picture.shown
            return try #require(shown)
        }

        /// A line over the middle of the ink field.
        mutating func draw() throws {
            let field = try placed().inkField
            let y = Double(field.minY + field.maxY) / 2
            draw((0...10).map { Point(x: Double(field.minX) + Double(field.width) * Double($0 + 2) / 14, y: y) })
        }

        /// A copy of what the display shows.
        func seen() -> PixelBuffer {
            let copy = PixelBuffer(size: display.surface.size)
            copy.surface.copy(copy.surface.bounds, from: display.surface, rotation: .none)
            return copy
        }
    }

    private static func padScreen(_ size: PixelSize) -> PadScreen {
        PadScreen(name: "test", panelSize: size, rotation: .none, density: .standard, pageDensity: nil)
    }

    private static let sketchPage: Page = {
        let tools = SketchTools(colors: theme.sketchColors)!
        return Page(
            [.inkField(.drawing(tools))]
                + [PageButton.undo, .redo, .clear, .save].map { .button($0, label: nil) })
    }()

    /// A page as the painter draws it on a surface of its own, which lives as long as the buffer.
    private func painted(_ page: Page, _ size: PixelSize = screen.size) throws -> PixelBuffer {
        var painter = PagePainter(theme: Self.theme, fonts: try Fonts())
        let buffer = PixelBuffer(size: size)
        painter.draw(try painter.place(page, size: size, density: nil), on: buffer.surface)
        return buffer
    }

    @Test("a page is shown as the painter draws it, and the next page has none of the ink")
    func pageChange() throws {
        var watched = try Watched()
        let signing = try painted(Self.screen.page)
        watched.apply(.show(Self.screen.page))
        var now = watched.seen()
        #expect(now.surface.differences(from: signing.surface).isEmpty)
        try watched.draw()
        now = watched.seen()
        let field = try watched.placed().inkField
        let ink = now.surface.differences(from: signing.surface)
        #expect(!ink.isEmpty && field.contains(ink))
        // The ink is on top of the line's page, and goes with it.
        let thanks = Page.words("Thank you")
        watched.apply(.show(thanks))
        now = watched.seen()
        let paintedThanks = try painted(thanks)
        #expect(now.surface.differences(from: paintedThanks.surface).isEmpty)
        let isBlank = watched.picture.shown?.inkField.isEmpty
        #expect(isBlank == true)
        watched.apply(.show(Self.screen.page))
        now = watched.seen()
        let canUndo = watched.picture.canUndo
        #expect(now.surface.differences(from: signing.surface).isEmpty && !canUndo)
    }

    @Test("the ring of the focus is over the page, moves with its control, and leaves nothing behind")
    func focus() throws {
        var watched = try Watched()
        watched.apply(.show(Self.screen.page))
        let page = try watched.placed()
        let blank = watched.seen()
        let places = page.buttons.map(\.rect)
        for place in places {
            watched.apply(.focus(place))
            let now = watched.seen()
            let ring = now.surface.differences(from: blank.surface)
            #expect(!ring.isEmpty && place.contains(ring))
        }
        // A button that is drawn below the ring does not cut it.
        let before = watched.seen()
        let last = try #require(page.buttons.last?.button)
        watched.apply(.button(last, ButtonState(isPressed: true)))
        watched.apply(.button(last, ButtonState()))
        let after = watched.seen()
        #expect(after.surface.hasPixels(of: before.surface))
        let answer = watched.picture.apply(.screenshot(CallID(1)))
        if case .screenshot(_, let shot)? = answer {
            #expect(shot.pixels.surface.hasPixels(of: after.surface))
        } else {
            Issue.record("no screenshot")
        }
        let damage = watched.apply(.focus(nil))
        let removed = watched.seen()
        #expect(removed.surface.hasPixels(of: blank.surface) && damage.bounds == places.last)
    }

    @Test("whatever is as white as the card takes ink, and shows it", arguments: SigningScreen.all)
    func whiteTakesInk(screen: SigningScreen) throws {
        var watched = try Watched(size: screen.size)
        watched.apply(.show(screen.page))
        let page = try watched.placed()
        let blank = watched.seen()
        let (area, card) = (page.inkArea, page.frame)
        let inset = page.design.hairline + Int(page.design.radius * 0.35) + 1
        let inner = PixelRect(
            minX: card.minX + inset, minY: card.minY + inset, maxX: card.maxX - inset, maxY: card.maxY - inset)
        let paper = Self.theme.paper.rgb
        var (white, takesNone) = (0, 0)
        for y in inner.minY..<inner.maxY {
            let row = blank.surface.row(y)
            for x in inner.minX..<inner.maxX where row[x] & 0xFF_FFFF == paper {
                let place = Point(x: Double(x) + 0.5, y: Double(y) + 0.5)
                if page.buttons.contains(where: { $0.rect.rect.surrounds(place) }) { continue }
                white += 1
                if !area.contains(place) { takesNone += 1 }
            }
        }
        #expect(white > 1000 && takesNone == 0, "\(takesNone) of \(white)")
        // Lines from one end of the card to the other, over the icons' place, too.
        for step in 1..<12 {
            let y = Double(card.minY) + Double(card.height * step) / 12
            watched.draw((0...20).map { Point(x: Double(card.minX) + Double(card.width * $0) / 20, y: y) })
        }
        let inked = watched.seen()
        for step in 1..<12 {
            let y = card.minY + card.height * step / 12
            for x in stride(from: inner.minX + 2, to: inner.maxX - 2, by: 3) {
                let place = Point(x: Double(x) + 0.5, y: Double(y) + 0.5)
                let isChanged = inked.surface.row(y)[x] != blank.surface.row(y)[x]
                // The page's own test has the touches; the picture shows ink in the area only.
                #expect(isChanged == area.contains(place), "\(x) \(y)")
            }
        }
    }

    @Test("a sketch survives a signature in between, with its undo history")
    func sketch() throws {
        var watched = try Watched()
        watched.apply(.show(Self.sketchPage))
        let blank = watched.seen()
        let paintedSketch = try painted(Self.sketchPage)
        #expect(blank.surface.differences(from: paintedSketch.surface).isEmpty)
        try watched.draw()
        let sketch = watched.seen()
        watched.apply(.show(Self.screen.page))
        try watched.draw()
        watched.apply(.show(Self.sketchPage))
        var now = watched.seen()
        #expect(now.surface.differences(from: sketch.surface).isEmpty)
        watched.apply(.undo)
        now = watched.seen()
        #expect(now.surface.differences(from: blank.surface).isEmpty)
        watched.apply(.redo)
        now = watched.seen()
        #expect(now.surface.differences(from: sketch.surface).isEmpty)
    }

    @Test("the hint goes and comes below the ink")
    func hint() throws {
        var watched = try Watched()
        watched.apply(.show(Self.screen.page))
        let before = watched.seen()
        let place = try #require(try watched.placed().hint).rect
        let damage = watched.apply(.hint(false))
        #expect(damage.rects.allSatisfy { place.contains($0) })
        var now = watched.seen()
        let hint = now.surface.differences(from: before.surface)
        #expect(!hint.isEmpty && place.contains(hint))
        // Through the middle of the hint.
        let y = Double(place.minY + place.maxY) / 2
        watched.draw((0...10).map { Point(x: Double(place.minX) + Double($0) * 8, y: y) })
        let inked = watched.seen()
        watched.apply(.hint(true))
        now = watched.seen()
        #expect(!now.surface.differences(from: inked.surface).isEmpty)
        let ink = Self.theme.ink.rgb
        let (kept, drawn) = (
            now.surface.rows(place).joined().count { $0 == ink }, inked.surface.rows(place).joined().count { $0 == ink }
        )
        #expect(drawn > 40 && kept == drawn, "\(drawn) pixels of full ink hide the hint")
        watched.apply(.undo)
        now = watched.seen()
        #expect(now.surface.differences(from: before.surface).isEmpty)
    }

    @Test("a banner covers part of the ink field; page and ink go on below it")
    func banner() throws {
        var watched = try Watched()
        watched.apply(.show(Self.screen.page))
        try watched.draw()
        let before = watched.seen()
        let field = try watched.placed().inkField
        var seen: [PixelRect] = []
        for banner in [
            Banner("Please sign with your name.", isWarning: true), Banner("One moment, please"),
            Banner(String(repeating: "A long message of a host. ", count: 40)),
        ] {
            watched.apply(.banner(banner))
            let now = watched.seen()
            let place = now.surface.differences(from: before.surface)
            let isAtEdge = place.maxY > field.maxY - 10 || place.minY < field.minY + 10
            #expect(!place.isEmpty && field.contains(place) && isAtEdge)
            seen.append(place)
        }
        #expect(seen[2].height > seen[1].height)
        watched.apply(.undo)
        watched.apply(.redo)
        watched.apply(.banner(nil))
        var now = watched.seen()
        #expect(now.surface.differences(from: before.surface).isEmpty)
        // The next page has no banner.
        watched.apply(.banner(Banner("One moment, please")))
        watched.apply(.show(Self.screen.page))
        now = watched.seen()
        let paintedPage = try painted(Self.screen.page)
        #expect(now.surface.differences(from: paintedPage.surface).isEmpty)
        // Nor has a page without a field anywhere for one.
        let thanks = Page.words("Thank you")
        watched.apply(.show(thanks))
        watched.apply(.banner(Banner("One moment, please")))
        now = watched.seen()
        let paintedThanks = try painted(thanks)
        #expect(now.surface.differences(from: paintedThanks.surface).isEmpty)
    }

    @Test("a button changes its own place only; a button that the page lacks changes nothing")
    func button() throws {
        var watched = try Watched()
        watched.apply(.show(Self.screen.page))
        let before = watched.seen()
        let page = try watched.placed()
        for element in page.buttons {
            let button = try #require(element.button)
            let damage = watched.apply(.button(button, ButtonState(isPressed: true)))
            #expect(damage.rects.allSatisfy { element.rect.contains($0) })
            var now = watched.seen()
            #expect(!now.surface.differences(from: before.surface).isEmpty)
            watched.apply(.button(button, ButtonState()))
            now = watched.seen()
            #expect(now.surface.differences(from: before.surface).isEmpty)
        }
        let damage = watched.apply(.button(.save, ButtonState(isPressed: true)))
        #expect(damage.rects.isEmpty)
    }

    @Test("the tick moves for its time, within its place, and then nothing moves")
    func tick() throws {
        var watched = try Watched()
        let page = Page([.tick, .text(PageText("Thank you", .headline))])
        watched.apply(.show(Self.screen.page))
        var isMoving = watched.picture.isMoving
        #expect(!isMoving)
        watched.apply(.show(page))
        let place = try #require(try watched.placed().elements.first { $0.element == .tick }).rect
        // The clock may start anywhere; the first frame is the start.
        let start: Timestamp = 987_654_321
        var marks: [Int] = []
        let count = 10
        for frame in 0...count {
            isMoving = watched.picture.isMoving
            #expect(isMoving, "frame \(frame)")
            let damage = watched.move(to: start + PageDesign.motion * frame / count)
            #expect(!damage.rects.isEmpty && damage.rects.allSatisfy { place.contains($0) })
            let now = watched.seen()
            marks.append(now.surface.rows(place).joined().count { $0 == Self.theme.background.rgb })
        }
        #expect(zip(marks, marks.dropFirst()).allSatisfy { $0 < $1 }, "\(marks)")
        isMoving = watched.picture.isMoving
        #expect(!isMoving)
        let end = watched.seen()
        let paintedPage = try painted(page)
        #expect(end.surface.differences(from: paintedPage.surface).isEmpty)
        let damage = watched.move(to: start + PageDesign.motion * 10)
        #expect(damage.rects.isEmpty)
    }

    @Test("the tick ends with its page, after a long pause and when the clock goes back")
    func tickEnds() throws {
        let page = Page([.tick, .text(PageText("Thank you", .headline))])
        var watched = try Watched()
        watched.apply(.show(page))
        _ = watched.move(to: 5_000_000)
        watched.apply(.show(Self.screen.page))
        var isMoving = watched.picture.isMoving
        #expect(!isMoving)
        let damage = watched.move(to: 5_100_000)
        #expect(damage.rects.isEmpty)
        for times in [[0, 60_000_000], [5_000_000, 1_000_000, 5_300_000]] as [[Timestamp]] {
            watched.apply(.show(page))
            for time in times { _ = watched.move(to: time) }
            isMoving = watched.picture.isMoving
            #expect(!isMoving, "\(times)")
        }
        // No time is too far away.
        watched.apply(.show(page))
        for time in [.distantPast, .distantFuture, 0, .distantFuture, .distantPast] as [Timestamp] {
            _ = watched.move(to: time)
        }
    }

    @Test("the ring of a busy button turns once a second within its place, until the button is not busy")
    func ring() throws {
        var watched = try Watched()
        watched.apply(.show(Self.screen.page))
        let place = try #require(try watched.placed().element(of: .accept)).rect
        let busy = RenderAction.button(.accept, ButtonState(isEnabled: false, isBusy: true))
        watched.apply(busy)
        let still = watched.seen()
        let start: Timestamp = 987_654_321
        var seen: [[[UInt32]]] = []
        for frame in 0..<8 {
            let isMoving = watched.picture.isMoving
            #expect(isMoving, "frame \(frame)")
            let damage = watched.move(to: start + PageDesign.turn * frame / 8)
            #expect(damage.rects.isEmpty == (frame == 0) && damage.rects.allSatisfy { place.contains($0) })
            let picture = watched.seen()
            let rows = picture.surface.rows(place)
            #expect(!seen.contains(rows), "frame \(frame)")
            seen.append(rows)
        }
        // Less than a step is no new picture.
        var damage = watched.move(to: start + PageDesign.turn * 7 / 8 + .milliseconds(1))
        #expect(damage.rects.isEmpty)
        // After whole turns it is where it was, also when the clock has gone back. No time is too far away.
        for time in [start + PageDesign.turn * 3, 0, .distantPast, .distantFuture, start] as [Timestamp] {
            damage = watched.move(to: time)
            let isMoving = watched.picture.isMoving
            #expect(isMoving)
            if time == .distantPast || time == .distantFuture { continue }
            let now = watched.seen()
            #expect(now.surface.differences(from: still.surface).isEmpty, "\(time)")
        }
        // Other buttons change nothing about it.
        watched.apply(.button(.cancel, ButtonState(isEnabled: false)))
        var isMoving = watched.picture.isMoving
        #expect(isMoving)
        watched.apply(.button(.accept, ButtonState()))
        isMoving = watched.picture.isMoving
        #expect(!isMoving)
        damage = watched.move(to: start + PageDesign.turn / 2)
        #expect(damage.rects.isEmpty)
    }

    @Test("the ring ends with its page")
    func ringEnds() throws {
        var watched = try Watched()
        for page in [Page.words("Welcome"), Self.screen.page] {
            watched.apply(.show(Self.screen.page))
            watched.apply(.button(.accept, ButtonState(isEnabled: false, isBusy: true)))
            _ = watched.move(to: 5_000_000)
            watched.apply(.show(page))
            let isMoving = watched.picture.isMoving
            #expect(!isMoving)
            let damage = watched.move(to: 5_500_000)
            #expect(damage.rects.isEmpty)
        }
        // The tick of the next page moves on its own.
        watched.apply(.button(.accept, ButtonState(isEnabled: false, isBusy: true)))
        watched.apply(.show(Page([.tick, .text(PageText("Thank you", .headline))])))
        for time in [.zero, .zero + PageDesign.motion] as [Timestamp] { _ = watched.move(to: time) }
        let isMoving = watched.picture.isMoving
        #expect(!isMoving)
    }

    @Test("another screen loses page, ink and motion, unless its picture is the same")
    func otherScreen() throws {
        var watched = try Watched()
        watched.apply(.show(Self.screen.page))
        try watched.draw()
        let before = watched.seen()
        var same = Self.padScreen(Self.screen.size)
        same.name = "another"
        watched.picture.change(to: same)
        watched.apply(.hint(true))
        let now = watched.seen()
        #expect(now.surface.differences(from: before.surface).isEmpty)
        watched.apply(.show(Page([.tick, .text(PageText("Thank you", .headline))])))
        watched.picture.change(to: Self.padScreen(PixelSize(width: 480, height: 320)))
        let (isMoving, shown, size) = (watched.picture.isMoving, watched.picture.shown, watched.picture.size)
        #expect(!isMoving && shown == nil && size == PixelSize(width: 480, height: 320))
    }

    @Test("a screenshot is what the display shows, with wet ink and messages, and changes nothing")
    func screenshot() throws {
        var watched = try Watched()
        watched.apply(.show(Self.screen.page))
        watched.apply(.banner(Banner("Too short", isWarning: true)))
        let area = try watched.placed().inkField.rect
        let points = (0..<20).map { Point(x: area.minX + 20 + Double($0) * 4, y: area.minY + 20 + Double($0 % 5) * 3) }
        for (index, point) in points.enumerated() {
            let sample = Sample(time: .zero + .milliseconds(8 * index), position: point)
            watched.apply(.ink(index == 0 ? .begin(sample) : .move(sample), reported: 0))
        }
        let call = CallID(3)
        guard case .screenshot(call, let screenshot)? = watched.picture.apply(.screenshot(call)) else {
            Issue.record("no screenshot")
            return
        }
        let differences = screenshot.pixels.surface.differences(from: watched.display.surface)
        #expect(differences.isEmpty)
        let damage = watched.picture.takeDamage()
        #expect(damage.isEmpty)
    }

    @Test("a page is laid out as the painter places it, or refused")
    func layOut() throws {
        var picture = try Watched().picture
        let id = LayoutID(7)
        let placed = try PagePainter(theme: Self.theme, fonts: try Fonts())
            .place(Self.screen.page, size: Self.screen.size, density: nil)
        let answer = picture.apply(.layOut(id, Self.screen.page))
        #expect(answer == .laidOut(id, .success(placed)))
        let isShown = picture.shown != nil
        #expect(!isShown)
        var long = Self.screen.page
        long.elements.insert(.text(PageText(String(repeating: "word ", count: 800), .body, of: .prompt)), at: 1)
        let refusal = picture.apply(.layOut(id, long))
        guard case .laidOut(id, .failure(let error)) = refusal else {
            Issue.record("\(refusal as Any)")
            return
        }
        #expect(error.field == .prompt && (error.fits ?? 0) > 100)
    }

    @Test("a screen for gloves has pages with larger buttons")
    func gloves() throws {
        var picture = try Watched().picture
        var screen = Self.padScreen(Self.screen.size)
        screen.gloves = true
        picture.change(to: screen)
        _ = picture.apply(.show(Self.screen.page))
        let placed = try PagePainter(theme: Self.theme, fonts: try Fonts())
            .place(Self.screen.page, size: Self.screen.size, density: nil, gloves: true)
        let shown = picture.shown
        #expect(shown == placed && placed.design.targetGap > 0)
    }

    @Test("a screen for people who see little has pages with larger letters")
    func letters() throws {
        var picture = try Watched().picture
        var screen = Self.padScreen(Self.screen.size)
        screen.letters = 4.9
        picture.change(to: screen)
        _ = picture.apply(.show(Self.screen.page))
        let painter = PagePainter(theme: Self.theme, fonts: try Fonts())
        let placed = try painter.place(Self.screen.page, size: Self.screen.size, density: nil, letters: 4.9)
        let usual = try painter.place(Self.screen.page, size: Self.screen.size, density: nil)
        let shown = picture.shown
        #expect(shown == placed && placed.design.smallestEm > usual.design.smallestEm)
    }

    @Test("a stored sketch is drawn on the sketch page")
    func restore() throws {
        var watched = try Watched()
        watched.apply(.show(Self.sketchPage))
        try watched.draw()
        let sketch = watched.seen()
        var other = try Watched()
        other.apply(.show(Self.sketchPage))
        let blank = other.seen()
        let field = try other.placed().inkField
        let y = field.height * 128
        let samples = (0...10).map { index in
            SketchStroke.Sample(
                microseconds: Int64(index) * 8000, x: Int32(Double(field.width) * Double(index + 2) / 14 * 256),
                y: Int32(y), pressure: nil)
        }
        let stroke = SketchStroke(pen: Pen(), color: Self.theme.ink, samples: samples)
        for entry in [SketchEntry.stroke(stroke), .stroke(stroke), .undo] { other.apply(.restore(entry)) }
        var now = other.seen()
        let ink = now.surface.differences(from: blank.surface)
        let expected = sketch.surface.differences(from: blank.surface)
        #expect(abs(ink.minX - expected.minX) <= 1 && abs(ink.maxX - expected.maxX) <= 1)
        #expect(abs(ink.minY - expected.minY) <= 1 && abs(ink.maxY - expected.maxY) <= 1)
        other.apply(.restore(.clear))
        now = other.seen()
        #expect(now.surface.differences(from: blank.surface).isEmpty)
    }

    @Test("a page fades into the next one and is then idle")
    func fade() throws {
        func page(_ color: UInt32, fades: Bool = false) -> Page {
            var page = Page([.picture(Picture(size: PixelSize(width: 1, height: 1), pixels: [0xFF00_0000 | color]))])
            page.fadesIn = fades
            return page
        }
        let size = PixelSize(width: 240, height: 240)
        var watched = try Watched(size: size)
        func middle(_ watched: borrowing Watched) -> UInt32 { watched.display.surface.row(120)[120] & 0xFFFFFF }
        watched.apply(.show(page(0x204060)))
        #expect(!watched.picture.isMoving && middle(watched) == 0x204060)
        watched.apply(.show(page(0x6080A0, fades: true)))
        #expect(watched.picture.isMoving && middle(watched) == 0x204060)
        _ = watched.move(to: 5_000_000)
        #expect(middle(watched) == 0x204060)
        _ = watched.move(to: 5_000_000 + PageDesign.motion / 2)
        #expect(middle(watched) == 0x406080)
        _ = watched.move(to: 5_000_000 + PageDesign.motion)
        #expect(middle(watched) == 0x6080A0 && !watched.picture.isMoving)
        // Another page ends a fade.
        watched.apply(.show(page(0x204060, fades: true)))
        _ = watched.move(to: 6_000_000)
        watched.apply(.show(page(0x0A0B0C)))
        #expect(middle(watched) == 0x0A0B0C && !watched.picture.isMoving)
    }
}
