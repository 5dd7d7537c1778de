// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The changes between two SYN_REPORTs: the contacts that the report mentioned. While a pen is in range there is a
/// frame for each report, even if the pen does not touch, and one when it leaves.
public struct TouchFrame: Equatable, Sendable {
    /// The kernel's time of the end of the report.
    public var time: Timestamp
    /// The contacts in the order of events. If a new contact replaces another in a slot, the end of the old one comes
    /// first.
    public var contacts: [Contact]
    /// The kernel's buffer overran: contacts that were down end here at their last known point, and what they did until
    /// the next frame is lost.
    public var isAfterDrop: Bool
    /// Whether a pen, either end of it, touches or is near enough to be detected.
    public var isPenInRange: Bool
    /// The number of contacts that the device identified as palms before a frame reported them; no frame will.
    public var palmCount: Int
    /// The position of a hovering tip, in a report that contains it.
    public var hover: PenHover?

    public init(
        time: Timestamp, contacts: [Contact], isAfterDrop: Bool = false, isPenInRange: Bool = false,
        palmCount: Int = 0, hover: PenHover? = nil
    ) {
        self.time = time
        self.contacts = contacts
        self.isAfterDrop = isAfterDrop
        self.isPenInRange = isPenInRange
        self.palmCount = palmCount
        self.hover = hover
    }
}

/// A contact in one report.
public struct Contact: Equatable, Sendable {
    /// Each contact begins once and ends once, with any number of moves between.
    public enum Phase: Sendable {
        case began
        /// Began anew: it was down when events were lost and then ended, and is believed to be the same. It may only
        /// continue what it did: if it was ignored, it still is.
        case resumed
        /// Reported again, perhaps at the same position (a still pen whose pressure changes).
        case moved
        /// Lifted. The reading repeats the last one while the contact touched.
        case ended
        /// Counts no more until it lifts, because its device is gone, or because it rests and another contact has come
        /// down. What it drew stays, and it presses nothing. Only ``ContactGate`` retires contacts.
        case retired
        /// Remove what the contact drew: it is a palm, the hand that holds a pen, or has only rested.
        case cancelled
    }

    public enum Tool: Sendable {
        case finger
        case pen
    }

    /// The device's slot; 0 for devices with one contact.
    public var slot: Int
    /// The device's id of the contact while it lasts; counted here for devices without ids.
    public var trackingID: Int32
    public var phase: Phase
    public var reading: DeviceReading
    public var tool: Tool
    /// The larger side in millimetres; nil while the device has not reported it.
    public var size: Double?

    public init(
        slot: Int, trackingID: Int32, phase: Phase, reading: DeviceReading,
        tool: Tool = .finger, size: Double? = nil
    ) {
        self.slot = slot
        self.trackingID = trackingID
        self.phase = phase
        self.reading = reading
        self.tool = tool
        self.size = size
    }
}

/// A contact's measurements in device units, as a capture's record keeps them.
public struct DeviceReading: Equatable, Hashable, Sendable {
    public var x: Int32
    public var y: Int32
    /// nil until the device has sent a pressure.
    public var pressure: Int32?
    /// The device's number in ``ContactGate``, if there are several.
    public var device: Int
    public var tool: ToolIdentity

    public init(
        x: Int32, y: Int32, pressure: Int32? = nil, device: Int = 0, tool: ToolIdentity = ToolIdentity()
    ) {
        self.x = x
        self.y = y
        self.pressure = pressure
        self.device = device
        self.tool = tool
    }
}

/// The tool that a device sees, as it reported it. It decides nothing; records keep it.
public struct ToolIdentity: Equatable, Hashable, Sendable {
    /// BTN_TOOL_* or ABS_MT_TOOL_TYPE. There is no rubber, because that end of a pen does not draw.
    public enum Kind: String, Sendable {
        case pen, brush, pencil, airbrush, finger
    }

    /// nil if the device does not tell it.
    public var kind: Kind?
    /// MSC_SERIAL, a pen's number; nil unless the device has sent it since the pen came near.
    public var serial: UInt32?

    public init(_ kind: Kind? = nil, serial: UInt32? = nil) {
        self.kind = kind
        self.serial = serial
    }
}

/// A pen that is near enough to be detected and does not touch. It never draws.
public struct PenHover: Equatable, Sendable {
    /// Device units, as in ``DeviceReading``.
    public var x, y: Int32
    /// Device units; nil if the device does not measure it.
    public var distance: Int32?
    public var tool: ToolIdentity

    public init(x: Int32, y: Int32, distance: Int32? = nil, tool: ToolIdentity = ToolIdentity()) {
        self.x = x
        self.y = y
        self.distance = distance
        self.tool = tool
    }
}
