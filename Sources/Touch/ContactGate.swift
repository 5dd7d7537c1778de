// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Decides which contacts of several touch devices may draw: no palms, and no fingers while a pen is near. It passes on
/// all contacts that may; the page chooses the one that does.
///
/// A contact that rests is retired when another comes down: one that is stuck must not own the page for ever. Nor must
/// a ghost, which a broken panel or power supply makes: contacts that come and go in one place without moving. They may
/// not draw before they move away.
///
/// It reads no device and no clock. Feed it the frames of all devices as they come, with times of one clock.
public struct ContactGate: Sendable {
    /// The default of `palmLimit`, in millimetres. Windows requires touchpads to call such contacts unintended
    /// (Precision Touchpad, "Confidence"). libinput has no general limit, only quirks of devices
    /// (AttrPalmSizeThreshold).
    public static let usualPalmLimit = 25.0
    /// The time after a pen has left in which a new finger counts as the hand that holds it. The hand may move the
    /// pen away, or rest between words. libinput waits 90 ms, because some kernels release the hand when the pen
    /// leaves. A hand that comes to rest takes longer, and its touch would be a line in a signature.
    static let departure = Duration.milliseconds(300)
    /// The time after its last report in which a hovering pen still counts as near. A hand always moves it a little.
    /// Some drivers never report that a pen has left (libinput waits 50 ms for them); without this limit fingers would
    /// stay disabled.
    static let silence = Duration.seconds(1)

    /// The time in one place after which a contact rests: it is stuck, a hand that lies there, or a pen that was put
    /// down. It loses the page to the next contact, and its reports count as noise. Pens rest later, because until
    /// then the hand that holds them must not draw.
    static func restTime(of tool: Contact.Tool) -> Duration { tool == .pen ? .seconds(5) : .seconds(2) }
    /// The size of a place, as a share of the shorter side of the picture: 1.5 mm on a panel of 7 inches, some times
    /// the noise of a resistive one.
    static let restShare = 1.0 / 60

    /// The longest time between two contacts of a ghost. A finger that taps twice stays away for longer.
    static let flicker = Duration.milliseconds(50)
    /// The time in one place after which a contact that flickers is a ghost. A contact that bounces at the start of a
    /// stroke stays for less.
    static let ghostTime = Duration.milliseconds(300)
    /// The time after which a ghost that does not come back is forgotten.
    static let ghostMemory = Duration.seconds(1)

    /// A place at which a contact has lifted that had not moved.
    private struct Quiet {
        let device: Int
        let place: Point
        /// When the first contact came down there.
        let since: Timestamp
        /// When the last one lifted.
        let end: Timestamp
        let isGhost: Bool

        /// Whether a contact at a time and near the place comes from the same cause.
        func explains(_ time: Timestamp) -> Bool {
            let gap = time - end
            return gap >= .zero && gap <= (isGhost ? ContactGate.ghostMemory : ContactGate.flicker)
        }
    }

    /// How long a contact or a pen has been in one place.
    private struct Rest {
        private(set) var place: Point?
        private(set) var since: Timestamp
        private(set) var hasMoved = false

        init(at place: Point?, from time: Timestamp) {
            self.place = place
            since = time
        }

        mutating func move(to next: Point, at time: Timestamp, size: Double) {
            if let place {
                guard place.distance(to: next) > size else { return }
                hasMoved = true
            }
            place = next
            since = time
        }

        /// When it begins to rest.
        func start(_ tool: Contact.Tool) -> Timestamp { since + ContactGate.restTime(of: tool) }

        func isOver(_ tool: Contact.Tool, at time: Timestamp) -> Bool {
            // Times may run backwards.
            time - since >= ContactGate.restTime(of: tool)
        }
    }

    private struct Key: Hashable {
        let device: Int
        let slot: Int
    }

    /// A contact that is down, or was when events were lost.
    private struct State {
        let trackingID: Int32
        /// nil if it may not draw until it lifts.
        var number: Int32?
        var tool: Contact.Tool
        var reading: DeviceReading
        var rest: Rest
        /// It may not draw before it moves away.
        var isGhost = false
        /// It came down beside a ghost.
        var mayTakeOver = false
    }

