// SPDX-License-Identifier: Apache-2.0

/// One contact as multitouch protocol A says it: all of it in each report, between two SYN_MT_REPORTs.
struct AnonymousContact: Sendable {
    /// Few devices of this protocol name their contacts.
    var trackingID: Int32?
    /// The device says that it is none (a tracking id of -1).
    var isGone = false
    var x: Int32?
    var y: Int32?
    var pressure: Int32?
    var distance: Int32 = 0
    var toolType: Int32 = 0
    var major: Int32?
    var minor: Int32?

    fileprivate var isPlaced: Bool { x != nil && y != nil && !isGone }
}

/// A report of multitouch protocol A while it comes in (multi-touch-protocol.rst, "Protocol Example A"). Each report
/// tells of all contacts there are; one without any says that all have lifted.
struct AnonymousReport: Sendable {
    /// Further contacts are nobody's: ten fingers are all that one person has.
    static let contactLimit = 10

    private var contacts: [AnonymousContact] = []
    private var current = AnonymousContact()
    private var isAboutContacts = false

    /// Takes the value of an axis, ABS_MT_*.
    mutating func take(_ code: UInt16, _ value: Int32, _ size: ContactSize?) {
        isAboutContacts = true
        switch code {
        case EventCode.mtPositionX: current.x = value
        case EventCode.mtPositionY: current.y = value
        case EventCode.mtTrackingID:
            current.trackingID = value < 0 ? nil : value
            current.isGone = value < 0
        case EventCode.mtPressure: current.pressure = value
        case EventCode.mtDistance: current.distance = value
        case EventCode.mtToolType: current.toolType = value
        case size?.majorCode: current.major = value
        case size?.minorCode: current.minor = value
        default: break
        }
    }

    /// SYN_MT_REPORT: the contact is complete, or there is none.
    mutating func endContact() {
        isAboutContacts = true
        if current.isPlaced, contacts.count < Self.contactLimit { contacts.append(current) }
        current = AnonymousContact()
    }

    /// BTN_TOUCH is 0. Some drivers say nothing else when the last contact lifts.
    mutating func release() {
        isAboutContacts = true
        contacts.removeAll(keepingCapacity: true)
        current = AnonymousContact()
    }

    /// SYN_REPORT.
    /// - Returns: all contacts there are; nil when the report was about something else.
    mutating func end() -> [AnonymousContact]? {
        // Drivers that know one contact leave its SYN_MT_REPORT out.
        if current.isPlaced { endContact() }
        defer { clear() }
        return isAboutContacts ? contacts : nil
    }

    mutating func clear() {
        contacts.removeAll(keepingCapacity: true)
        current = AnonymousContact()
        isAboutContacts = false
    }
}
