// SPDX-License-Identifier: Apache-2.0

/// Contacts of protocol A into slots. What mtdev does for all of the protocol's devices is needed here for a few
/// contacts and without its descriptors, so it is done here.
extension SlotTracker {
    /// Puts the contacts of a report where they were before: by their names, or, where they have none, each to the
    /// nearest of the report before. Others come down or have lifted.
    mutating func assign(_ found: [AnonymousContact]) {
        var places = found.allSatisfy({ $0.trackingID != nil }) ? namedPlaces(found) : nearestPlaces(found)
        for index in slots.indices where slots[index].trackingID != nil && !places.contains(index) {
            setContact(index, nil)
        }
        for (number, contact) in found.enumerated() {
            if places[number] == nil {
                guard let free = slots.indices.first(where: { slots[$0].trackingID == nil }) else { continue }
                places[number] = free
                // Two contacts of one name: one is enough.
                if let id = contact.trackingID, slots.contains(where: { $0.trackingID == id }) { continue }
                setContact(free, contact.trackingID ?? takeTrackingID())
            }
            if let index = places[number] { slots[index].take(contact, isIgnored: ignoresContacts) }
        }
        ignoresContacts = false
    }

    private func namedPlaces(_ found: [AnonymousContact]) -> [Int?] {
        found.enumerated().map { number, contact in
            // Of two with one name the first.
            if found.prefix(number).contains(where: { $0.trackingID == contact.trackingID }) { return nil }
            return slots.firstIndex { $0.trackingID == contact.trackingID }
        }
    }

    /// The closest pair first. With hands on a panel that is what they did; mtdev finds the least sum of all distances,
    /// which differs where contacts cross within a report.
    private func nearestPlaces(_ found: [AnonymousContact]) -> [Int?] {
        var places = [Int?](repeating: nil, count: found.count)
        while true {
            var best: (number: Int, index: Int, distance: Double)?
            for (number, contact) in found.enumerated() where places[number] == nil {
                for index in slots.indices where slots[index].trackingID != nil && !places.contains(index) {
                    guard let distance = slots[index].squaredDistance(to: contact),
                        best.map({ distance < $0.distance }) ?? true
                    else { continue }
                    best = (number, index, distance)
                }
            }
            guard let best else { return places }
            places[best.number] = best.index
        }
    }
}

extension SlotTracker.Slot {
    /// In device units.
    fileprivate func squaredDistance(to contact: AnonymousContact) -> Double? {
        guard let x, let y, let otherX = contact.x, let otherY = contact.y else { return nil }
        let (dx, dy) = (Double(x) - Double(otherX), Double(y) - Double(otherY))
        return dx * dx + dy * dy
    }

    /// Takes over all that a report says of the contact.
    fileprivate mutating func take(_ contact: AnonymousContact, isIgnored: Bool) {
        x = contact.x
        y = contact.y
        pressure = contact.pressure
        distance = contact.distance
        toolType = contact.toolType
        major = contact.major
        minor = contact.minor
        wasHeard()
        if isIgnored { mute() }
    }
}
