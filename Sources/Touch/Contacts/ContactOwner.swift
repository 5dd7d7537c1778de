// SPDX-License-Identifier: Apache-2.0

/// Picks the one contact that draws: of those that may (``ContactGate``) the first to touch owns the stroke until it
/// lifts.
///
/// All others are ignored for as long as they last, also when they outlast the owner: a resting hand must not go on
/// with a signature where the finger left off. The next stroke takes a contact that begins after the owner's end, even
/// while others still rest on the panel.
public struct ContactOwner: Sendable {
    private var owner: Int32?
    /// Who drew last: the only one that may go on after lost events.
    private var last: Int32?

    public init() {}

    /// Whether a stroke is being drawn.
    public var isDrawing: Bool { owner != nil }

    /// - Returns: what the owner did, in order, a resumption as a `down`. A stroke may end and the next begin in one
    ///   frame.
    public mutating func update(with touches: [ContactGate.Touch]) -> [TouchEvent] {
        touches.compactMap { touch in
            switch touch.event {
            case .down, .resume:
                if case .resume = touch.event, last != touch.contact { return nil }
                guard owner == nil else { return nil }
                owner = touch.contact
                last = touch.contact
                return .down(touch.event.sample)
            case .motion: return owner == touch.contact ? touch.event : nil
            case .up, .cancel:
                guard owner == touch.contact else { return nil }
                owner = nil
                return touch.event
            }
        }
    }
}
