// SPDX-License-Identifier: Apache-2.0
import Touch

/// Whose the page is. The first contact that comes down on a button or gets into the signing area owns it until it
/// lifts; all others that are down then, or come down meanwhile, are ignored for as long as they last. A contact that
/// rests where nothing is to be touched, a hand at the edge, owns nothing.
extension CaptureSession {
    /// The button that was pressed: the contact came down on it and was lifted from it.
    mutating func take(
        _ event: TouchEvent, _ contact: Int32?, at now: Int64, _ effects: inout [CaptureEffect]
    ) -> PageButton? {
        switch event {
        case .down(let sample):
            begin(sample, contact, mayPress: true, at: now, &effects)
            return nil
        case .resume(let sample):
            if isOwner(contact) { letGo(keepingInk: true, &effects) }
            // Others were counted when they came down. It came down for ink, wherever it has got to.
            if contact == nil || contact == lastDrawn { begin(sample, contact, mayPress: false, at: now, &effects) }
            return nil
        case .motion, .up, .cancel: break
        }
        guard isOwner(contact) else {
            if waiting[contact] != nil { wait(event, contact, at: now, &effects) }
            return nil
        }
        lastTouch = now
        switch owner?.part {
        case .button(let button, let isPressed): return press(button, isPressed, event, &effects)
        case .ink(let cutter, let pieces): draw(cutter, pieces, event, &effects)
        case nil: break
        }
        return nil
    }

    /// Ends what the owner does. Its further reports are nobody's.
    mutating func letGo(keepingInk: Bool, _ effects: inout [CaptureEffect]) {
        switch owner?.part {
        case .button(let button, let isPressed): if isPressed { effects.append(.button(button, isPressed: false)) }
        case .ink:
            if keepingInk { endStroke(&effects) } else { cancelStroke(&effects) }
        case nil: break
        }
        owner = nil
        waiting = [:]
    }

    private func isOwner(_ contact: Int32?) -> Bool { owner.map { $0.contact == contact } ?? false }

    private mutating func begin(
        _ sample: TouchSample, _ contact: Int32?, mayPress: Bool, at now: Int64, _ effects: inout [CaptureEffect]
    ) {
        // Its end was lost; nothing was pressed by that.
        if isOwner(contact) { letGo(keepingInk: true, &effects) }
        waiting[contact] = nil
        if owner == nil {
            lastTouch = now
            comeDown(sample, contact, mayPress: mayPress, &effects)
        } else {
            ignoredContacts += 1
        }
    }

    private mutating func comeDown(
        _ sample: TouchSample, _ contact: Int32?, mayPress: Bool, _ effects: inout [CaptureEffect]
    ) {
        if mayPress, let button = button(at: sample) {
            own(.button(button, isPressed: true), contact)
            effects.append(.button(button, isPressed: true))
        } else {
            var cutter = StrokeCutter(area: order.pad.signingArea)
            let pieces = cutter.move(to: sample)
            if cutter.isDrawing {
                own(.ink(cutter, pieces: 0), contact)
                add(pieces, &effects)
            } else {
                waiting[contact] = cutter
            }
        }
    }

    private mutating func own(_ part: Owner, _ contact: Int32?) {
        owner = (contact, part)
        lastDrawn = if case .ink = part { contact } else { nil }
        ignoredContacts += waiting.count
        waiting = [:]
    }

    /// A contact that came down elsewhere gets into the signing area, perhaps.
    private mutating func wait(
        _ event: TouchEvent, _ contact: Int32?, at now: Int64, _ effects: inout [CaptureEffect]
    ) {
        guard case .motion(let sample) = event, var cutter = waiting[contact] else {
            waiting[contact] = nil
            return
        }
        let pieces = cutter.move(to: sample)
        waiting[contact] = cutter.isDrawing ? nil : cutter
        guard cutter.isDrawing else { return }
        lastTouch = now
        own(.ink(cutter, pieces: 0), contact)
        add(pieces, &effects)
    }

    private mutating func press(
        _ button: PageButton, _ isPressed: Bool, _ event: TouchEvent, _ effects: inout [CaptureEffect]
    ) -> PageButton? {
        switch event {
        case .down, .resume: return nil
        case .motion(let sample):
            let isInside = order.pad.isInside(sample.position, button)
            owner?.part = .button(button, isPressed: isInside)
            if isInside != isPressed { effects.append(.button(button, isPressed: isInside)) }
            return nil
        case .up:
            letGo(keepingInk: true, &effects)
            // Where it was last: a lifted contact measures nothing more.
            return isPressed ? button : nil
        case .cancel:
            letGo(keepingInk: false, &effects)
            ignoredContacts += 1
            return nil
        }
    }

    private mutating func draw(
        _ cutter: StrokeCutter, _ pieces: Int, _ event: TouchEvent, _ effects: inout [CaptureEffect]
    ) {
        switch event {
        case .down, .resume: break
        case .motion(let sample):
            var cutter = cutter
            let next = cutter.move(to: sample)
            owner?.part = .ink(cutter, pieces: pieces + (next.last == .end ? 1 : 0))
            add(next, &effects)
        case .up: letGo(keepingInk: true, &effects)
        case .cancel:
            letGo(keepingInk: false, &effects)
            ignoredContacts += 1
            // A palm drew the strokes before, too.
            for _ in 0..<pieces { undo(&effects) }
        }
    }
}
