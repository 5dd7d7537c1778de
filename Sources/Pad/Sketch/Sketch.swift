// SPDX-License-Identifier: Apache-2.0
public import Geometry
import HostAPI
public import Ink
public import Record
import Touch

/// The tools of the sketch page.
public struct SketchTools: Equatable, Sendable {
    /// More colours would be hard to distinguish.
    public static let colorCountRange = 1...10
    /// More widths would be hard to distinguish.
    public static let widthCountRange = 1...6
    /// Millimetres: from a ball-point pen to a marker.
    public static let defaultWidths = [0.5, 1.0, 2.0]

    /// The first colour is selected at the start.
    public let colors: [Color]
    /// Millimetres, rounded to whole micrometres as in the sketch file.
    public let widths: [Double]
    private let pen: Pen

    /// nil if the number of colours or widths is out of range, or a width is not above 0.
    /// - Parameter pen: its width is ignored.
    public init?(pen: Pen = Pen(), colors: [Color], widths: [Double] = Self.defaultWidths) {
        guard Self.colorCountRange.contains(colors.count), Self.widthCountRange.contains(widths.count),
            widths.allSatisfy({ $0 > 0 && $0.isFinite })
        else { return nil }
        self.colors = colors
        self.widths = widths.map { Double(SketchStroke.micrometres($0)) / 1000 }
        self.pen = pen
    }

    func pen(width index: Int) -> Pen {
        var pen = pen
        pen.width = widths[index]
        return pen
    }
}

/// The sketch page: its ink, its buttons and its undo history. Replaying the stored entries always gives the page.
public struct Sketch {
    /// The number of samples that can be undone. The canvas has 64 MiB for undo, 1.6 KiB a sample; 0.4 KiB is usual.
    static let undoReach = 40_000

    public let placed: PlacedPage
    public let tools: SketchTools
    /// The page as the sketch file describes it.
    public let page: SketchPage
    /// Whether the stored sketch is restored to the page. Touches are ignored until then.
    public internal(set) var isOpen = false
    /// The stored sketch, until the sketch page is shown.
    var unrestored: [SketchEntry]?
    private let clearsOnDoubleTap: Bool
    private var contacts: PageContacts
    private var history: SketchHistory
    private var taps: DoubleTap
    private var pressed: PageButton?
    private var color = 0
    private var width = 0
    /// The stroke being drawn, and its start.
    private var stroke: (start: Timestamp, entry: SketchStroke)?
    private var shownButtons = ShownButtons()

    /// nil if the page does not fit on the screen.
    public init?(_ settings: SketchSettings, _ direction: LayoutDirection, on screen: PadScreen) {
        let buttons: [PageButton] = [.undo, .redo, .clear, .save]
        let page = Page(
            [.inkField(.drawing(settings.tools))] + buttons.map { .button($0, label: nil) }, direction: direction)
        // The page has no text.
        let placed = try? PlacedPage(
            page, size: screen.size, density: screen.pageDensity, gloves: screen.gloves,
            measure: { _, _, _ in TextSize(width: 0, height: 0) })
        guard let placed else { return nil }
        self.init(settings, placed, density: screen.density)
    }

    /// - Parameter density: the ink's density. It differs from the page's if the size of the screen is unknown.
    init(
        _ settings: SketchSettings, _ placed: PlacedPage, density: PixelDensity, undoReach: Int = Self.undoReach
    ) {
        self.placed = placed
        tools = settings.tools
        clearsOnDoubleTap = settings.clearsOnDoubleTap
        let field = placed.inkField
        page = SketchPage(size: PixelSize(width: field.width, height: field.height), density: density)
        contacts = PageContacts(page: placed)
        history = SketchHistory(reach: undoReach)
        taps = DoubleTap(pixelsPerMillimetre: placed.density.pixelsPerMillimetre)
    }

    var canUndo: Bool { history.canUndo }
    var canRedo: Bool { history.canRedo }

    mutating func show(_ actions: inout [PadAction]) {
        actions.append(.render(.show(placed.page)))
        shownButtons = ShownButtons()
        showButtons(&actions)
    }

    func state(of button: PageButton) -> ButtonState {
        var state = ButtonState(isPressed: pressed == button)
        switch button {
        case .undo: state.isEnabled = canUndo
        case .redo: state.isEnabled = canRedo
        case .clear, .save: state.isEnabled = !history.isBlank
        case .color(let index): (state.isChosen, state.tool) = (index == color, index)
        case .width(let index): (state.isChosen, state.tool) = (index == width, index)
        case .nextColor: state.tool = color
        case .nextWidth: state.tool = width
        case .accept, .cancel, .next, .back, .decline, .instead, .lead, .again, .option: break
        }
        return state
    }

    // MARK: events

