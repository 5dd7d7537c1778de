// SPDX-License-Identifier: Apache-2.0
import Touch

/// What contacts do.
extension CaptureMachine {
    mutating func touch(_ event: TouchEvent, _ contact: Int32?, _ effects: inout [CaptureEffect]) {
        // On other pages nothing is to be touched. A contact that came down there has no part in what follows.
        guard case .signing(var session, let message) = state else { return }
        // Or the session would be copied, with all samples of its stroke.
        state = .idle
        let wasOwned = session.contacts.isOwned
        var touched: [CaptureEffect] = []
        let pressed = session.take(event, contact, at: now, &touched)
        // Who goes on has read the message.
        let isRead = message != nil && !wasOwned && session.contacts.isOwned
        state = .signing(session, message: isRead ? nil : message)
        if isRead { effects.append(.show(.signing)) }
        effects += touched
        switch pressed {
        case nil: break
        case .accept: accept(session, &effects)
        case .cancel: end(.cancelled(by: .person), &effects)
        case .clear:
            session.clear(&effects)
            state = .signing(session, message: nil)
        case .undo:
            session.undo(&effects)
            state = .signing(session, message: nil)
        }
    }

    /// While somebody signs, what a pen does in the air is part of how. It is no touch: it keeps nobody's time from
    /// running out.
    mutating func hover(
        _ hover: PenHover, device: Int, microseconds: Int64, _ effects: inout [CaptureEffect]
    ) {
        guard case .signing(var session, let message) = state else { return }
        // As above.
        state = .idle
        session.add(hover, device: device, microseconds: microseconds, &effects)
        state = .signing(session, message: message)
    }
}
