// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Pad
import TestSupport
import Testing

@testable import Touch

@Suite("Ghosts, which come and go in one place")
struct GhostTests {
    /// A panel of 800 x 480 with reports every 10 ms, on a bare sheet, where the first contact draws.
    private struct Rig {
        private var tracker = SlotTracker(DeviceDescription.multitouch())!
        private var sheet = BareSheet(
            PanelMapping(DeviceDescription.multitouch(), panel: PixelSize(width: 800, height: 480))!)
        private(set) var strokes: [[Point]] = []
        private var time: Timestamp = 1_000_000
        private var sent: [Int32: (id: Int32, place: (Int32, Int32))] = [:]
        var ignoredCount: Int { sheet.gate.ignoredCount }

        /// A report of slots with a contact: its id (-1 lifts) and its place.
        mutating func report(_ contacts: [Int32: (id: Int32, place: (Int32, Int32))]) {
            var events: [InputEvent] = []
            for (slot, contact) in contacts.sorted(by: { $0.key < $1.key }) {
                // The kernel sends no values that are unchanged.
                if let last = sent[slot], last.id == contact.id, last.place == contact.place { continue }
                sent[slot] = contact
                events += [Event.slot(slot), Event.id(contact.id)]
                if contact.id >= 0 { events += [Event.mtX(contact.place.0), Event.mtY(contact.place.1)] }
            }
            time += .milliseconds(10)
            var frame: TouchFrame?
            for var event in events + [Event.report] {
                event.time = time
                frame = tracker.update(with: event) ?? frame
            }
            guard let frame else { return }
            for event in sheet.update(with: frame) {
                switch event {
                case .begin(let sample): strokes.append([sample.position])
                case .move(let sample): strokes[strokes.count - 1].append(sample.position)
                case .cancel: strokes.removeLast()
                case .end: break
                }
            }
        }
    }

    /// A stroke of 150 reports in slot 0, from a report on.
    private static func stroke(_ index: Int, from start: Int, at x: Int32) -> (id: Int32, place: (Int32, Int32))? {
        switch index - start {
        case 0..<150: (Int32(start), (x + Int32(index - start) / 2, 300 - Int32(index - start)))
        case 150: (-1, (0, 0))
        default: nil
        }
    }

    /// The ghost of linux-surface#417, in slot 1: 90 ms there, 30 ms gone.
    private static func ghost(_ index: Int, at x: Int32) -> (id: Int32, place: (Int32, Int32))? {
        switch index {
        case 0..<56: (900, (x, 150))
        case 56: (-1, (0, 0))
        case 59...:
            switch (index - 59) % 12 {
            case 0..<9: (901 + Int32(index - 59) / 12, (x + Int32(index % 2), 150))
            case 9: (-1, (0, 0))
            default: nil
            }
        default: nil
        }
    }

    @Test("strokes beside a ghost are drawn, also one that began before it showed what it is")
    func strokes() {
        var rig = Rig()
        for index in 0..<600 {
            var contacts: [Int32: (id: Int32, place: (Int32, Int32))] = [:]
            contacts[1] = Self.ghost(index, at: 400)
            for (start, x) in [(50, 164), (225, 300), (400, 437)] as [(Int, Int32)] {
                if let stroke = Self.stroke(index, from: start, at: x) { contacts[0] = stroke }
            }
            rig.report(contacts)
        }
        let long = rig.strokes.filter { $0.count > 10 }
        #expect(long.count == 3, "\(rig.strokes.map(\.count))")
        // The first came down 90 ms before the ghost came back.
        #expect(long.map(\.count).min() ?? 0 > 130 && long.dropFirst().allSatisfy { $0.count == 150 })
        // The mark of the ghost is that of its first contact.
        #expect(rig.strokes.count == 4)
        #expect(rig.ignoredCount > 40)
    }