    /// - Returns: whether the pictures of the sketch must be saved.
    mutating func receive(_ event: TouchEvent, reported: Timestamp, _ actions: inout [PadAction]) -> Bool {
        var effects: [PageContacts.Effect] = []
        _ = contacts.receive(event, &effects)
        let lifted = event.phase == .ended ? event.sample.time : nil
        let wantsSave = apply(effects, lifted: lifted, reported: reported, &actions)
        showButtons(&actions)
        return wantsSave
    }

    /// Ends the stroke being drawn, before another page is shown or the display is lost.
    mutating func release(_ actions: inout [PadAction]) {
        var effects: [PageContacts.Effect] = []
        contacts.release(keepingInk: true, &effects)
        _ = apply(effects, lifted: nil, reported: stroke?.start ?? .zero, &actions)
        taps.reset()
        showButtons(&actions)
    }

    /// Adds the stored entries to the history. The caller draws them.
    mutating func restore(_ entries: [SketchEntry], _ actions: inout [PadAction]) {
        for entry in entries { history.apply(entry) }
        showButtons(&actions)
        isOpen = true
    }

    private mutating func showButtons(_ actions: inout [PadAction]) {
        for case let button? in placed.buttons.map(\.button) { shownButtons.show(button, state(of: button), &actions) }
    }

    /// - Parameter lifted: when the page's owner lifted; nil if something else caused the effects.
    private mutating func apply(
        _ effects: [PageContacts.Effect], lifted: Timestamp?, reported: Timestamp, _ actions: inout [PadAction]
    ) -> Bool {
        var wantsSave = false
        for effect in effects {
            switch effect {
            case .button(let button, let isPressed):
                pressed = isPressed ? button : nil
                taps.reset()
            case .pressed(let button): if press(button, &actions) { wantsSave = true }
            case .ink(.begin(let sample), _): begin(sample.roundedForSketch, reported, &actions)
            case .ink(.move(let sample), _): move(sample.roundedForSketch, reported, &actions)
            case .ink(.end, _): end(lifted: lifted, reported, &actions)
            case .ink(.cancel, _):
                cancel(reported, &actions)
                taps.reset()
            case .undo(let strokes): for _ in 0..<strokes { undo(&actions) }
            }
        }
        return wantsSave
    }

    private mutating func press(_ button: PageButton, _ actions: inout [PadAction]) -> Bool {
        switch button {
        case .undo: undo(&actions)
        case .redo: if history.redo() { actions += [.render(.redo), .store(.sketch(.redo))] }
        case .clear: clear(&actions)
        case .save: return !history.isBlank
        case .color(let index): if tools.colors.indices ~= index { color = index }
        case .width(let index): if tools.widths.indices ~= index { width = index }
        case .nextColor: color = (color + 1) % tools.colors.count
        case .nextWidth: width = (width + 1) % tools.widths.count
        case .accept, .cancel, .next, .back, .decline, .instead, .lead, .again, .option: break
        }
        return false
    }

    // MARK: strokes

    private var corner: Point { Point(x: Double(placed.inkField.minX), y: Double(placed.inkField.minY)) }

    private mutating func begin(_ sample: Sample, _ reported: Timestamp, _ actions: inout [PadAction]) {
        let (pen, color) = (tools.pen(width: width), tools.colors[color])
        let first = sample.sketchSample(from: corner, since: sample.time)
        stroke = (sample.time, SketchStroke(pen: pen, color: color, samples: [first]))
        taps.begin(sample)
        actions += [.render(.use(pen, color)), .render(.ink(.begin(sample), reported: reported))]
    }

    private mutating func move(_ sample: Sample, _ reported: Timestamp, _ actions: inout [PadAction]) {
        guard let start = stroke?.start else { return }
        let next = sample.sketchSample(from: corner, since: start)
        stroke?.entry.samples.append(next)
        taps.move(sample)
        actions.append(.render(.ink(.move(sample), reported: reported)))
    }

    private mutating func end(lifted: Timestamp?, _ reported: Timestamp, _ actions: inout [PadAction]) {
        guard let finished = stroke?.entry else { return }
        if clearsOnDoubleTap, let lifted, taps.end(at: lifted) {
            // Neither dot was intended.
            cancel(reported, &actions)
            undo(&actions)
            clear(&actions)
            return
        }
        // A stroke that leaves the area is not a tap.
        if lifted == nil { taps.reset() }
        stroke = nil
        history.add(samples: finished.samples.count)
        actions += [.render(.ink(.end, reported: reported)), .store(.sketch(.stroke(finished)))]
    }

    private mutating func cancel(_ reported: Timestamp, _ actions: inout [PadAction]) {
        guard stroke != nil else { return }
        stroke = nil
        actions.append(.render(.ink(.cancel, reported: reported)))
    }

