// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Touch

/// The control of the page that a key presses, with a ring around it on the glass. Nothing has the focus until a key
/// asks for it, and a touch takes it away.
struct PageFocus: Equatable {
    /// ``PageDescription/number``, and the control's ``PageDescription/Control/id``.
    var page: UInt32
    var control: Int
    /// The place of the ring.
    var place: PixelRect
    /// With one switch, when the next control has the focus; nil with keys.
    var stepEnd: Timestamp?
    /// How often all controls had it since the last press.
    var rounds = 0
    /// Since when somebody may press the control: what came unasked must have been seen.
    var from: Timestamp
}

/// Keys, and what they do on a page: what a person without a hand on the glass can do.
extension Pad {
    /// With one switch, the pad goes round the controls this often before it waits for another press.
    static let mostRounds = 3
    /// The time in which a control that has come unasked cannot be pressed: as long as a fast reaction takes.
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
            // With one switch, the round goes on from here, if the page is still the same.
            if focus.stepEnd != nil, var same = self.focus {
                (same.stepEnd, same.rounds) = (after(settings.keys.step), 0)
                self.focus = same
            }
        case .pageUp, .pageDown, .start, .end, .larger, .smaller, .speech: break
        }
    }

    /// Somebody is there, though nobody touches the glass.
    private mutating func noteKey(_ actions: inout [PadAction]) {
        guard case .signing(var capture) = state else { return }
        // Clear `state` first: with a second reference, changing `capture` would copy its strokes.
        state = .idle
        capture.noteUse(at: now, &actions)
        state = .signing(capture)
    }

    /// The controls that a key reaches, in the order of reading. Switches have no keys for a document, so it is one of
    /// these, if more of it can be seen.
    private var reachable: [PageDescription.Control] {
        let description = description
        let controls = description.controls.filter(\.isEnabled)
        guard isDocumentControl, let document = description.document else { return controls }
        let control = PageDescription.Control(
            id: Self.documentControl, name: "document", kind: .button, label: document.label, place: document.place)
        return controls + [control]
    }

    /// Whether the document of the page is a control: more of it can be seen.
    var isDocumentControl: Bool {
        guard let capture = running, capture.isReading else { return false }
        return [.oneSwitch, .twoSwitches].contains(settings.keys.use) && capture.flow.reading?.view.share != nil
    }

    /// Gives the focus to another control; without a focus to the first, or the last. After the last follows the first.
    private mutating func moveFocus(by step: Int, isAsked: Bool = true, _ actions: inout [PadAction]) {
        let controls = reachable
        if controls.isEmpty { return }
        let index = focus.flatMap { focus in controls.firstIndex { $0.id == focus.control } }
        let next = index.map { ($0 + step + controls.count) % controls.count } ?? (step < 0 ? controls.count - 1 : 0)
        let isRound = index.map { $0 + step >= controls.count } ?? false
        give(controls[next], isAsked: isAsked, rounds: (focus?.rounds ?? 0) + (isRound ? 1 : 0), &actions)
    }

    /// Shows what follows in the document, and after its end the start.
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

    /// The outer edge of the ring: within a button, which has room in its face, and around a field of a document, whose
    /// content needs all of it; never beyond the document.
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

    /// Whether the page must be heard to its end: going on would cut what is read aloud, and with one switch nobody can
    /// have it read again.
    private var waitsForSpeech: Bool { speech?.isSpeaking == true && mustBeHeard }

    /// Pages that are there to be read, or confirmed.
    private var mustBeHeard: Bool {
        guard let flow = running?.flow else { return false }
        if case .texts = flow.step { return true }
        return flow.isConfirming || flow.step == .reading
    }

    /// Something was read to its end: whoever has waited for it has the whole time of a step to press.
    mutating func restartStep() {
        guard focus?.stepEnd != nil, mustBeHeard else { return }
        let end = after(settings.keys.step)
        focus?.stepEnd = end
    }

    /// Goes to the next control when its time has come. After some rounds in which nobody pressed, nobody is there.
    mutating func stepFocus(_ actions: inout [PadAction]) {
        guard let focus, let end = focus.stepEnd, now >= end else { return }
        if waitsForSpeech { return restartStep() }
        moveFocus(by: 1, isAsked: false, &actions)
        if self.focus?.rounds == Self.mostRounds || self.focus?.stepEnd == end { removeFocus(&actions) }
    }

    /// Keeps the ring where its control is, after a change of the page. On another page nothing has the focus, but with
    /// one switch, which cannot ask for it apart from pressing.
    mutating func updateFocus(after event: PadEvent, _ actions: inout [PadAction]) {
        guard let focus else { return }
        switch event {
        case .touch(let touch, _) where touch.phase == .began && !touch.isResting: return removeFocus(&actions)
        // They are many, and move no control.
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
    /// The step that the key makes where there is a document. Left and right go to controls while it is as wide as the
    /// page: a keypad has no other keys for them.
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
