// SPDX-License-Identifier: Apache-2.0
import Geometry
public import Ink
public import Touch

/// Decides what contacts do on a page: one of them presses a button or draws in the ink field.
///
/// The first contact that comes down on a button or enters the ink field owns the page until it lifts. All contacts
/// that are down at that time or come down meanwhile are ignored as long as they last. A contact that rests elsewhere,
/// such as a hand at the edge, owns nothing. ``ContactGate`` retires an owner that rests when another contact comes
/// down.
public struct PageContacts: Sendable {
    enum Step: Equatable {
        case button(PageButton, isPressed: Bool)
        /// The contact came down on the button and lifted from it.
        case pressed(PageButton)
        /// A stroke: one begin, any number of moves, then end or `takeBack`.
        case begin(TouchSample)
        case move(TouchSample)
        case end
        /// The contact was a palm: the current stroke, if any, is cancelled, and the given number of strokes that the
        /// contact has finished before, by leaving the field, are undone.
        case takeBack(strokes: Int)
    }

    private enum Part {
        case button(PageButton, isPressed: Bool)
        /// `finished`: strokes that it has finished by leaving the field.
        case ink(StrokeCutter, finished: Int)
    }

    private let inkField: PixelRect
    private let buttons: [PlacedElement]
    private var owner: (contact: Int32, part: Part)?
    /// Contacts that came down elsewhere while there was no owner, and where they were last. They may still enter the
    /// ink field.
    private var waiting: [Int32: StrokeCutter] = [:]
    /// The contact that drew last: the only one that may resume after dropped reports.
    private var lastDrawn: Int32?
    private(set) var ignoredContacts = 0

    init(page: PlacedPage) {
        inkField = page.inkField
        buttons = page.buttons
    }

    /// Contacts on a bare sheet: it has no buttons, and all of it takes ink.
    public init() {
        // No display is larger than the field.
        inkField = PixelRect(minX: 0, minY: 0, maxX: 1_000_000, maxY: 1_000_000)
        buttons = []
    }

    /// Whether a contact presses a button or draws.
    public var isOwned: Bool { owner != nil }

    /// - Returns: the ink on a bare sheet.
    public mutating func draw(_ events: [TouchEvent]) -> [StrokeEvent] {
        var steps: [Step] = []
        for event in events { _ = receive(event, &steps) }
        return steps.compactMap { step in
            switch step {
            case .begin(let sample): .begin(Sample(sample))
            case .move(let sample): .move(Sample(sample))
            case .end: .end
            case .takeBack: .cancel
            case .button, .pressed: nil
            }
        }
    }

    /// - Returns: whether the event counts as use of the page.
    mutating func receive(_ event: TouchEvent, _ steps: inout [Step]) -> Bool {
        let contact = event.sample.contact
        switch event {
        case .down(let sample): return begin(sample, mayPress: true, &steps)
        case .resume(let sample):
            if isOwner(contact) { release(keepingInk: true, &steps) }
            // Others were counted when they came down. This one came down for ink, wherever it is now.
            return contact == lastDrawn && begin(sample, mayPress: false, &steps)
        case .motion, .up, .retire, .cancel: break
        }
        guard isOwner(contact) else { return wait(event, &steps) }
        switch owner?.part {
        case .button(let button, let isPressed): press(button, isPressed, event, &steps)
        case .ink(let cutter, let finished): draw(cutter, finished, event, &steps)
        case nil: break
        }
        switch event {
        case .motion(let sample): return !sample.isResting
        case .retire: return false
        default: return true
        }
    }

    /// Ends what the owner does. Its further reports are ignored.
    mutating func release(keepingInk: Bool, _ steps: inout [Step]) {
        switch owner?.part {
        case .button(let button, let isPressed): if isPressed { steps.append(.button(button, isPressed: false)) }
        case .ink: steps.append(keepingInk ? .end : .takeBack(strokes: 0))
        case nil: break
        }
        owner = nil
        waiting = [:]
    }

    private func isOwner(_ contact: Int32) -> Bool { owner.map { $0.contact == contact } ?? false }

    private mutating func begin(_ sample: TouchSample, mayPress: Bool, _ steps: inout [Step]) -> Bool {
        // The lift of this contact was lost. Release it without pressing its button.
        if isOwner(sample.contact) { release(keepingInk: true, &steps) }
        waiting[sample.contact] = nil
        if owner != nil {
            ignoredContacts += 1
            return false
        }
        if mayPress, let button = buttons.first(where: { $0.rect.contains(sample.position) })?.button {
            own(.button(button, isPressed: true), sample.contact)
            steps.append(.button(button, isPressed: true))
        } else {
            draw(with: StrokeCutter(field: inkField), to: sample, &steps)
        }
        return true
    }

    private mutating func draw(with cutter: StrokeCutter, to sample: TouchSample, _ steps: inout [Step]) {
        var cutter = cutter
        let next = cutter.move(to: sample)
        if cutter.isDrawing {
            own(.ink(cutter, finished: 0), sample.contact)
            steps += next
        } else {
            waiting[sample.contact] = cutter
        }
    }