    private struct Pen {
        var isInRange: Bool
        /// The time of its last report in range, or of the report that it left.
        var time: Timestamp
        var rest: Rest
    }

    /// Maps each device's units to pixels. Change it when the picture's rotation changes, not during a stroke.
    public var mappings: [PanelMapping]
    public let palmLimit: Double
    /// The number of contacts that could not draw: palms from the start, and fingers that came down while a pen was
    /// near.
    public private(set) var ignoredCount = 0
    private var contacts: [Key: State] = [:]
    /// The places where contacts have lifted just now without having moved.
    private var quiet: [Quiet] = []
    /// Contacts that may resume after lost events.
    private var lost: [Key: State] = [:]
    /// The pens of devices that have reported one.
    private var pens: [Int: Pen] = [:]
    private var lastNumber: Int32 = 0

    /// - Parameters:
    ///   - mappings: one for each device. Devices are numbered in this order from 0.
    ///   - palmLimit: in millimetres: contacts of this size or larger are palms; infinity disables this.
    public init(mappings: [PanelMapping], palmLimit: Double = usualPalmLimit) {
        self.mappings = mappings
        self.palmLimit = palmLimit
    }

    /// When the last contact that is down begins to rest, unless it moves; nil if none is down. Until then somebody
    /// evidently uses a device.
    public var touchEnd: Timestamp? { contacts.values.map { $0.rest.start($0.tool) }.max() }

    /// - Returns: the events of contacts that may draw, in order; also of other devices, whose fingers are cancelled
    ///   when a pen comes near.
    public mutating func update(with frame: TouchFrame, of device: Int) -> [TouchEvent] {
        precondition(mappings.indices.contains(device), "a device without a mapping")
        ignoredCount += frame.palmCount
        if frame.isAfterDrop || frame.contacts.contains(where: { $0.phase == .resumed }) {
            for (key, contact) in contacts where key.device == device { lost[key] = contact }
        }
        var touches: [TouchEvent] = []
        updatePen(frame, device, &touches)
        // Existing contacts first: one may lift in the frame in which the next comes down in a lower slot.
        let isKnown = frame.contacts.map { contacts[Key(device: device, slot: $0.slot)]?.trackingID == $0.trackingID }
        for isTurn in [true, false] {
            for (contact, isKnown) in zip(frame.contacts, isKnown) where isKnown == isTurn {
                apply(contact, Key(device: device, slot: contact.slot), at: frame.time, &touches)
            }
        }
        return touches
    }

    /// Retires a device's contacts, and forgets its pen: the device is gone or fails.
    public mutating func remove(_ device: Int, at time: Timestamp) -> [TouchEvent] {
        let ended = contacts.filter { $0.key.device == device }.sorted { $0.key.slot < $1.key.slot }
        var touches: [TouchEvent] = []
        for (key, contact) in ended {
            contacts[key] = nil
            guard let number = contact.number else { continue }
            touches.append(event(.retired, contact, number, key, at: time))
        }
        lost = lost.filter { $0.key.device != device }
        quiet.removeAll { $0.device == device }
        pens[device] = nil
        return touches
    }

    // MARK: Pens

    /// Notes a device's pen. A pen that is near is held by a hand, so what fingers have drawn came from that hand.
    private mutating func updatePen(_ frame: TouchFrame, _ device: Int, _ touches: inout [TouchEvent]) {
        if !frame.isPenInRange {
            if pens[device]?.isInRange == true {
                pens[device]?.isInRange = false
                pens[device]?.time = frame.time
            }
            return
        }
        note(penIn: frame, device)
        // A pen that lies on the screen is in no hand.
        if pens[device]?.rest.isOver(.pen, at: frame.time) == true { return }
        // A finger may turn out to be this pen.
        let turned = Set(frame.contacts.filter { $0.tool == .pen }.map { Key(device: device, slot: $0.slot) })
        let hand = contacts.filter { $0.value.tool == .finger && $0.value.number != nil && !turned.contains($0.key) }
        for (key, contact) in hand.sorted(by: { ($0.key.device, $0.key.slot) < ($1.key.device, $1.key.slot) }) {
            cancel(key, contact, at: frame.time, &touches)
        }
        for (key, contact) in lost where contact.tool == .finger { lost[key]?.number = nil }
    }

