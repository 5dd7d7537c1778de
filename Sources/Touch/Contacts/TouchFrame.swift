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

    /// What touches.
    public enum Tool: Sendable {
        case finger
        case pen
    }

    /// The device's number for the contact; 0 for devices that know one only.
    public var slot: Int
    /// The device's name for the contact while it lasts; for devices without one, counted here.
    public var trackingID: Int32
    public var phase: Phase
    public var reading: DeviceReading
    /// For `began`: the contact was down before events were lost and is believed to be the same.
    public var isResumed: Bool
    public var tool: Tool
    /// The larger side in millimetres; nil where the device does not tell, or has not yet.
    public var size: Double?

    public init(
        slot: Int, trackingID: Int32, phase: Phase, reading: DeviceReading, isResumed: Bool = false,
        tool: Tool = .finger, size: Double? = nil
    ) {
        self.slot = slot
        self.trackingID = trackingID
        self.phase = phase
        self.reading = reading
        self.isResumed = isResumed
        self.tool = tool
        self.size = size
    }
}

/// Where a pen is that is near enough to be felt and does not touch. Hovering never inks.
public struct PenHover: Equatable, Sendable {
    /// Device units, those of a contact's ``DeviceReading``.
    public var x, y: Int32
    /// Device units; nil where the device does not tell.
    public var distance: Int32?

    public init(x: Int32, y: Int32, distance: Int32? = nil) {
        self.x = x
        self.y = y
        self.distance = distance
    }
}

/// What changed between two SYN_REPORTs: the contacts that the report spoke of. There is one for each report while a
/// pen is in range, also when that touches nothing, and one that says that it no longer is.
public struct TouchFrame: Equatable, Sendable {
    /// The kernel's time of the report's end, in microseconds of the device's clock.
    public var microseconds: Int64
    /// In the order they happened; a slot that changed hands is there twice, the old contact's end first.
    public var contacts: [Contact]
    /// The kernel's buffer overran: contacts that were down end here at the last point known, and what they did until
    /// the next frame is lost.
    public var isAfterDrop: Bool
    /// Whether a pen, either end of it, touches the device or is near enough to be felt.
    public var isPenInRange: Bool
    /// Contacts that the device found to be palms before a frame had told of them; none will.
    public var palmCount: Int
    /// Where a pen hovers: its tip, in a report that speaks of it.
    public var hover: PenHover?

    public init(
        microseconds: Int64, contacts: [Contact], isAfterDrop: Bool = false, isPenInRange: Bool = false,
        palmCount: Int = 0, hover: PenHover? = nil
    ) {
        self.microseconds = microseconds
        self.contacts = contacts
        self.isAfterDrop = isAfterDrop
        self.isPenInRange = isPenInRange
        self.palmCount = palmCount
        self.hover = hover
    }
}