    @Test("a stroke that begins where a ghost is is drawn from where it leaves the place")
    func away() {
        var rig = Rig()
        for index in 0..<240 { rig.report(Self.ghost(index, at: 400).map { [1: $0] } ?? [:]) }
        let before = rig.strokes.count
        rig.report([1: (-1, (0, 0))])
        for step in 0..<100 as Range<Int32> { rig.report([2: (77, (400 + step, 150))]) }
        rig.report([2: (-1, (0, 0))])
        #expect(rig.strokes.count == before + 1)
        #expect(rig.strokes.last?.count ?? 0 > 85)
    }

    @Test("quick taps, taps in several places, and a bounce at the start of a stroke are no ghosts")
    func people() {
        var rig = Rig()
        var count = 0
        // Two taps in one place, 80 ms apart; three dots.
        for (id, x) in [(1, 100), (2, 100), (3, 200), (4, 204), (5, 230)] as [(Int32, Int32)] {
            for _ in 0..<4 { rig.report([0: (id, (x, 100))]) }
            rig.report([0: (-1, (0, 0))])
            for _ in 0..<7 { rig.report([:]) }
            count += 1
            #expect(rig.strokes.count == count, "tap \(id)")
        }
        // A contact that bounces three times, and then draws.
        for id in 10..<14 as Range<Int32> {
            for step in 0..<(id == 13 ? 60 : 3) as Range<Int32> { rig.report([0: (id, (500 + step, 200))]) }
            rig.report([0: (-1, (0, 0))])
            rig.report([:])
        }
        #expect(rig.strokes.last?.count == 60 && rig.ignoredCount == 0)
        // A finger that rests for half a second, lifts, and taps there again after a quarter.
        for _ in 0..<50 { rig.report([0: (20, (600, 300))]) }
        rig.report([0: (-1, (0, 0))])
        for _ in 0..<24 { rig.report([:]) }
        let before = rig.strokes.count
        for _ in 0..<4 { rig.report([0: (21, (600, 300))]) }
        #expect(rig.strokes.count == before + 1 && rig.ignoredCount == 0)
    }

    @Test("a palm beside a ghost does not draw when the stroke ends")
    func palm() {
        var rig = Rig()
        for index in 0..<400 {
            var contacts: [Int32: (id: Int32, place: (Int32, Int32))] = [:]
            contacts[1] = Self.ghost(index, at: 700)
            if let stroke = Self.stroke(index, from: 150, at: 164) { contacts[0] = stroke }
            // A hand that slides, without a size.
            if index >= 170 { contacts[2] = (55, (500 + Int32(index - 170) / 4, 400)) }
            rig.report(contacts)
        }
        #expect(rig.strokes.filter { $0.count > 10 }.map(\.count) == [150])
    }
}

@Suite("Sizes in a wrong unit")
struct WrongSizeTests {
    private static func device() -> DeviceDescription {
        var device = DeviceDescription.multitouch()
        for code in [EventCode.mtTouchMajor, EventCode.mtTouchMinor] {
            device.axes[code] = AxisInfo(minimum: 0, maximum: 255, resolution: 1)
        }
        return device
    }

    private func sizes(_ majors: [Int32]) throws -> [Double?] {
        var tracker = try #require(SlotTracker(Self.device()))
        return majors.enumerated().map { index, major in
            let place = Int32(index)
            return tracker.report(
                Event.id(1), Event.mtX(place), Event.mtY(0), Event.abs(EventCode.mtTouchMajor, major)
            )?.contacts.first?.size
        }
    }

    @Test("a panel whose fingers are as large as palms measures no sizes (iptsd#10)")
    func tenfold() throws {
        #expect(try sizes(Array(70...89)).allSatisfy { $0 == nil })
        // With a fingertip between them, they are palms.
        #expect(try sizes([70, 71, 8, 72]) == [nil, nil, 8, 72])
        #expect(try sizes([12, 13, 60]) == [nil, 13, 60])
    }

    @Test("one size beyond any hand is enough")
    func beyondHand() throws {
        #expect(try sizes([8, 9, 250, 9, 80]) == [nil, 9, nil, nil, nil])
    }
}
