// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import HostAPI
import Ink
import Pad
import PadFixtures
import Pages
import Raster
import Record
import Touch

/// A pad without threads and devices: the real ``Pad`` and the real ``PadPicture``, a host and a person by script.
struct Face: DrivenPad, ~Copyable {
    var pad: Pad
    private var picture: PadPicture
    var now = Timestamp.zero

    static let request = CaptureRequest(
        prompt: ["Please sign for your delivery"],
        rows: [.init(label: "Amount", value: "1,249.00 €"), .init(label: "Order", value: "4711-0815")],
        signer: "Ada Lovelace",
        reason: "received in good order")

    /// - Parameters:
    ///   - idle: with the clock; nil for the built-in texts.
    ///   - isKnown: whether the pad knows its touch devices and its store.
    init(
        size: PixelSize, density: PixelDensity?, theme: PageTheme, messages: MessageTable, idle: Page? = nil,
        sketch: Bool = false, gloves: Bool = false, letters: Double? = nil, isKnown: Bool = true, hasTouch: Bool = true
    ) throws {
        let screen = PadScreen(
            name: "sheet", panelSize: size, rotation: .none, density: density ?? .standard, pageDensity: density,
            gloves: gloves, letters: letters)
        var settings = PadSettings(
            messages: messages, pen: Pen(), color: theme.ink, paper: theme.paper, policy: .standard,
            idle: [idle ?? messages.idlePage()], program: "inkpanel",
            wallClock: { 1_774_000_000_000_000 },
            date: {
                LocalDate(
                    text: $0.text(year: 2026, month: 3, day: 14, hour: 10, minute: 42), offsetSeconds: 3600,
                    zone: "Europe/Berlin")
            },
            random: { 7 })
        settings.showsClock = idle != nil
        if sketch, let tools = SketchTools(colors: theme.sketchColors) {
            settings.sketch = SketchSettings(tools: tools, clearsOnDoubleTap: false)
        }
        // Before the first stored property: the Swift 6.0 compiler crashes on partially initialized noncopyable values.
        let painter = PagePainter(theme: theme, fonts: try Fonts())
        pad = Pad(settings, screen: screen)
        picture = PadPicture(
            pen: settings.pen, color: settings.color, paper: settings.paper, screen: screen,
            painter: painter)
        start()
        if !isKnown { return }
        handle(.devices(hasTouch ? ["touch"] : [], []))
        handle(.stored(.storeChanged(fault: nil)))
        if let page = pad.sketch?.page { handle(.stored(.sketch([], of: page, fault: nil))) }
    }

    mutating func carryOut(_ action: PadAction) -> PadEvent? {
        switch action {
        case .render(let action): picture.apply(action)
        case .store(let action): action.answer.map { .stored($0) }
        case .reply, .simulate, .requestReport, .document, .speech: nil
        }
    }

    mutating func see(_ event: PadEvent, _ actions: [PadAction]) { finishMotion() }

    private mutating func finishMotion() {
        guard picture.isMoving else { return }
        picture.move(to: now)
        picture.move(to: now + PageDesign.motion)
    }

    /// Shows a page that the pad does not have.
    mutating func show(_ page: Page) {
        _ = picture.apply(.show(page))
        finishMotion()
    }

    /// Carries out an action on a page that the pad does not have.
    mutating func apply(_ action: RenderAction) { _ = picture.apply(action) }

    mutating func ask(_ request: CaptureRequest = Self.request) {
        handle(.call(CallID(1), .capture(CaptureCall(request: request)), .all))
    }

    var signing: PlacedPage? { pad.signingPage }
    var placed: PlacedPage? { picture.shown }

    /// Writes on the line to sign on, or across the ink field if it has none.
    mutating func write(_ signature: Signature) {
        guard let page = picture.shown, !page.inkField.isEmpty else { return }
        let field = page.inkField.rect
        let line = page.signingLine.isEmpty ? (field.minY + 2 * field.maxY) / 3 : Double(page.signingLine.minY)
        // Nobody signs wider than 80 mm.
        let size = min(
            (field.maxX - field.minX) * 0.7, 80 * page.density.pixelsPerMillimetre,
            (line - field.minY) * 0.85 / signature.ascent,
            (field.maxY - line) * 0.9 / max(signature.descent, 0.01))
        let start = now
        for stroke in signature.strokes {
            for (index, sample) in stroke.enumerated() {
                now = start + (sample.time - Timestamp.zero)
                let place = Point(
                    x: (field.minX + field.maxX) / 2 + (sample.place.x - 0.5) * size, y: line + sample.place.y * size)
                touch(
                    index == 0 ? .began : index == stroke.count - 1 ? .ended : .moved,
                    at: place)
            }
        }
    }

    mutating func press(_ button: PageButton, lifts: Bool = true) {
        now += .milliseconds(500)
        press(button, on: picture.shown, lifts: lifts)
    }

    mutating func store() {
        if let id = pad.status.running?.id { handle(.stored(.committed(id))) }
    }

    mutating func fail() {
        if let id = pad.status.running?.id { handle(.stored(.failed(id, reason: "the disk is full"))) }
    }

    /// The whole picture.
    mutating func pixels() -> Picture {
        let buffer = PixelBuffer(size: picture.size)
        picture.compose(Damage(PixelRect(size: picture.size)), onto: buffer.surface)
        return Picture(buffer.surface)
    }
}

extension Picture {
    init(_ surface: Surface) {
        let rows = 0..<surface.size.height
        self.init(
            size: surface.size,
            pixels: rows.flatMap { y in (0..<surface.size.width).map { surface.row(y)[$0] | 0xFF00_0000 } })
    }
}
