// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing

@testable import Touch

@Suite("Contacts that may draw")
struct ContactGateTests {
    /// An event as text: device, x, which identifies the contact, and number.
    private struct Seen: Equatable, CustomStringConvertible {
        var description: String

        init(_ event: TouchEvent) {
            description = "\(event.phase) \(event.reading.device)/\(event.reading.x) #\(event.contact)"
        }
    }

    /// A panel is device 0, its pen device 1.
    private struct Rig {
        var gate = ContactGate(
            mappings: [DeviceDescription.multitouch(), .pen()].map {
                PanelMapping($0, panel: PixelSize(width: 800, height: 480))!
            })
        var now: Int64 = 0

        mutating func finger(
            _ id: Int32, _ phase: Contact.Phase, _ x: Int32, slot: Int = 0, size: Double? = nil
        ) -> [String] {
            feed(
                [
                    Contact(
                        slot: slot, trackingID: id, phase: phase, reading: DeviceReading(x: x, y: 0), size: size)
                ], of: 0)
        }

        /// A report of the pen: hovering, with its tip down or up.
        mutating func pen(_ phase: Contact.Phase? = nil, isNear: Bool = true) -> [String] {
            let contacts = phase.map {
                [Contact(slot: 0, trackingID: 1, phase: $0, reading: DeviceReading(x: 9, y: 0), tool: .pen)]
            }
            return feed(contacts ?? [], of: 1, isNear: isNear)
        }

        mutating func feed(
            _ contacts: [Contact], of device: Int, isNear: Bool = false, isAfterDrop: Bool = false
        ) -> [String] {
            gate.update(
                with: TouchFrame(
                    time: Timestamp(microseconds: now), contacts: contacts, isAfterDrop: isAfterDrop,
                    isPenInRange: isNear),
                of: device
            ).map { Seen($0).description }
        }
    }

    @Test("all contacts that may draw are passed on, with unique numbers and the device's number")
    func names() {
        var rig = Rig()
        #expect(rig.finger(1, .began, 10) == ["began 0/10 #1"])
        #expect(rig.finger(2, .began, 20, slot: 1) == ["began 0/20 #2"])
        #expect(rig.finger(1, .moved, 11) == ["moved 0/11 #1"])
        #expect(rig.finger(1, .ended, 11) == ["ended 0/11 #1"])
        // The same slot and number, another contact.
        #expect(rig.finger(1, .began, 30) == ["began 0/30 #3"])
        #expect(rig.finger(2, .cancelled, 20, slot: 1) == ["cancelled 0/20 #2"])
        #expect(rig.gate.ignoredCount == 0)
    }

    @Test("each device has its own mapping")
    func mappings() {
        var rig = Rig()
        let frame = TouchFrame(
            time: Timestamp(microseconds: 5),
            contacts: [Contact(slot: 0, trackingID: 1, phase: .began, reading: DeviceReading(x: 4999, y: 0))])
        let place = rig.gate.update(with: frame, of: 1).first?.sample.position
        #expect(abs((place?.x ?? 0) - 4999.5 / 10000 * 800) < 1e-9)
    }

    @Test("a palm never draws, a contact that becomes one is cancelled, and the limit's size is a palm")
    func palms() {
        var rig = Rig()
        #expect(rig.finger(1, .began, 10, size: 25) == [])
        #expect(rig.finger(1, .moved, 11, size: 5) == [] && rig.finger(1, .ended, 11) == [])
        #expect(rig.gate.ignoredCount == 1)
        #expect(rig.finger(2, .began, 20, size: 24.9) == ["began 0/20 #1"])
        #expect(rig.finger(2, .moved, 21, size: nil) == ["moved 0/21 #1"])
        #expect(rig.finger(2, .moved, 22, size: 25) == ["cancelled 0/22 #1"])
        #expect(rig.finger(2, .moved, 23, size: 8) == [] && rig.finger(2, .ended, 23) == [])
        // The page that cancels it counts it.
        #expect(rig.gate.ignoredCount == 1)
        let frame = TouchFrame(time: .zero, contacts: [], palmCount: 2)
        #expect(rig.gate.update(with: frame, of: 0).isEmpty && rig.gate.ignoredCount == 3)
        // A pen is not a palm, whatever its size.
        let pen = Contact(
            slot: 0, trackingID: 9, phase: .began, reading: DeviceReading(x: 1, y: 0), tool: .pen, size: 90)
        #expect(rig.feed([pen], of: 0, isNear: true) == ["began 0/1 #2"])
    }