    private mutating func note(penIn frame: TouchFrame, _ device: Int) {
        let contact = frame.contacts.first { $0.tool == .pen }?.reading
        let reading = contact ?? frame.hover.map { DeviceReading(x: $0.x, y: $0.y) }
        let place = reading.map { mappings[device].position(of: $0) }
        var pen = Pen(
            isInRange: true, time: frame.time, rest: Rest(at: place, from: frame.time))
        if let before = pens[device], before.isInRange {
            pen.rest = before.rest
            if let place { pen.rest.move(to: place, at: frame.time, size: restSize(device)) }
        }
        pens[device] = pen
    }

    private func isPenNear(at time: Timestamp) -> Bool {
        pens.contains { device, pen in
            // Devices are read one after the other, so a report of another device may be slightly older.
            let distance = (time - pen.time).magnitude
            guard pen.isInRange else { return distance < Self.departure }
            if pen.rest.isOver(.pen, at: time) { return false }
            return distance < Self.silence
                || contacts.contains { $0.key.device == device && $0.value.tool == .pen && $0.value.number != nil }
        }
    }

    // MARK: Contacts

    private mutating func apply(_ contact: Contact, _ key: Key, at time: Timestamp, _ touches: inout [TouchEvent]) {
        if [.began, .resumed].contains(contact.phase) {
            begin(contact, key, at: time, &touches)
            return
        }
        guard var state = contacts[key], state.trackingID == contact.trackingID else { return }
        state.reading = reading(contact, key.device)
        state.tool = contact.tool
        state.rest.move(to: place(state.reading), at: time, size: restSize(key.device))
        contacts[key] = state
        switch contact.phase {
        case .began, .resumed, .retired: break
        case .moved:
            if isPalm(contact) {
                contacts[key]?.isGhost = false
                cancel(key, state, at: time, &touches)
            } else if let number = state.number {
                touches.append(event(.moved, state, number, key, at: time))
            } else if state.isGhost, state.rest.hasMoved {
                // A stroke that begins where a ghost is.
                state.isGhost = false
                contacts[key] = state
                if state.tool == .finger, isPenNear(at: time) { return }
                retireResting(at: time, &touches)
                let number = makeNumber()
                contacts[key]?.number = number
                touches.append(event(.began, state, number, key, at: time))
            }
        case .ended:
            contacts[key] = nil
            noteQuiet(state, key.device, at: time)
            guard let number = state.number else { return }
            touches.append(event(.ended, state, number, key, at: time))
        case .cancelled:
            cancel(key, state, at: time, &touches)
            contacts[key] = nil
        }
    }

    private mutating func begin(
        _ contact: Contact, _ key: Key, at time: Timestamp, _ touches: inout [TouchEvent]
    ) {
        if let old = contacts[key] {
            if old.trackingID == contact.trackingID { return }
            // Its end is missing, which `SlotTracker` prevents. It must not own a page for ever.
            if let number = old.number {
                touches.append(event(.ended, old, number, key, at: time))
            }
        }
        let before = lost.removeValue(forKey: key)
        let reading = reading(contact, key.device)
        var new = State(
            trackingID: contact.trackingID, number: nil, tool: contact.tool, reading: reading,
            rest: Rest(at: place(reading), from: time))
        defer { contacts[key] = new }
        let isHand = isPalm(contact) || contact.tool == .finger && isPenNear(at: time)
        if contact.phase == .resumed {
            guard let before, before.trackingID == contact.trackingID, let number = before.number, !isHand else {
                return
            }
            new.number = number
            touches.append(event(.resumed, new, number, key, at: time))
        } else if isHand {
            ignoredCount += 1
        } else if let before = ghost(at: place(reading), contact.tool, key.device, time) {
            ignoredCount += 1
            new.rest = Rest(at: before.place, from: before.since)
            new.isGhost = true
            // Once: a palm beside a ghost that goes on must not own the page.
            if !before.isGhost { for other in contacts.keys { contacts[other]?.mayTakeOver = true } }
        } else {
            retireResting(at: time, &touches)
            let number = makeNumber()
            new.number = number
            touches.append(event(.began, new, number, key, at: time))
        }
    }

