// SPDX-License-Identifier: Apache-2.0

/// One contact's part in one report.
public struct Contact: Equatable, Sendable {
    /// Each contact begins once and ends or is cancelled once; between lie any number of moves.
    public enum Phase: Sendable {
        case began
        /// Reported again; the position may be the same (a pen held still whose pressure changes).
        case moved
        /// Lifted. The reading is the last one of the contact while it touched, not a new measurement.
        case ended
        /// It was no wanted contact after all, a palm; what it drew should go.
        case cancelled
    }

    /// The device's number for the contact; 0 for devices that know one only.
    public var slot: Int
    /// The device's name for the contact while it lasts; for devices without one, counted here.
    public var trackingID: Int32
    public var phase: Phase
    public var reading: DeviceReading
    /// For `began`: the contact was down before events were lost and is believed to be the same.
    public var isResumed: Bool

    public init(slot: Int, trackingID: Int32, phase: Phase, reading: DeviceReading, isResumed: Bool = false) {
        self.slot = slot
        self.trackingID = trackingID
        self.phase = phase
        self.reading = reading
        self.isResumed = isResumed
    }
}

/// What changed between two SYN_REPORTs: the contacts that the report spoke of.
public struct TouchFrame: Equatable, Sendable {
    /// The kernel's time of the report's end, in microseconds of the device's clock.
    public var microseconds: Int64
    /// In the order they happened; a slot that changed hands is there twice, the old contact's end first.
    public var contacts: [Contact]
    /// The kernel's buffer overran: contacts that were down end here at the last point known, and what they did until
    /// the next frame is lost.
    public var isAfterDrop: Bool

    public init(microseconds: Int64, contacts: [Contact], isAfterDrop: Bool = false) {
        self.microseconds = microseconds
        self.contacts = contacts
        self.isAfterDrop = isAfterDrop
    }
}