    @Test("a contact that rests, silent or with noise, is retired by the next; one that moves is not")
    func rests() {
        for isNoisy in [false, true] {
            var rig = Rig()
            #expect(rig.finger(1, .began, 400) == ["began 0/400 #1"])
            for _ in 0..<30 {
                rig.now += 60_000
                if isNoisy { _ = rig.finger(1, .moved, rig.now % 120_000 == 0 ? 400 : 405) }
            }
            // 1.8 s.
            #expect(rig.finger(2, .began, 20, slot: 1) == ["began 0/20 #2"])
            #expect(rig.finger(2, .ended, 20, slot: 1) == ["ended 0/20 #2"])
            rig.now += 200_000
            // It has only rested, so its mark goes.
            let retired = rig.finger(3, .began, 30, slot: 1)
            #expect(retired == ["cancelled 0/400 #1", "began 0/30 #3"])
            #expect(rig.finger(1, .moved, 700) == [] && rig.finger(1, .ended, 700) == [])
            #expect(rig.finger(4, .began, 40) == ["began 0/40 #4"])
        }
        var rig = Rig()
        _ = rig.finger(1, .began, 100)
        for x in Int32(0)..<40 {
            rig.now += 100_000
            _ = rig.finger(1, .moved, 100 + 2 * x)
        }
        #expect(rig.finger(2, .began, 20, slot: 1) == ["began 0/20 #2"], "4 s of slow writing")
        rig.now += 2_000_000
        // What was written stays.
        #expect(rig.finger(3, .began, 30, slot: 2) == ["retired 0/178 #1", "cancelled 0/20 #2", "began 0/30 #3"])
    }

    @Test("a palm and a hand beside a pen retire nothing")
    func retiresNothing() {
        var rig = Rig()
        _ = rig.finger(1, .began, 400)
        rig.now += 10_000_000
        #expect(rig.finger(2, .began, 20, slot: 1, size: 40) == [])
        #expect(rig.finger(1, .moved, 500) == ["moved 0/500 #1"])
    }

    @Test("samples of a contact that rests say so, until it moves")
    func flags() {
        var rig = Rig()
        func isResting(_ phase: Contact.Phase, _ x: Int32) -> Bool? {
            let contact = Contact(slot: 0, trackingID: 1, phase: phase, reading: DeviceReading(x: x, y: 0))
            let frame = TouchFrame(time: Timestamp(microseconds: rig.now), contacts: [contact])
            return rig.gate.update(with: frame, of: 0).first?.isResting
        }
        #expect(isResting(.began, 100) == false)
        rig.now = 1_999_999
        #expect(isResting(.moved, 101) == false && rig.gate.touchEnd == 2_000_000)
        rig.now = 2_000_000
        #expect(isResting(.moved, 100) == true)
        #expect(isResting(.moved, 109) == false && rig.gate.touchEnd == 4_000_000)
        // The clock runs backwards.
        rig.now = 0
        #expect(isResting(.moved, 109) == false)
        rig.now = 5_000_000
        #expect(isResting(.ended, 109) == true && rig.gate.touchEnd == nil)
    }

    @Test("a pen that is stuck or lies on the screen silences fingers for five seconds", arguments: [true, false])
    func stuckPen(isDown: Bool) {
        var rig = Rig()
        func report(_ x: Int32) -> [String] {
            let pen = Contact(slot: 0, trackingID: 1, phase: .moved, reading: DeviceReading(x: x, y: 0), tool: .pen)
            let hover = PenHover(x: x, y: 0)
            let frame = TouchFrame(
                time: Timestamp(microseconds: rig.now), contacts: isDown ? [pen] : [], isPenInRange: true,
                hover: isDown ? nil : hover)
            return rig.gate.update(with: frame, of: 1).map { Seen($0).description }
        }
        let first: Int32 = isDown ? 2 : 1
        #expect(rig.pen(isDown ? .began : nil) == (isDown ? ["began 1/9 #1"] : []))
        _ = report(5000)
        for step in Int32(0)..<49 {
            rig.now += 100_000
            _ = report(5000 + step % 2 * 20)
        }
        #expect(rig.finger(1, .began, 10) == [])
        _ = rig.finger(1, .ended, 10)
        rig.now += 100_000
        _ = report(5000)
        #expect(rig.finger(2, .began, 20) == (isDown ? ["retired 1/5000 #1"] : []) + ["began 0/20 #\(first)"])
        // Its noise takes nothing from the finger; picked up, it does.
        #expect(report(5020) == [] && rig.finger(2, .moved, 21) == ["moved 0/21 #\(first)"])
        #expect(report(5400) == ["cancelled 0/21 #\(first)"])
        #expect(rig.finger(3, .began, 30, slot: 1) == [])
    }

