// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Touch

/// The control of the page that a key presses, with a ring around it on the glass. A key gives a control the focus, and
/// a touch takes it away.
struct PageFocus: Equatable {
    /// ``PageDescription/number``, and the control's ``PageDescription/Control/id``.
    var page: UInt32
    var control: Int
    /// The place of the ring.
    var place: PixelRect
    /// The time at which the next control gets the focus, for one switch; nil for keys.
    var stepEnd: Timestamp?
    /// The number of rounds through all controls since the last press.
    var rounds = 0
    /// The time from which the control can be pressed. People must first see a control that got the focus unasked.
    var from: Timestamp
}

/// The effects of keys on a page, for people who do not touch the glass.
extension Pad {
    /// The number of rounds through the controls for one switch. Then the pad waits for another press.
    static let mostRounds = 3
    /// The time of a fast reaction. A control that got the focus unasked cannot be pressed before.
    static let reaction = Duration.milliseconds(200)

    mutating func press(_ key: PageKey, _ actions: inout [PadAction]) {
        guard hasDisplay else { return }
        noteKey(&actions)
        if key == .speech { return toggleSpeech(&actions) }
        if pressSpeech(key, &actions) { return }
        if let reading = running?.flow.reading, running?.isReading == true,
            let step = key.viewStep(isEnlarged: reading.view.zoom > 1)
        {
            return perform(.move(step), &actions)
        }
        let isMirrored = shownPage?.direction == .rightToLeft
        switch key {
        case .next, .down: moveFocus(by: 1, &actions)
        case .previous, .up: moveFocus(by: -1, &actions)
        case .right: moveFocus(by: isMirrored ? -1 : 1, &actions)
        case .left: moveFocus(by: isMirrored ? 1 : -1, &actions)
        case .press:
            guard let focus else { return moveFocus(by: 1, isAsked: false, &actions) }
            if now < focus.from { return }
            perform(.press(page: focus.page, control: focus.control), &actions)
            // The round of one switch goes on from this control, if the page is still the same.
            if focus.stepEnd != nil, var same = self.focus {
                (same.stepEnd, same.rounds) = (after(settings.keys.step), 0)
                self.focus = same
            }
        case .pageUp, .pageDown, .start, .end, .larger, .smaller, .speech: break
        }
    }

    /// Counts a key as use of the page, as a touch does.
    private mutating func noteKey(_ actions: inout [PadAction]) {
        guard case .signing(var capture) = state else { return }
        // Clear `state` first: with a second reference, changing `capture` would copy its strokes.
        state = .idle
        capture.noteUse(at: now, &actions)
        state = .signing(capture)
    }

    /// The controls that a key reaches, in the order of reading. Switches have no keys that scroll a document, so a
    /// document that can be scrolled is one of the controls for them.
    private var reachable: [PageDescription.Control] {
        let description = description
        let controls = description.controls.filter(\.isEnabled)
        guard isDocumentControl, let document = description.document else { return controls }
        let control = PageDescription.Control(
            id: Self.documentControl, name: "document", kind: .button, label: document.label, place: document.place)
        return controls + [control]
    }

    /// Whether the document of the page is a control: a switch is in use, and only a part of the document is visible.
    var isDocumentControl: Bool {
        guard let capture = running, capture.isReading else { return false }
        return [.oneSwitch, .twoSwitches].contains(settings.keys.use) && capture.flow.reading?.view.share != nil
    }

    /// Moves the focus to the next or the previous control, in a circle. Without a focus, the first or the last control
    /// gets it.
    private mutating func moveFocus(by step: Int, isAsked: Bool = true, _ actions: inout [PadAction]) {
        let controls = reachable
        if controls.isEmpty { return }
        let index = focus.flatMap { focus in controls.firstIndex { $0.id == focus.control } }
        let next = index.map { ($0 + step + controls.count) % controls.count } ?? (step < 0 ? controls.count - 1 : 0)
        let isRound = index.map { $0 + step >= controls.count } ?? false
        give(controls[next], isAsked: isAsked, rounds: (focus?.rounds ?? 0) + (isRound ? 1 : 0), &actions)
    }