    private mutating func undo(_ actions: inout [PadAction]) {
        if history.undo() { actions += [.render(.undo), .store(.sketch(.undo))] }
    }

    private mutating func clear(_ actions: inout [PadAction]) {
        if history.clear() { actions += [.render(.clear), .store(.sketch(.clear))] }
    }
}

extension Sample {
    /// The nearest point that the sketch file can represent, so that a restored stroke looks the same.
    fileprivate var roundedForSketch: Sample {
        func rounded(_ value: Double, _ scale: Double) -> Double { (value * scale).rounded() / scale }
        var sample = self
        sample.position.x = rounded(position.x, SketchStroke.placeScale)
        sample.position.y = rounded(position.y, SketchStroke.placeScale)
        sample.pressure = pressure.map { rounded(max(0, min($0, 1)), SketchStroke.pressureScale) }
        return sample
    }

    /// - Parameters:
    ///   - corner: the drawing area's upper left corner.
    ///   - start: when the stroke began.
    fileprivate func sketchSample(from corner: Point, since start: Timestamp) -> SketchStroke.Sample {
        let place = (position - corner) * SketchStroke.placeScale
        // Cannot overflow: places on the page are far below 2^31.
        return SketchStroke.Sample(
            microseconds: (time - start).microseconds, x: Int32(place.x), y: Int32(place.y),
            pressure: pressure.map { Int32($0 * SketchStroke.pressureScale) })
    }
}

/// The sketch's undo history. Undo never reaches further back than the canvas has memory for.
private struct SketchHistory {
    /// The overhead of a stroke, in samples.
    private static let strokeCost = 2

    private let reach: Int
    /// The value of `total` before each stroke.
    private var strokes = History<Int>()
    /// The entry of the latest stroke.
    private var latest = -1
    /// All samples drawn, with overhead.
    private var total = 0
    /// The value of `total` when the page was last cleared.
    private var clearedAt = 0

    init(reach: Int) { self.reach = reach }

    var isBlank: Bool { strokes.isBlank }
    var canRedo: Bool { strokes.canRedo }
    var canUndo: Bool {
        // The latest stroke can always be undone.
        if let start = strokes.lastVisible { return total - start <= reach || start == latest }
        return strokes.canUndo && total - clearedAt <= reach
    }

    mutating func add(samples: Int) {
        strokes.append(total)
        latest = total
        total += samples + Self.strokeCost
    }

    mutating func undo() -> Bool { canUndo && strokes.undo() != nil }
    mutating func redo() -> Bool { strokes.redo() != nil }

    mutating func clear() -> Bool {
        guard strokes.clearSheet() != nil else { return false }
        clearedAt = total
        return true
    }

    mutating func apply(_ entry: SketchEntry) {
        switch entry {
        case .stroke(let stroke): add(samples: stroke.samples.count)
        case .undo: strokes.undo()
        case .redo: strokes.redo()
        case .clear: _ = clear()
        }
    }
}

/// Distinguishes two taps in one place from drawing.
private struct DoubleTap {
    /// The longest tap. On Android a touch in a list stops being a tap after 100 ms, and a long press
    /// begins at 400 ms.
    private static let tap = Duration.milliseconds(250)
    /// The longest pause between the taps (Android's ViewConfiguration, DOUBLE_TAP_TIMEOUT).
    private static let pause = Duration.milliseconds(300)
    /// The farthest that a tap may move, in millimetres (Android's touch slop: 8 dp of 1/160 inch).
    private static let motion = 1.27
    /// The longest distance between the taps, in millimetres. Dots further apart are drawing.
    private static let distance = 4.0

    private let pixelsPerMillimetre: Double
    /// The stroke being drawn, as long as it can be a tap.
    private var open: (start: Timestamp, place: Point, isSecond: Bool)?
    private var first: (end: Timestamp, place: Point)?

    init(pixelsPerMillimetre: Double) { self.pixelsPerMillimetre = pixelsPerMillimetre }

    mutating func begin(_ sample: Sample) {
        var isSecond = false
        if let first {
            isSecond =
                .zero...Self.pause ~= sample.time - first.end
                && first.place.distance(to: sample.position) <= Self.distance * pixelsPerMillimetre
        }
        first = nil
        open = (sample.time, sample.position, isSecond)
    }

    mutating func move(_ sample: Sample) {
        guard let open else { return }
        if open.place.distance(to: sample.position) > Self.motion * pixelsPerMillimetre { self.open = nil }
    }

    /// The contact lifted.
    /// - Returns: whether that was the second of two taps.
    mutating func end(at time: Timestamp) -> Bool {
        guard let open else { return false }
        self.open = nil
        guard .zero...Self.tap ~= time - open.start else { return false }
        if open.isSecond { return true }
        first = (time, open.place)
        return false
    }

    mutating func reset() { (open, first) = (nil, nil) }
}
