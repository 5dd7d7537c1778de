// SPDX-License-Identifier: Apache-2.0
import Touch

/// What contacts do (``PageContacts``).
extension CaptureSession {
    /// The button that was pressed: the contact came down on it and was lifted from it.
    mutating func take(
        _ event: TouchEvent, _ contact: Int32?, at now: Int64, _ effects: inout [CaptureEffect]
    ) -> PageButton? {
        let (pad, buttons) = (order.pad, order.policy.buttons)
        let hits = PageContacts<PageButton>.Hits(
            button: { sample in pad.button(at: sample.position).flatMap { buttons.contains($0) ? $0 : nil } },
            isInside: pad.isInside)
        var steps: [PageContacts<PageButton>.Step] = []
        if contacts.take(event, contact, hits, &steps) { lastTouch = now }
        return follow(steps, &effects)
    }

    /// Ends what the owner does. Its further reports are nobody's.
    mutating func letGo(keepingInk: Bool, _ effects: inout [CaptureEffect]) {
        var steps: [PageContacts<PageButton>.Step] = []
        contacts.letGo(keepingInk: keepingInk, &steps)
        _ = follow(steps, &effects)
    }

    private mutating func follow(
        _ steps: [PageContacts<PageButton>.Step], _ effects: inout [CaptureEffect]
    ) -> PageButton? {
        var pressed: PageButton?
        for step in steps {
            switch step {
            case .button(let button, let isPressed): effects.append(.button(button, isPressed: isPressed))
            case .pressed(let button): pressed = button
            case .ink(let piece): add(piece, &effects)
            case .takeBack(let strokes):
                cancelStroke(&effects)
                for _ in 0..<strokes { undo(&effects) }
            }
        }
        return pressed
    }
}
