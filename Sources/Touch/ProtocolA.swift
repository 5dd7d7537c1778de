// SPDX-License-Identifier: Apache-2.0

/// A report of multitouch protocol A while its events arrive (multi-touch-protocol.rst, "Protocol Example A"). Each
/// report lists all contacts that are down, with all their values, separated by SYN_MT_REPORT; an empty report says
/// that all have lifted.
struct ProtocolAReport: Sendable {
    /// Further contacts are ignored: one person has ten fingers.
    static let contactLimit = 10

    private var contacts: [DeviceState.Slot] = []
    private var current = DeviceState.Slot.unknown
    /// The device marks the contact as lifted (a tracking id of -1).
    private var isCurrentGone = false
    private var isAboutContacts = false
    private var isReleased = false
    /// Drivers lift a contact by sending it once more with a size or pressure of 0, as the protocol's first drivers
    /// did; Qt's evdevtouch and Android read it so.
    private var pressure: LiftSign
    private var touchMajor = LiftSign(rest: 0)
    private var widthMajor = LiftSign(rest: 0)
    /// The sizes of the current contact.
    private var touch, width: Int32?

    init(pressure: LiftSign) { self.pressure = pressure }

    private var isCurrentPlaced: Bool {
        let tool = current.toolType
        return current.x != nil && current.y != nil && !isCurrentGone
            && !pressure.saysLifted(current.pressure, of: tool)
            // The tool that is wider than the contact counts only without the contact.
            && !(touchMajor.isKnown ? touchMajor.saysLifted(touch, of: tool) : widthMajor.saysLifted(width, of: tool))
    }

    /// Receives the value of an ABS_MT_* axis.
    mutating func receive(_ code: UInt16, _ value: Int32, _ size: ContactSize?) {
        isAboutContacts = true
        if code == EventCode.mtTrackingID {
            current.trackingID = value < 0 ? nil : value
            isCurrentGone = value < 0
        } else {
            current.set(code, value, size)
        }
        switch code {
        case EventCode.mtTouchMajor: touch = value
        case EventCode.mtWidthMajor: width = value
        default: break
        }
    }

    /// SYN_MT_REPORT: the contact is complete, or the report empty.
    mutating func endContact() {
        isAboutContacts = true
        // The kind of tool may come after the values.
        pressure.learn(current.pressure, of: current.toolType)
        touchMajor.learn(touch, of: current.toolType)
        widthMajor.learn(width, of: current.toolType)
        if isCurrentPlaced, contacts.count < Self.contactLimit { contacts.append(current) }
        beginContact()
    }

    /// BTN_TOUCH is 0: the last contact lifts, also if the report lists it once more. Some drivers send nothing else.
    mutating func release() {
        isAboutContacts = true
        isReleased = true
    }

    /// SYN_REPORT.
    /// - Returns: all contacts that are down; nil if the report was about something else.
    mutating func end() -> [DeviceState.Slot]? {
        // Drivers with a single contact omit its SYN_MT_REPORT.
        if isCurrentPlaced { endContact() }
        defer { clear() }
        if isReleased { return [] }
        return isAboutContacts ? contacts : nil
    }

    mutating func clear() {
        contacts.removeAll(keepingCapacity: true)
        (isAboutContacts, isReleased) = (false, false)
        beginContact()
    }

    private mutating func beginContact() {
        current = .unknown
        isCurrentGone = false
        (touch, width) = (nil, nil)
    }
}

/// Assigns the contacts of protocol A to slots. mtdev does this for all devices of the protocol; a few contacts,
/// without mtdev's descriptors, need less.
extension SlotTracker {
    /// Puts the contacts of a report into the slots where they were before: by tracking id or, without ids, each into
    /// the slot of the nearest contact of the previous report. Other contacts are new or have lifted.
    mutating func assign(_ found: [DeviceState.Slot]) {
        var places = found.allSatisfy({ $0.trackingID != nil }) ? namedPlaces(found) : nearestPlaces(found)
        for index in slots.indices where slots[index].trackingID != nil && !places.contains(index) {
            setContact(index, nil)
        }
        for (number, contact) in found.enumerated() {
            if places[number] == nil {
                guard let free = slots.indices.first(where: { slots[$0].trackingID == nil }) else { continue }
                places[number] = free
                // A second contact of the same id is ignored.
                if let id = contact.trackingID, slots.contains(where: { $0.trackingID == id }) { continue }
                setContact(free, contact.trackingID ?? makeTrackingID())
            }
            guard let index = places[number] else { continue }
            slots[index].update { values in
                let id = values.trackingID
                values = contact
                values.trackingID = id
            }
            if ignoresContacts { slots[index].mute() }
        }
        ignoresContacts = false
    }

    private func namedPlaces(_ found: [DeviceState.Slot]) -> [Int?] {
        found.enumerated().map { number, contact in
            // The first of two with one id wins.
            if found.prefix(number).contains(where: { $0.trackingID == contact.trackingID }) { return nil }
            return slots.firstIndex { $0.trackingID == contact.trackingID }
        }
    }

    /// Pairs the closest contacts first, which is right for hands on a panel. mtdev minimizes the sum of all distances;
    /// the two differ if contacts cross within a report.
    private func nearestPlaces(_ found: [DeviceState.Slot]) -> [Int?] {
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
