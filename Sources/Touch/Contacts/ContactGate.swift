// SPDX-License-Identifier: Apache-2.0

/// Which contacts of several touch devices may draw: no palms, and no fingers while a pen is near. Of those that may it
/// gives all; which one does is for ``ContactOwner`` or a page to say.
///
/// It reads no device and no clock: feed it the frames of all devices as they come. The devices' times are those of one
/// clock.
public struct ContactGate: Sendable {
    /// What a contact did.
    public struct Touch: Equatable, Sendable {
        public var event: TouchEvent
        /// Names the contact as long as it lasts, over all devices; the same when it resumes after lost events.
        public var contact: Int32

        public init(_ event: TouchEvent, contact: Int32) {
            self.event = event
            self.contact = contact
        }
    }

    /// Millimetres: a contact of this size or larger, by its larger side, is a palm. Windows has touchpads call such
    /// contacts unintended (Precision Touchpad, "Confidence"). libinput has no limit of its own: where a touchpad has
    /// one, its quirk says so (AttrPalmSizeThreshold).
    public static let usualPalmLimit = 25.0
    /// Microseconds after a pen has left in which fingers that come down are the hand that leads it away, or sets it
    /// down for the next word. libinput waits 90 ms, for kernels that arbitrate themselves and let go of the hand when
    /// the pen leaves; a hand that comes to rest takes longer, and here its touch would be a line in a signature.
    static let departure: Int64 = 300_000
    /// Microseconds after its last report in which a pen that hovers is still there. A hand cannot hold one so still
    /// that it reports nothing; drivers do forget to say that it has left (libinput waits 50 ms for them), and fingers
    /// must not be silenced for ever.
    static let silence: Int64 = 1_000_000

    private struct Key: Hashable {
        let device: Int
        let slot: Int
    }

    /// A contact that is down, or was when events were lost.
    private struct Known {
        let trackingID: Int32
        /// Nil when it may not draw, until it lifts.
        var name: Int32?
        var tool: Contact.Tool
        var reading: DeviceReading
    }

    private struct Pen {
        var isInRange: Bool
        /// Of its last report in range, or of the one that said that it left.
        var microseconds: Int64
    }

    /// How each device's units become pixels; change it when the picture's rotation changes, not during a stroke.
    public var mappings: [PanelMapping]
    public let palmLimit: Double
    /// Contacts that may not draw: palms from the start, and fingers that came down while a pen was near.
    public private(set) var ignoredCount = 0
    private var known: [Key: Known] = [:]
    /// Whether anything is down on any device.
    public var isTouched: Bool { !known.isEmpty }
    /// Those that may come back after lost events.
    private var lost: [Key: Known] = [:]
    /// By device, those that have spoken of a pen.
    private var pens: [Int: Pen] = [:]
    private var nextName: Int32 = 0

    /// - Parameters:
    ///   - mappings: of the devices, which are numbered in this order from 0.
    ///   - palmLimit: in millimetres: contacts of this size or larger are palms; infinity for none.
    public init(mappings: [PanelMapping], palmLimit: Double = usualPalmLimit) {
        self.mappings = mappings
        self.palmLimit = palmLimit
    }

    /// - Returns: what the contacts that may draw did, in order; also of other devices, whose fingers end when a pen
    ///   comes near.
    public mutating func update(with frame: TouchFrame, of device: Int) -> [Touch] {
        precondition(mappings.indices.contains(device), "a device without a mapping")
        ignoredCount += frame.palmCount
        if frame.isAfterDrop || frame.contacts.contains(where: \.isResumed) {
            for (key, contact) in known where key.device == device { lost[key] = contact }
        }
        var touches: [Touch] = []
        follow(frame, device, &touches)
        // What is known first: a contact may lift in the frame in which the next comes down in a lower slot.
        let isKnown = frame.contacts.map { known[Key(device: device, slot: $0.slot)]?.trackingID == $0.trackingID }
        for isTaken in [true, false] {
            for (contact, isKnown) in zip(frame.contacts, isKnown) where isKnown == isTaken {
                take(contact, frame, device, &touches)
            }
        }
        return touches
    }

    /// Ends what a device's contacts do, which keeps what they drew, and forgets its pen: it is gone, or fails.
    public mutating func remove(_ device: Int, at microseconds: Int64) -> [Touch] {
        let ended = known.filter { $0.key.device == device }.sorted { $0.key.slot < $1.key.slot }
        var touches: [Touch] = []
        for (key, contact) in ended {
            known[key] = nil
            guard let name = contact.name else { continue }
            touches.append(Touch(.up(mappings[device].sample(contact.reading, at: microseconds)), contact: name))
        }
        lost = lost.filter { $0.key.device != device }
        pens[device] = nil
        return touches
    }

    // MARK: Pens