    /// Scrolls the document by a page, and at its end to the start.
    mutating func turnDocument(_ actions: inout [PadAction]) {
        guard let share = running?.flow.reading?.view.share else { return }
        perform(.move(share.upperBound < 0.9999 ? .pageDown : .start), &actions)
    }

    private mutating func give(
        _ control: PageDescription.Control, isAsked: Bool, rounds: Int, _ actions: inout [PadAction]
    ) {
        let place = ring(of: control)
        if focus?.place != place { actions.append(.render(.focus(place))) }
        focus = PageFocus(
            page: shownPages, control: control.id, place: place,
            stepEnd: settings.keys.use == .oneSwitch ? after(settings.keys.step) : nil, rounds: rounds,
            from: isAsked ? now : after(Self.reaction))
    }

    /// The outer edge of the ring. The ring is within a button, whose face has room for it, but around a field, which
    /// has none. It never extends beyond the document.
    private func ring(of control: PageDescription.Control) -> PixelRect {
        let place = PixelRect(control.place)
        guard control.id >= Self.firstField, let view = running?.flow.reading?.view.viewport else { return place }
        return place.inset(by: -screen.ringWidth).intersection(view)
    }

    /// Takes the focus away.
    private mutating func removeFocus(_ actions: inout [PadAction]) {
        if focus == nil { return }
        focus = nil
        actions.append(.render(.focus(nil)))
    }

    /// Whether the focus waits for the end of speech. The next control would interrupt it, and one switch cannot repeat
    /// it.
    private var waitsForSpeech: Bool { speech?.isSpeaking == true && mustBeHeard }

    /// Whether people must hear the page before they go on: it is read, or confirmed.
    private var mustBeHeard: Bool {
        guard let flow = running?.flow else { return false }
        if case .texts = flow.step { return true }
        return flow.isConfirming || flow.step == .reading
    }

    /// Begins the step anew after a text was read to its end, so that people who listened have its whole time to press.
    mutating func restartStep() {
        guard focus?.stepEnd != nil, mustBeHeard else { return }
        let end = after(settings.keys.step)
        focus?.stepEnd = end
    }

    /// Moves the focus to the next control when its time has come. After ``mostRounds`` without a press, removes the
    /// focus.
    mutating func stepFocus(_ actions: inout [PadAction]) {
        guard let focus, let end = focus.stepEnd, now >= end else { return }
        if waitsForSpeech { return restartStep() }
        moveFocus(by: 1, isAsked: false, &actions)
        if self.focus?.rounds == Self.mostRounds || self.focus?.stepEnd == end { removeFocus(&actions) }
    }

    /// Keeps the ring where its control is, after a change of the page. Another page begins without a focus. For one
    /// switch, which cannot ask for it, the first control gets the focus.
    mutating func updateFocus(after event: PadEvent, _ actions: inout [PadAction]) {
        guard let focus else { return }
        switch event {
        case .touch(let touch, _) where touch.phase == .began && !touch.isResting: return removeFocus(&actions)
        // These events are frequent, and move no control.
        case .touch, .hover: return
        default: break
        }
        let controls = reachable
        if focus.page == shownPages, let control = controls.first(where: { $0.id == focus.control }) {
            let place = ring(of: control)
            if place == focus.place { return }
            self.focus?.place = place
            return actions.append(.render(.focus(place)))
        }
        let goesOn = focus.stepEnd != nil
        removeFocus(&actions)
        if goesOn, let first = controls.first { give(first, isAsked: false, rounds: 0, &actions) }
    }
}

extension PageKey {
    /// The step by which the key moves a document. Left and right go to controls unless the document is enlarged: a
    /// keypad has no other keys for these.
    fileprivate func viewStep(isEnlarged: Bool) -> ViewStep? {
        switch self {
        case .up: .lineUp
        case .down: .lineDown
        case .left: isEnlarged ? .left : nil
        case .right: isEnlarged ? .right : nil
        case .pageUp: .pageUp
        case .pageDown: .pageDown
        case .start: .start
        case .end: .end
        case .larger: .larger
        case .smaller: .smaller
        case .next, .previous, .press, .speech: nil
        }
    }
}

extension PadScreen {
    /// The width of each of the two bands of the ring in pixels: half a millimetre, which is seen from an arm's length.
    public var ringWidth: Int { max(2, Int((density.pixelsPerMillimetre * 0.5).rounded())) }
}
