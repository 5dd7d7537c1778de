// SPDX-License-Identifier: Apache-2.0
import Geometry
import Touch

/// Whose a page is, and what that contact does on it. The first contact that comes down on a button or gets into the
/// area that takes ink owns the page until it lifts; all others that are down then, or come down meanwhile, are ignored
/// for as long as they last. A contact that rests where nothing is to be touched, a hand at the edge, owns nothing.
struct PageContacts<Button: Equatable & Sendable>: Sendable {
    /// Where a touch means a button.
    struct Hits {
        var button: (TouchSample) -> Button?
        var isInside: (Point, Button) -> Bool
    }

    enum Step: Equatable {
        /// The button is being pressed, or not any more.
        case button(Button, isPressed: Bool)
        /// The contact came down on the button and was lifted from it.
        case pressed(Button)
        case ink(StrokeCutter.Piece)
        /// The stroke that is drawn, if there is one, is taken back; before it, so many that the contact has finished
        /// by leaving the area.
        case takeBack(strokes: Int)
    }

    private enum Part {
        case button(Button, isPressed: Bool)
        /// `pieces`: strokes that it has finished by leaving the area.
        case ink(StrokeCutter, pieces: Int)
    }

    private let area: PixelRect
    private var owner: (contact: Int32?, part: Part)?
    /// Contacts that came down where nothing is to be touched, while none owned the page; where they were last. They
    /// may still come into the area.
    private var waiting: [Int32?: StrokeCutter] = [:]
    /// Who drew last, if contacts have names: the only one that may go on after lost events.
    private var lastDrawn: Int32?
    private(set) var ignoredContacts = 0

    /// - Parameter area: that takes ink.
    init(area: PixelRect) { self.area = area }

    var isOwned: Bool { owner != nil }

    /// - Returns: whether somebody uses the page by that.
    mutating func take(_ event: TouchEvent, _ contact: Int32?, _ hits: Hits, _ steps: inout [Step]) -> Bool {
        switch event {
        case .down(let sample): return begin(sample, contact, hits, &steps)
        case .resume(let sample):
            if isOwner(contact) { letGo(keepingInk: true, &steps) }
            // Others were counted when they came down. It came down for ink, wherever it has got to.
            return (contact == nil || contact == lastDrawn) && begin(sample, contact, nil, &steps)
        case .motion, .up, .cancel: break
        }
        guard isOwner(contact) else { return wait(event, contact, &steps) }
        switch owner?.part {
        case .button(let button, let isPressed): press(button, isPressed, event, hits, &steps)
        case .ink(let cutter, let pieces): draw(cutter, pieces, event, &steps)
        case nil: break
        }
        return true
    }

    /// - Parameter hits: nil when the contact may not press.
    private mutating func begin(
        _ sample: TouchSample, _ contact: Int32?, _ hits: Hits?, _ steps: inout [Step]
    ) -> Bool {
        // Its end was lost; nothing was pressed by that.
        if isOwner(contact) { letGo(keepingInk: true, &steps) }
        waiting[contact] = nil
        if owner != nil {
            ignoredContacts += 1
            return false
        }
        comeDown(sample, contact, hits, &steps)
        return true
    }

    /// Ends what the owner does. Its further reports are nobody's.
    mutating func letGo(keepingInk: Bool, _ steps: inout [Step]) {
        switch owner?.part {
        case .button(let button, let isPressed): if isPressed { steps.append(.button(button, isPressed: false)) }
        case .ink: steps.append(keepingInk ? .ink(.end) : .takeBack(strokes: 0))
        case nil: break
        }
        owner = nil
        waiting = [:]
    }

    private func isOwner(_ contact: Int32?) -> Bool { owner.map { $0.contact == contact } ?? false }

    private mutating func comeDown(
        _ sample: TouchSample, _ contact: Int32?, _ hits: Hits?, _ steps: inout [Step]
    ) {
        if let button = hits?.button(sample) {
            own(.button(button, isPressed: true), contact)
            steps.append(.button(button, isPressed: true))
        } else {
            var cutter = StrokeCutter(area: area)
            let pieces = cutter.move(to: sample)
            if cutter.isDrawing {
                own(.ink(cutter, pieces: 0), contact)
                steps += pieces.map { .ink($0) }
            } else {
                waiting[contact] = cutter
            }
        }
    }

    private mutating func own(_ part: Part, _ contact: Int32?) {
        owner = (contact, part)
        lastDrawn = if case .ink = part { contact } else { nil }
        ignoredContacts += waiting.count
        waiting = [:]
    }

    /// A contact that came down elsewhere gets into the area, perhaps.
    private mutating func wait(_ event: TouchEvent, _ contact: Int32?, _ steps: inout [Step]) -> Bool {
        guard case .motion(let sample) = event, var cutter = waiting[contact] else {
            waiting[contact] = nil
            return false
        }
        let pieces = cutter.move(to: sample)
        waiting[contact] = cutter.isDrawing ? nil : cutter
        guard cutter.isDrawing else { return false }
        own(.ink(cutter, pieces: 0), contact)
        steps += pieces.map { .ink($0) }
        return true
    }

    private mutating func press(
        _ button: Button, _ isPressed: Bool, _ event: TouchEvent, _ hits: Hits, _ steps: inout [Step]
    ) {
        switch event {
        case .down, .resume: break
        case .motion(let sample):
            let isInside = hits.isInside(sample.position, button)
            owner?.part = .button(button, isPressed: isInside)
            if isInside != isPressed { steps.append(.button(button, isPressed: isInside)) }
        case .up:
            letGo(keepingInk: true, &steps)
            // Where it was last: a lifted contact measures nothing more.
            if isPressed { steps.append(.pressed(button)) }
        case .cancel:
            letGo(keepingInk: false, &steps)
            ignoredContacts += 1
        }
    }

    private mutating func draw(
        _ cutter: StrokeCutter, _ pieces: Int, _ event: TouchEvent, _ steps: inout [Step]
    ) {
        switch event {
        case .down, .resume: break
        case .motion(let sample):
            var cutter = cutter
            let next = cutter.move(to: sample)
            owner?.part = .ink(cutter, pieces: pieces + (next.last == .end ? 1 : 0))
            steps += next.map { .ink($0) }
        case .up: letGo(keepingInk: true, &steps)
        case .cancel:
            owner = nil
            waiting = [:]
            ignoredContacts += 1
            // A palm drew the strokes before, too.
            steps.append(.takeBack(strokes: pieces))
        }
    }
}
