// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import HostAPI
import Ink
import Pad
import Pages
import Raster
import Record
import Touch

/// A pad without threads and devices: the real ``Pad`` and the real ``PadPicture``, a host and a person by script.
struct Face: ~Copyable {
    private var pad: Pad
    private var picture: PadPicture
    private var now: Int64 = 0

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
        sketch: Bool = false, gloves: Bool = false, isKnown: Bool = true, hasTouch: Bool = true
    ) throws {
        let screen = PadScreen(
            name: "sheet", panelSize: size, rotation: .none, density: density ?? .standard, pageDensity: density,
            gloves: gloves)
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
        perform(pad.start(at: now))
        if !isKnown { return }
        send(.devices(hasTouch ? ["touch"] : [], []))
        send(.stored(.storeChanged(fault: nil)))
        if let page = pad.sketch?.page { send(.stored(.sketch([], of: page, fault: nil))) }
    }

    mutating func send(_ event: PadEvent) { perform(pad.handle(event, at: now)) }

    private mutating func perform(_ actions: [PadAction]) {
        for action in actions {
            switch action {
            case .render(let action): if let event = picture.apply(action) { send(event) }
            case .store(.check(let id)): send(.stored(.ready(id)))
            case .store, .reply, .simulate: break
            }
        }
        if picture.isMoving {
            picture.move(to: now)
            picture.move(to: now + PageDesign.motion)
        }
    }

    /// Shows a page that the pad does not have.
    mutating func show(_ page: Page) { perform([.render(.show(page))]) }

    mutating func ask(_ request: CaptureRequest = Self.request) {
        send(.call(CallID(1), .capture(CaptureCall(request: request)), .all))
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
                now = start + sample.microseconds
                let place = Point(
                    x: (field.minX + field.maxX) / 2 + (sample.place.x - 0.5) * size, y: line + sample.place.y * size)
                touch(
                    index == 0 ? .began : index == stroke.count - 1 ? .ended : .moved, place)
            }
        }
    }

    mutating func press(_ button: PageButton, lift: Bool = true) {
        guard let rect = picture.shown?.element(of: button)?.rect.rect else { return }
        let point = Point(x: (rect.minX + rect.maxX) / 2, y: (rect.minY + rect.maxY) / 2)
        now += 500_000
        touch(.began, point)
        now += 90_000
        if lift { touch(.ended, point) }
    }

    private mutating func touch(_ phase: Contact.Phase, _ point: Point) {
        let event = TouchEvent(
            phase, contact: 1, sample: Sample(microseconds: now, position: point),
            reading: DeviceReading(x: Int32(point.x), y: Int32(point.y)))
        send(.touch(event, reported: now))
    }

    mutating func store() {
        if let id = pad.status.running?.id { send(.stored(.committed(id))) }
    }

    mutating func fail() {
        if let id = pad.status.running?.id { send(.stored(.failed(id, reason: "the disk is full"))) }
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