    @Test("a pen that comes near cancels fingers, and while it is near only the pen draws")
    func pen() {
        var rig = Rig()
        _ = rig.finger(1, .began, 10)
        #expect(rig.pen() == ["cancelled 0/10 #1"])
        #expect(rig.finger(1, .moved, 11) == [])
        #expect(rig.finger(2, .began, 20, slot: 1) == [] && rig.gate.ignoredCount == 1)
        #expect(rig.pen(.began) == ["began 1/9 #2"] && rig.pen(.ended) == ["ended 1/9 #2"])
        #expect(rig.pen(isNear: false) == [])
        // Earlier contacts stay silent until they lift.
        rig.now = 10_000_000
        #expect(rig.finger(1, .moved, 12) == [] && rig.finger(2, .moved, 21, slot: 1) == [])
        #expect(rig.finger(1, .ended, 12) == [] && rig.finger(3, .began, 30) == ["began 0/30 #3"])
    }

    @Test("a finger that comes down soon after the pen has left is ignored, by either device's time")
    func departure() {
        for (time, isIgnored) in [(Int64(0), true), (299_999, true), (300_000, false), (-1, true), (.min, false)] {
            var rig = Rig()
            _ = rig.pen()
            _ = rig.pen(isNear: false)
            rig.now = time
            #expect(rig.finger(1, .began, 10).isEmpty == isIgnored, "\(time)")
        }
    }

    @Test("a hovering pen that sends no more reports counts as gone after a second, one whose tip is down after five")
    func silence() {
        let cases: [(Bool, Int64, Bool)] = [(false, 999_999, true), (false, 1_000_000, false), (true, 4_999_999, true)]
        for (isDown, time, isIgnored) in cases {
            var rig = Rig()
            _ = rig.pen(isDown ? .began : nil)
            rig.now = time
            #expect(rig.finger(1, .began, 10).isEmpty == isIgnored, "\(time)")
            // The next report makes it near again.
            #expect(rig.pen(isDown ? .moved : nil).contains { $0.hasPrefix("cancel") } == !isIgnored)
            #expect(rig.finger(2, .began, 20, slot: 1) == [])
        }
    }

    @Test("on a device for both, fingers are cancelled before the pen comes down, and one may turn out to be the pen")
    func oneDevice() {
        var rig = Rig()
        _ = rig.finger(1, .began, 10)
        let pen = Contact(
            slot: 1, trackingID: 2, phase: .began, reading: DeviceReading(x: 20, y: 0), tool: .pen)
        #expect(rig.feed([pen], of: 0, isNear: true) == ["cancelled 0/10 #1", "began 0/20 #2"])
        var other = Rig()
        _ = other.finger(1, .began, 10)
        let turned = Contact(slot: 0, trackingID: 1, phase: .moved, reading: DeviceReading(x: 11, y: 0), tool: .pen)
        #expect(other.feed([turned], of: 0, isNear: true) == ["moved 0/11 #1"])
    }

    @Test("a contact resumes with its number after lost events; an ignored one stays ignored and is not counted again")
    func resumed() {
        var rig = Rig()
        _ = rig.finger(1, .began, 10)
        _ = rig.finger(2, .began, 20, slot: 1, size: 40)
        let ends = [(0, Int32(1), Int32(10)), (1, 2, 20)].map { slot, id, x in
            Contact(slot: slot, trackingID: id, phase: .ended, reading: DeviceReading(x: x, y: 0))
        }
        #expect(rig.feed(ends, of: 0, isAfterDrop: true) == ["ended 0/10 #1"])
        // Another drop before any report.
        #expect(rig.feed([], of: 0, isAfterDrop: true) == [])
        #expect(rig.finger(2, .resumed, 20, slot: 1, size: 5) == [])
        #expect(rig.finger(1, .resumed, 12) == ["resumed 0/12 #1"])
        #expect(rig.finger(1, .moved, 13) == ["moved 0/13 #1"] && rig.finger(2, .moved, 21, slot: 1) == [])
        #expect(rig.gate.ignoredCount == 1)
        // Not if a pen is near or came meanwhile.
        _ = rig.feed([ends[0]], of: 0, isAfterDrop: true)
        _ = rig.pen()
        _ = rig.pen(isNear: false)
        rig.now = 60_000_000
        #expect(rig.finger(1, .resumed, 14) == [])
        // Nor a contact that was down at the start and never reported.
        #expect(rig.finger(7, .resumed, 70, slot: 3) == [])
        #expect(rig.gate.ignoredCount == 1)
    }

