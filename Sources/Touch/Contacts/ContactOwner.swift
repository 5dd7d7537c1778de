// SPDX-License-Identifier: Apache-2.0

/// Picks the one contact that draws: the first to touch owns the stroke until it lifts.
///
/// All others are ignored for as long as they last, also when they outlast the owner: a resting hand must not go on
/// with a signature where the finger left off. The next stroke takes a contact that begins after the owner's end, even
/// while others still rest on the panel.
public struct ContactOwner: Sendable {
    /// How device units become pixels; change it when the picture's rotation changes, not during a stroke.
    public var mapping: PanelMapping

    private struct Key: Equatable, Sendable {
        let slot: Int
        let trackingID: Int32
    }

    private var owner: Key?
    /// Who drew when events were lost: the only resumed contact that may draw on.
    private var ownerBeforeDrop: Key?

    public init(mapping: PanelMapping) {
        self.mapping = mapping
    }

    /// Whether a stroke is being drawn.
    public var isDrawing: Bool { owner != nil }

    /// - Returns: what the owner did, in order. A stroke may end and the next begin in one frame.
    public mutating func update(with frame: TouchFrame) -> [TouchEvent] {
        if owner != nil, frame.isAfterDrop || frame.contacts.contains(where: \.isResumed) { ownerBeforeDrop = owner }
        var events: [TouchEvent] = []
        // The owner's part first: it may lift in the same frame in which the next contact comes down in a lower slot.
        let ownersPart = frame.contacts.firstIndex { key($0) == owner }
        if let ownersPart { take(frame.contacts[ownersPart], frame.microseconds, into: &events) }
        for (index, contact) in frame.contacts.enumerated() where index != ownersPart {
            if owner == nil, contact.phase == .began, mayOwn(contact) {
                owner = key(contact)
                ownerBeforeDrop = nil
                events.append(.down(mapping.sample(contact.reading, at: frame.microseconds)))
            } else if key(contact) == owner {
                take(contact, frame.microseconds, into: &events)
            }
        }
        return events
    }

    private func key(_ contact: Contact) -> Key { Key(slot: contact.slot, trackingID: contact.trackingID) }

    private func mayOwn(_ contact: Contact) -> Bool { !contact.isResumed || key(contact) == ownerBeforeDrop }

    private mutating func take(_ contact: Contact, _ microseconds: Int64, into events: inout [TouchEvent]) {
        let sample = mapping.sample(contact.reading, at: microseconds)
        switch contact.phase {
        case .began: break
        case .moved: events.append(.motion(sample))
        case .ended:
            events.append(.up(sample))
            owner = nil
        case .cancelled:
            events.append(.cancel(sample))
            owner = nil
        }
    }
}
