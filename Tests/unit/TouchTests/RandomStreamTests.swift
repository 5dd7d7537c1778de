// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Pad
import TestSupport
import Testing
import Touch

@Suite("Random streams of events")
struct RandomStreamTests {
    private struct Key: Hashable {
        let slot: Int
        let id: Int32
    }

    private static let kinds: [TouchKind] = [
        .multitouch(slots: 4), .singleTouch, .pen(isDirect: true), .anonymousMultitouch,
    ]

    private static let codes: [UInt16] = [
        EventCode.mtSlot, EventCode.mtTrackingID, EventCode.mtPositionX, EventCode.mtPositionY, EventCode.mtToolType,
        EventCode.mtDistance, EventCode.mtTouchMajor, EventCode.mtWidthMajor, EventCode.mtPressure, EventCode.absX,
        EventCode.absY, EventCode.absPressure, 0x19, 0x3f,
    ]

    /// Mostly plausible events, sometimes impossible ones.
    private func event(_ random: inout SeededGenerator, _ time: inout Timestamp) -> InputEvent {
        time += .microseconds(Int.random(in: -500...8000, using: &random))
        var event = InputEvent(time: time, type: EventCode.typeAbs, code: 0, value: 0)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<22: event.type = EventCode.typeSyn
        case 22..<30:
            event.type = EventCode.typeSyn
            event.code = EventCode.synMTReport
        case 30..<32:
            event.type = EventCode.typeSyn
            event.code = EventCode.synDropped
        case 32..<44:
            event.type = EventCode.typeKey
            event.code = [EventCode.touch, EventCode.toolPen, EventCode.toolRubber].randomElement(using: &random)!
            event.value = .random(in: 0...1, using: &random)
        case 44..<97:
            event.code = Self.codes.randomElement(using: &random)!
            event.value =
                switch event.code {
                case EventCode.mtSlot: .random(in: -1...4, using: &random)
                case EventCode.mtTrackingID: .random(in: -1...6, using: &random)
                case EventCode.mtToolType: [0, 0, 0, 0, 0, 0, 1, 2].randomElement(using: &random)!
                case EventCode.mtDistance: Int.random(in: 0..<8, using: &random) == 0 ? 2 : 0
                default: .random(in: -5...2000, using: &random)
                }
        default:
            event.type = .random(in: 0...0x20, using: &random)
            event.code = .random(in: .min ... .max, using: &random)
            event.value = .random(in: .min ... .max, using: &random)
            event.time = Timestamp(microseconds: .random(in: .min ... .max, using: &random))
        }
        return event
    }

    @Test(
        "contacts begin and end once, have only coordinates that were sent, and one draws at a time",
        arguments: Breadth.seeds(66, long: 400))
    func invariants(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let kind = Self.kinds[Int(seed % 4)]
        // A unit is a tenth of a millimetre. Sizes are also sent for axes that do not exist.
        var device = DeviceDescription.multitouch()
        device.axes[EventCode.mtTouchMajor] = AxisInfo(minimum: 0, maximum: 300, resolution: 10)
        var tracker = SlotTracker(kind, size: ContactSize(device))!
        var sheet = BareSheet(PanelMapping(device, panel: PixelSize(width: 800, height: 480))!)
        var sentX: Set<Int32> = []
        var sentY: Set<Int32> = []
        var down: Set<Key> = []
        var isDrawing = false
        var time = Timestamp.zero

        func check(_ frame: TouchFrame) {
            for contact in frame.contacts {
                let key = Key(slot: contact.slot, id: contact.trackingID)
                switch contact.phase {
                case .began, .resumed: #expect(down.insert(key).inserted, "seed \(seed): \(key) began twice")
                case .moved: #expect(down.contains(key), "seed \(seed): \(key) moved before it began")
                case .ended, .retired, .cancelled: #expect(down.remove(key) != nil, "seed \(seed): \(key) ended twice")
                }
                #expect(sentX.contains(contact.reading.x) && sentY.contains(contact.reading.y), "seed \(seed)")
            }
            if let hover = frame.hover {
                #expect(frame.isPenInRange && sentX.contains(hover.x) && sentY.contains(hover.y), "seed \(seed)")
            }
            #expect(!frame.isAfterDrop || down.isEmpty, "seed \(seed): down after a drop")
            #expect(Set(down.map(\.slot)).count == down.count, "seed \(seed): two contacts in a slot")
            for event in sheet.update(with: frame) {
                switch event {
                case .begin(let sample):
                    #expect(!isDrawing && sample.position.isFinite, "seed \(seed): two contacts draw")
                    isDrawing = true
                case .move(let sample): #expect(isDrawing && sample.position.isFinite, "seed \(seed)")
                case .end, .cancel:
                    #expect(isDrawing, "seed \(seed)")
                    isDrawing = false
                }
            }
            #expect(sheet.contacts.isOwned == isDrawing, "seed \(seed)")
        }

        for _ in 0..<400 {
            let event = event(&random, &time)
            if event.type == EventCode.typeAbs {
                let isMultitouch = kind == .multitouch(slots: 4) || kind == .anonymousMultitouch
                if event.code == (isMultitouch ? EventCode.mtPositionX : EventCode.absX) { sentX.insert(event.value) }
                if event.code == (isMultitouch ? EventCode.mtPositionY : EventCode.absY) { sentY.insert(event.value) }
            }
            if let frame = tracker.update(with: event) { check(frame) }
            if Int.random(in: 0..<60, using: &random) == 0 {
                let slots = (0..<4).map { _ in
                    DeviceState.Slot(
                        trackingID: Bool.random(using: &random) ? .random(in: 0...6, using: &random) : nil,
                        x: .random(in: 0...99, using: &random), y: .random(in: 0...99, using: &random))
                }
                for slot in slots {
                    sentX.insert(slot.x ?? 0)
                    sentY.insert(slot.y ?? 0)
                }
                let state = DeviceState(
                    slots: Array(slots.prefix(.random(in: 0...4, using: &random))),
                    currentSlot: .random(in: -1...5, using: &random), isTouching: .random(using: &random),
                    isPenNear: .random(using: &random), isRubberNear: .random(using: &random))
                // A slot missing from the state is at 0, libevdev's value for an unused slot.
                sentX.insert(0)
                sentY.insert(0)
                if let frame = tracker.resynchronise(
                    to: state, at: time, ignoringContactsDown: .random(using: &random))
                {
                    check(frame)
                }
            }
        }
        if let frame = tracker.endAll(as: Bool.random(using: &random) ? .ended : .cancelled, at: time) { check(frame) }
        #expect(down.isEmpty && !isDrawing, "seed \(seed): something is still down")
    }

    @Test("every report of a regular stroke is kept by itself", arguments: Breadth.seeds(6, long: 20))
    func keepsReports(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var tracker = SlotTracker(.multitouch(slots: 2))!
        var sent: [DeviceReading] = []
        var seen: [DeviceReading] = []
        var reading = DeviceReading(x: 0, y: 0)
        for index in 0..<200 {
            reading.x = .random(in: 0..<800, using: &random)
            reading.y = .random(in: 0..<480, using: &random)
            sent.append(reading)
            let first = index == 0 ? [Event.id(3)] : []
            for event in first + [Event.mtX(reading.x), Event.mtY(reading.y), Event.report] {
                seen += tracker.update(with: event).readings
            }
        }
        #expect(seen == sent, "seed \(seed)")
    }
}
