// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pad
import Touch

/// Checks the path from events to touches. For any events of devices, contacts begin and end once, positions are on the
/// picture, and a pad that receives the touches does not trap.
struct EventChecks {
    private struct Key: Hashable {
        let device: Int
        let slot: Int
        let id: Int32
    }

    private static let panel = PixelSize(width: 800, height: 480)

    /// Contacts that are down according to frames.
    private var down: Set<Key> = []
    /// The IDs of contacts that may draw, and of those that passed the noise filter.
    private var drawing: Set<Int32> = []
    private var shown: Set<Int32> = []
    private var gate: ContactGate
    private var noise: NoiseFilter
    private var sheet = PageContacts()

    private init(_ mappings: [PanelMapping], isNoisy: Bool) {
        gate = ContactGate(mappings: mappings)
        let filters = isNoisy ? ["debounce", "evthres", "skip:1,2", "median", "dejitter"] : []
        noise = NoiseFilter(NoiseSettings(filters) ?? NoiseSettings(), density: .standard)
    }

    /// - Parameter kind: modulo 3, a device with several contacts, with one, or a pen. 128 and above have no slots
    ///   (protocol A). One bit each says whether the resolution is known and whether noise is filtered.
    private static func device(_ kind: UInt8) -> DeviceDescription {
        let axis = AxisInfo(minimum: 0, maximum: 4095, resolution: kind & 64 == 0 ? 0 : 20)
        var device = DeviceDescription(name: "fuzzed", properties: [EventCode.propertyDirect])
        device.keys = [EventCode.touch]
        device.axes = [EventCode.absX: axis, EventCode.absY: axis]
        switch kind % 3 {
        case 0:
            for code in [
                EventCode.mtPositionX, EventCode.mtPositionY, EventCode.mtTouchMajor, EventCode.mtPressure,
                EventCode.mtDistance,
            ] { device.axes[code] = axis }
            if kind < 128 { device.axes[EventCode.mtSlot] = AxisInfo(minimum: 0, maximum: Int32(kind / 3 % 12)) }
            device.axes[EventCode.mtTrackingID] = AxisInfo(minimum: 0, maximum: 65_535)
        case 1: device.axes[EventCode.absPressure] = axis
        default:
            device.keys = [EventCode.touch, EventCode.toolPen, EventCode.stylus]
            device.axes[EventCode.absPressure] = axis
            device.axes[EventCode.absDistance] = axis
        }
        return device
    }

    static func check(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        guard let kind = bytes.first else { return false }
        let devices = [device(kind), device(2)]
        var trackers = devices.compactMap { SlotTracker($0) }
        let mappings = devices.compactMap { PanelMapping($0, panel: panel, rotation: .clockwise90) }
        try require(trackers.count == 2 && mappings.count == 2, "a device of the test is unusable")
        var checks = EventChecks(mappings, isNoisy: kind & 32 != 0)
        var stream = EventStream(bytes.dropFirst())
        var isTaken = false
        while let step = stream.next() {
            let (frame, device): (TouchFrame?, Int)
            switch step {
            case .event(let event, let number): (frame, device) = (trackers[number].update(with: event), number)
            case .resynchronise(let state, let number, let isIgnoring):
                device = number
                frame = trackers[number].resynchronise(
                    to: state, at: Timestamp(microseconds: 5), ignoringContactsDown: isIgnoring)
            case .replugged(let number):
                device = number
                if let last = trackers[number].endAll(at: Timestamp(microseconds: 7)) {
                    try checks.take(last, of: number)
                }
                try checks.follow(checks.gate.remove(number, at: Timestamp(microseconds: 7)))
                trackers[number] = SlotTracker(devices[number])!
                continue
            }
            guard let frame else { continue }
            isTaken = true
            try checks.take(frame, of: device)
        }
        for number in trackers.indices {
            if let last = trackers[number].endAll(at: Timestamp(microseconds: 0)) { try checks.take(last, of: number) }
        }
        try checks.requireNobody()
        try require(!checks.sheet.isOwned, "somebody draws after the end")
        return isTaken
    }

    static func checkRecording(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let recording: Recording
        do throws(RecordingError) { recording = try Recording(bytes: bytes, name: "fuzzed") } catch {
            try require(!error.description.isEmpty, "an error without words")
            return false
        }
        try require(!recording.events.isEmpty, "a recording without events")
        guard let mapping = PanelMapping(recording.device, panel: panel) else { return true }
        var checks = EventChecks([mapping], isNoisy: recording.device.product & 1 == 1)
        for frame in recording.frames() { try checks.take(frame, of: 0) }
        try checks.requireNobody()
        return true
    }

    private func requireNobody() throws(CheckedInput.Fault) {
        try require(down.isEmpty && drawing.isEmpty && shown.isEmpty, "a contact is down after the end")
    }

    private mutating func take(_ frame: TouchFrame, of device: Int) throws(CheckedInput.Fault) {
        for contact in frame.contacts {
            let key = Key(device: device, slot: contact.slot, id: contact.trackingID)
            switch contact.phase {
            case .began, .resumed: try require(down.insert(key).inserted, "\(key) began twice")
            case .moved: try require(down.contains(key), "\(key) moved before it began")
            case .ended, .retired, .cancelled: try require(down.remove(key) != nil, "\(key) ended twice")
            }
        }
        let here = down.filter { $0.device == device }
        try require(!frame.isAfterDrop || here.isEmpty, "down after a drop")
        try require(Set(here.map(\.slot)).count == here.count, "two contacts in a slot")
        try require(frame.hover == nil || frame.isPenInRange, "a pen hovers out of range")
        try follow(gate.update(with: frame, of: device))
    }

    private mutating func follow(_ touches: [TouchEvent]) throws(CheckedInput.Fault) {
        let picture = gate.mappings[0].map.picture
        try Self.check(touches, &drawing, on: picture)
        let filtered = noise.update(with: touches)
        try Self.check(filtered, &shown, on: picture)
        try require(shown.isSubset(of: drawing), "a contact is told of that has lifted")
        _ = sheet.strokes(of: filtered)
    }

    /// - Parameter open: contacts that have begun but not ended.
    private static func check(
        _ touches: [TouchEvent], _ open: inout Set<Int32>, on picture: PixelSize
    ) throws(CheckedInput.Fault) {
        for touch in touches {
            let (contact, place) = (touch.contact, touch.sample.position)
            try require(
                place.x >= 0 && place.y >= 0 && place.x < Double(picture.width) && place.y < Double(picture.height),
                "a touch at \(place)")
            switch touch.phase {
            case .began, .resumed: try require(open.insert(contact).inserted, "two contacts of one name")
            case .moved: try require(open.contains(contact), "a motion of nobody")
            case .ended, .retired, .cancelled: try require(open.remove(contact) != nil, "the end of nobody")
            }
        }
    }
}
