// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Touch

extension PointerSample.Kind {
    /// The touch device of this kind, for records: its name says that a browser wrote, and with what. Its bus is
    /// BUS_VIRTUAL of linux/input.h, and its axes are those of ``PointerSample``. A contact without a measured pressure
    /// has none in the record.
    var device: DeviceDescription {
        let axis = AxisInfo(minimum: 0, maximum: 65535)
        var axes = [
            EventCode.mtSlot: AxisInfo(minimum: 0, maximum: Int32(PointerContacts.limit - 1)),
            EventCode.mtTrackingID: axis, EventCode.mtPositionX: axis, EventCode.mtPositionY: axis,
        ]
        if self != .mouse { axes[EventCode.mtPressure] = axis }
        return DeviceDescription(
            name: "browser \(self)", bus: 6, product: UInt16(rawValue), version: UInt16(PanelMessage.version),
            properties: [EventCode.propertyDirect], keys: [EventCode.touch], axes: axes)
    }
}

/// The contacts of one client: its samples become touch frames.
public struct PointerContacts: Sendable {
    /// The greatest number of contacts that are down: ten fingers, a pen, and some that a client has forgotten.
    public static let limit = 16

    private struct Contact {
        var slot: Int
        var trackingID: Int32
        var kind: PointerSample.Kind
        var reading: DeviceReading
    }

    private var contacts: [UInt32: Contact] = [:]
    private var nextTrackingID: Int32 = 0

    public init() {}

    /// - Parameter time: of the frame.
    /// - Returns: nil for a contact that came down before the client connected. It draws when it comes down again.
    public mutating func update(
        with sample: PointerSample, at time: Timestamp
    ) throws(VirtualFault) -> (kind: PointerSample.Kind, frame: TouchFrame)? {
        let before = contacts[sample.contact]
        var contact: Contact
        let phase: Touch.Contact.Phase
        switch (sample.phase, before) {
        case (.down, .some): throw .contactIsDown(sample.contact)
        case (.down, nil):
            contact = try begin(sample)
            phase = .began
        case (_, nil): return nil
        case (.move, let old?):
            let isMeasured = sample.pressure != nil
            guard isMeasured == (old.reading.pressure != nil) else { throw .pressureOfSome(sample.contact) }
            contact = old
            contact.reading = DeviceReading(sample)
            phase = .moved
        case (.up, let old?), (.cancel, let old?):
            // A lifted contact measures nothing.
            contact = old
            phase = sample.phase == .up ? .ended : .cancelled
        }
        contacts[sample.contact] = phase == .began || phase == .moved ? contact : nil
        let isPenInRange = contact.kind == .pen && contacts.values.contains { $0.kind == .pen }
        let frame = TouchFrame(
            time: time,
            contacts: [
                Touch.Contact(
                    slot: contact.slot, trackingID: contact.trackingID, phase: phase, reading: contact.reading,
                    tool: contact.kind == .pen ? .pen : .finger)
            ], isPenInRange: isPenInRange)
        return (contact.kind, frame)
    }

    private mutating func begin(_ sample: PointerSample) throws(VirtualFault) -> Contact {
        let taken = Set(contacts.values.map(\.slot))
        guard let slot = (0..<Self.limit).first(where: { !taken.contains($0) }) else { throw .tooManyContacts }
        defer { nextTrackingID = nextTrackingID == .max ? 0 : nextTrackingID + 1 }
        return Contact(
            slot: slot, trackingID: nextTrackingID, kind: sample.kind, reading: DeviceReading(sample))
    }
}

extension DeviceReading {
    fileprivate init(_ sample: PointerSample) {
        // A browser says of a contact that is no pen only that it is a touch, or that a mouse makes it.
        self.init(
            x: Int32(sample.x), y: Int32(sample.y), pressure: sample.pressure.map { Int32($0) },
            tool: ToolIdentity(sample.kind == .pen ? .pen : nil))
    }
}

/// Translates microseconds of a client's clock to times of ours. The difference of the clocks is unknown. The least of
/// all (arrival - time) comes closest to it: it is the difference plus the shortest way. Times never run backwards and
/// are never later than the arrival.
///
/// A client's clock may fall behind: it runs slow, or stands still while the computer sleeps (w3c/hr-time#115). The
/// difference is then learned anew, so that no ink has a time before its page was shown.
public struct PointerClock: Sendable {
    /// The longest time that a message takes. A message that seems to take longer shows that the clock has fallen
    /// behind.
    static let longestWay = Duration.seconds(2)

    /// Our time when the client's clock was 0, as far as it is known.
    private var origin: Timestamp?
    private var last = Timestamp.distantPast

    public init() {}

    /// Call it for the latest time of a message before translating any of its times.
    /// - Parameters:
    ///   - microseconds: 0...``PointerSample/latest``.
    ///   - sent: when we sent what the message answers: the client has read its clock after that.
    public mutating func learn(_ microseconds: Int64, arrival: Timestamp, answering sent: Timestamp? = nil) {
        let latest = arrival - .microseconds(microseconds)
        let earliest = (sent ?? .distantPast) - .microseconds(microseconds)
        guard let origin, origin >= earliest, latest - origin <= Self.longestWay else {
            origin = latest
            return
        }
        self.origin = min(origin, latest)
    }

    /// - Parameter microseconds: learned before.
    public mutating func time(of microseconds: Int64) -> Timestamp {
        last = max(last, (origin ?? .zero) + .microseconds(microseconds))
        return last
    }
}

/// How many samples clients may send: more than any pointer measures, and no more than the panel can draw.
public struct SampleBudget: Sendable {
    static let perSecond = 4000
    /// Samples that may have gathered while a network or a browser stood still.
    static let burst = 8192

    private var rest = burst
    private var since: Timestamp

    public init(now: Timestamp) { since = now }

    public mutating func spend(_ count: Int, now: Timestamp) throws(VirtualFault) {
        let interval = Duration.seconds(1) / Self.perSecond
        let gained = Int(max(.zero, now - since) / interval)
        since += interval * gained
        rest = min(Self.burst, rest + gained) - count
        if rest < 0 {
            rest = 0
            throw .tooManySamples
        }
    }
}