    private mutating func own(_ part: Part, _ contact: Int32) {
        owner = (contact, part)
        lastDrawn = if case .ink = part { contact } else { nil }
        ignoredContacts += waiting.count
        waiting = [:]
    }

    /// A contact that came down elsewhere may enter the ink field.
    private mutating func wait(_ event: TouchEvent, _ steps: inout [Step]) -> Bool {
        let contact = event.sample.contact
        guard let cutter = waiting.removeValue(forKey: contact), case .motion(let sample) = event else { return false }
        draw(with: cutter, to: sample, &steps)
        return isOwner(contact)
    }

    private mutating func press(
        _ button: PageButton, _ isPressed: Bool, _ event: TouchEvent, _ steps: inout [Step]
    ) {
        switch event {
        case .down, .resume: break
        case .motion(let sample):
            let rect = buttons.first { $0.button == button }?.rect
            let isInside = rect?.contains(sample.position) ?? false
            owner?.part = .button(button, isPressed: isInside)
            if isInside != isPressed { steps.append(.button(button, isPressed: isInside)) }
        case .up:
            release(keepingInk: true, &steps)
            // The last position counts: a lifted contact measures nothing more.
            if isPressed { steps.append(.pressed(button)) }
        case .retire: release(keepingInk: true, &steps)
        case .cancel:
            release(keepingInk: false, &steps)
            ignoredContacts += 1
        }
    }

    private mutating func draw(_ cutter: StrokeCutter, _ finished: Int, _ event: TouchEvent, _ steps: inout [Step]) {
        switch event {
        case .down, .resume: break
        case .motion(let sample):
            var cutter = cutter
            let next = cutter.move(to: sample)
            owner?.part = .ink(cutter, finished: finished + (next.last == .end ? 1 : 0))
            steps += next
        case .up, .retire: release(keepingInk: true, &steps)
        case .cancel:
            owner = nil
            waiting = [:]
            ignoredContacts += 1
            steps.append(.takeBack(strokes: finished))
        }
    }
}

/// Cuts the way of one contact into strokes within the ink field. A stroke ends where the way leaves the field, and
/// another begins where it comes back, so that no line joins the two places.
///
/// Each stroke contains a report: a way that crosses a corner between two reports leaves no ink.
struct StrokeCutter {
    private let field: Rect
    private var last: TouchSample?
    private(set) var isDrawing = false

    init(field: PixelRect) { self.field = field.rect }

    /// - Returns: begin, move and end steps.
    mutating func move(to sample: TouchSample) -> [PageContacts.Step] {
        // An overflow would make the crossing NaN.
        guard sample.position.isFinite, abs(sample.position.x) < 1e6, abs(sample.position.y) < 1e6 else { return [] }
        let wasDrawing = isDrawing
        isDrawing = field.contains(sample.position)
        defer { last = sample }
        switch (wasDrawing, isDrawing, last) {
        case (true, true, _): return [.move(sample)]
        case (true, false, let last?):
            let edge = crossing(from: last, to: sample)
            return edge.position == last.position ? [.end] : [.move(edge), .end]
        case (false, true, let last?):
            let edge = crossing(from: sample, to: last)
            return edge.position == sample.position
                ? [.begin(sample)] : [.begin(edge), .move(sample)]
        case (false, true, nil): return [.begin(sample)]
        case (_, false, _): return []
        }
    }

    /// The point on the edge between a report inside and one outside. Its time and pressure are interpolated.
    private func crossing(from inside: TouchSample, to outside: TouchSample) -> TouchSample {
        let fraction = field.crossing(from: inside.position, to: outside.position)
        // Rounding may put it slightly outside.
        let place = field.clamped(inside.position.interpolated(to: outside.position, fraction))
        // Times of one contact: their difference is far from overflow.
        let passed = Double(outside.microseconds &- inside.microseconds) * fraction
        var pressure: Double?
        if let first = inside.pressure, let second = outside.pressure { pressure = first + (second - first) * fraction }
        return TouchSample(
            contact: inside.contact, microseconds: inside.microseconds &+ Int64(passed), position: place,
            pressure: pressure, device: nil)
    }
}

extension Rect {
    /// The edges are inside.
    fileprivate func contains(_ point: Point) -> Bool {
        minX <= point.x && point.x <= maxX && minY <= point.y && point.y <= maxY
    }

    /// The fraction, 0 to 1, of the way from `inside`, a point within, to `outside` at which it crosses the edge.
    fileprivate func crossing(from inside: Point, to outside: Point) -> Double {
        var fraction = 1.0
        func cut(_ from: Double, _ to: Double, _ low: Double, _ high: Double) {
            let edge = to < low ? low : high
            if to < low || to > high { fraction = min(fraction, (edge - from) / (to - from)) }
        }
        cut(inside.x, outside.x, minX, maxX)
        cut(inside.y, outside.y, minY, maxY)
        return max(0, fraction)
    }

    fileprivate func clamped(_ point: Point) -> Point {
        Point(x: max(minX, min(point.x, maxX)), y: max(minY, min(point.y, maxY)))
    }
}

extension Sample {
    init(_ touch: TouchSample) {
        self.init(microseconds: touch.microseconds, position: touch.position, pressure: touch.pressure)
    }
}