    @Test("senseless frames leave no contact down")
    func nonsense() {
        var rig = Rig()
        #expect(rig.finger(1, .moved, 10) == [] && rig.finger(1, .ended, 10) == [])
        #expect(rig.finger(1, .began, 10) == ["began 0/10 #1"] && rig.finger(1, .began, 11) == [])
        #expect(rig.finger(2, .began, 20) == ["ended 0/10 #1", "began 0/20 #2"])
        #expect(rig.finger(1, .ended, 10) == [] && rig.finger(2, .ended, 20) == ["ended 0/20 #2"])
        #expect(rig.finger(2, .cancelled, 20) == [])
    }

    @Test("removing a device ends its contacts, keeps what they drew, and forgets its pen")
    func removed() {
        var rig = Rig()
        _ = rig.finger(1, .began, 10)
        _ = rig.finger(2, .began, 20, slot: 1, size: 60)
        let ended = rig.gate.remove(0, at: 77)
        #expect(ended.map { Seen($0).description } == ["retired 0/10 #1"] && ended.first?.sample.time == 77)
        #expect(rig.finger(1, .moved, 11) == [] && rig.gate.remove(0, at: 78) == [])
        _ = rig.pen(.began)
        #expect(rig.finger(3, .began, 30) == [])
        #expect(rig.gate.remove(1, at: 79).map { Seen($0).description } == ["retired 1/9 #2"])
        #expect(rig.finger(4, .began, 40, slot: 2) == ["began 0/40 #3"])
    }

    @Test("the finger and the pen of a recorded pen display: each draws alone; the finger does not draw with the pen")
    func recorded() throws {
        let finger = try Recording(path: recordings + "Wacom Cintiq 13HD touch Finger.events")
        let pen = try Recording(path: recordings + "Wacom Cintiq 13HD touch Pen.events")
        let panel = PixelSize(width: 1920, height: 1080)
        func play(_ devices: [(device: Int, after: Duration)]) -> (touches: [TouchEvent], ignored: Int) {
            let mappings = [finger, pen].compactMap { PanelMapping($0.device, panel: panel) }
            var gate = ContactGate(mappings: mappings)
            var frames: [(device: Int, frame: TouchFrame)] = []
            for (device, delay) in devices {
                for var frame in [finger, pen][device].frames() {
                    frame.time += delay
                    frames.append((device, frame))
                }
            }
            frames.sort { $0.frame.time < $1.frame.time }
            var touches: [TouchEvent] = []
            for (device, frame) in frames { touches += gate.update(with: frame, of: device) }
            return (touches, gate.ignoredCount)
        }
        func downs(_ touches: [TouchEvent]) -> [Int] {
            touches.filter { $0.phase == .began }.map(\.reading.device)
        }
        let fingerAlone = play([(0, .zero)])
        #expect(downs(fingerAlone.touches) == [0] && fingerAlone.touches.count == 5)
        let penAlone = play([(1, .zero)])
        #expect(downs(penAlone.touches) == [1, 1] && penAlone.touches.count == 37)
        // The finger is down from 0 to 0.25 s, the pen first near at the start of its recording.
        let first = pen.frames().first { $0.isPenInRange }
        let near = try #require(first).time - Timestamp.zero
        let before = play([(0, .zero), (1, .milliseconds(200) - near)])
        #expect(downs(before.touches) == [0, 1, 1])
        #expect(before.touches.filter { $0.phase == .cancelled }.map(\.contact) == [1])
        let during = play([(0, near + .milliseconds(50)), (1, .zero)])
        #expect(downs(during.touches) == [1, 1] && during.ignored == 1)
    }
}