    /// Remembers where a contact has lifted, unless it has moved.
    private mutating func noteQuiet(_ contact: State, _ device: Int, at time: Timestamp) {
        guard contact.tool == .finger, !contact.rest.hasMoved, let place = contact.rest.place else { return }
        // Those of a device are few: each is where a finger has just been.
        let size = restSize(device)
        quiet.removeAll { !$0.explains(time) || $0.device == device && $0.place.distance(to: place) <= size }
        quiet.append(
            Quiet(device: device, place: place, since: contact.rest.since, end: time, isGhost: contact.isGhost))
    }

    /// The earlier contact in the place of one that comes down, if both are a ghost.
    private func ghost(at place: Point, _ tool: Contact.Tool, _ device: Int, _ time: Timestamp) -> Quiet? {
        guard tool == .finger else { return nil }
        return quiet.last {
            $0.device == device && isNear($0.place, place, device) && $0.explains(time)
                && ($0.isGhost || time - $0.since >= Self.ghostTime)
        }
    }

    private func isNear(_ a: Point, _ b: Point, _ device: Int) -> Bool { a.distance(to: b) <= restSize(device) }

    /// Retires the contacts that rest, because another comes down. The mark of one that has never moved is not writing.
    private mutating func retireResting(at time: Timestamp, _ touches: inout [TouchEvent]) {
        let resting = contacts.filter {
            $0.value.number != nil && $0.value.rest.isOver($0.value.tool, at: time)
        }
        for (key, contact) in resting.sorted(by: { ($0.key.device, $0.key.slot) < ($1.key.device, $1.key.slot) }) {
            guard contact.rest.hasMoved, let number = contact.number else {
                cancel(key, contact, at: time, &touches)
                continue
            }
            contacts[key]?.number = nil
            touches.append(event(.retired, contact, number, key, at: time))
        }
    }

    /// Removes what a contact drew. It draws no more until it lifts.
    private mutating func cancel(_ key: Key, _ contact: State, at time: Timestamp, _ touches: inout [TouchEvent]) {
        guard let number = contact.number else { return }
        contacts[key]?.number = nil
        touches.append(event(.cancelled, contact, number, key, at: time))
    }

    /// A contact that the device reports as a pen is never a palm.
    private func isPalm(_ contact: Contact) -> Bool {
        contact.tool == .finger && (contact.size.map { $0 >= palmLimit } ?? false)
    }

    private func reading(_ contact: Contact, _ device: Int) -> DeviceReading {
        var reading = contact.reading
        reading.device = device
        return reading
    }

    private func place(_ reading: DeviceReading) -> Point { mappings[reading.device].position(of: reading) }

    private func restSize(_ device: Int) -> Double {
        let picture = mappings[device].map.picture
        return Double(min(picture.width, picture.height)) * Self.restShare
    }

    private func event(
        _ phase: Contact.Phase, _ contact: State, _ number: Int32, _ key: Key, at time: Timestamp
    ) -> TouchEvent {
        let mapping = mappings[key.device]
        return TouchEvent(
            phase, contact: number, sample: mapping.sample(contact.reading, at: time),
            reading: mapping.measured(contact.reading),
            isResting: contact.rest.isOver(contact.tool, at: time), mayTakeOver: contact.mayTakeOver)
    }

    private mutating func makeNumber() -> Int32 {
        // Numbers repeat after two billion contacts, except that of a contact that is still down.
        repeat {
            lastNumber = lastNumber == .max ? 0 : lastNumber + 1
        } while contacts.contains { $0.value.number == lastNumber }
        return lastNumber
    }
}