    /// Takes note of a device's pen. One that is near is held by a hand, and what fingers have drawn is that hand's.
    private mutating func follow(_ frame: TouchFrame, _ device: Int, _ touches: inout [Touch]) {
        if !frame.isPenInRange {
            if pens[device]?.isInRange == true {
                pens[device] = Pen(isInRange: false, microseconds: frame.microseconds)
            }
            return
        }
        pens[device] = Pen(isInRange: true, microseconds: frame.microseconds)
        // On one device a finger may turn out to be the pen that is near.
        let turned = Set(frame.contacts.filter { $0.tool == .pen }.map { Key(device: device, slot: $0.slot) })
        let hand = known.filter { $0.value.tool == .finger && $0.value.name != nil && !turned.contains($0.key) }
        for (key, contact) in hand.sorted(by: { ($0.key.device, $0.key.slot) < ($1.key.device, $1.key.slot) }) {
            cancel(key, contact, at: frame.microseconds, &touches)
        }
        for (key, contact) in lost where contact.tool == .finger { lost[key]?.name = nil }
    }

    private func isPenNear(at microseconds: Int64) -> Bool {
        pens.contains { device, pen in
            // Devices are read one after the other, and what has come meanwhile the next time: a report of another may be
            // from a little before.
            let distance = (microseconds &- pen.microseconds).magnitude
            guard pen.isInRange else { return distance < Self.departure.magnitude }
            return distance < Self.silence.magnitude
                || known.contains { $0.key.device == device && $0.value.tool == .pen && $0.value.name != nil }
        }
    }

    // MARK: Contacts

    private mutating func take(_ contact: Contact, _ frame: TouchFrame, _ device: Int, _ touches: inout [Touch]) {
        let key = Key(device: device, slot: contact.slot)
        if contact.phase == .began {
            begin(contact, key, at: frame.microseconds, &touches)
            return
        }
        guard var old = known[key], old.trackingID == contact.trackingID else { return }
        old.reading = reading(contact, device)
        old.tool = contact.tool
        known[key] = old
        switch contact.phase {
        case .began: break
        case .moved:
            if isPalm(contact) {
                cancel(key, old, at: frame.microseconds, &touches)
            } else if let name = old.name {
                touches.append(Touch(.motion(sample(old, key, at: frame.microseconds)), contact: name))
            }
        case .ended:
            known[key] = nil
            guard let name = old.name else { return }
            touches.append(Touch(.up(sample(old, key, at: frame.microseconds)), contact: name))
        case .cancelled:
            cancel(key, old, at: frame.microseconds, &touches)
            known[key] = nil
        }
    }

    private mutating func begin(
        _ contact: Contact, _ key: Key, at microseconds: Int64, _ touches: inout [Touch]
    ) {
        if let old = known[key] {
            if old.trackingID == contact.trackingID { return }
            // Its end was not told, which `SlotTracker` does not do; nobody may own a page for ever.
            if let name = old.name { touches.append(Touch(.up(sample(old, key, at: microseconds)), contact: name)) }
        }
        let before = lost.removeValue(forKey: key)
        var new = Known(
            trackingID: contact.trackingID, name: nil, tool: contact.tool, reading: reading(contact, key.device))
        defer { known[key] = new }
        let isHand = isPalm(contact) || contact.tool == .finger && isPenNear(at: microseconds)
        if contact.isResumed {
            guard let before, before.trackingID == contact.trackingID, let name = before.name, !isHand else { return }
            new.name = name
            touches.append(Touch(.resume(sample(new, key, at: microseconds)), contact: name))
        } else if isHand {
            ignoredCount += 1
        } else {
            let name = takeName()
            new.name = name
            touches.append(Touch(.down(sample(new, key, at: microseconds)), contact: name))
        }
    }

    /// Takes back what a contact drew; it draws no more until it lifts.
    private mutating func cancel(_ key: Key, _ contact: Known, at microseconds: Int64, _ touches: inout [Touch]) {
        guard let name = contact.name else { return }
        known[key]?.name = nil
        touches.append(Touch(.cancel(sample(contact, key, at: microseconds)), contact: name))
    }

    /// What the device knows for a pen is none, however large.
    private func isPalm(_ contact: Contact) -> Bool {
        contact.tool == .finger && (contact.size.map { $0 >= palmLimit } ?? false)
    }

    private func reading(_ contact: Contact, _ device: Int) -> DeviceReading {
        var reading = contact.reading
        reading.device = device
        return reading
    }

    private func sample(_ contact: Known, _ key: Key, at microseconds: Int64) -> TouchSample {
        mappings[key.device].sample(contact.reading, at: microseconds)
    }

    private mutating func takeName() -> Int32 {
        // After two thousand million contacts names begin anew; a contact that lasts that long keeps its own.
        repeat {
            nextName = nextName == .max ? 0 : nextName + 1
        } while known.contains { $0.value.name == nextName }
        return nextName
    }
}
