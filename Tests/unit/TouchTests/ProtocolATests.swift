// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing
import Touch

/// A contact as protocol A sends it.
private func contact(_ x: Int32, _ y: Int32, id: Int32? = nil) -> [InputEvent] {
    (id.map { [Event.id($0)] } ?? []) + [Event.mtX(x), Event.mtY(y), Event.mtReport]
}

extension SlotTracker {
    @discardableResult
    fileprivate mutating func report(_ contacts: [[InputEvent]], _ others: InputEvent...) -> TouchFrame? {
        var frame: TouchFrame?
        for event in contacts.flatMap({ $0 }) + others + [Event.report] {
            if let next = update(with: event) { frame = next }
        }
        return frame
    }
}

@Suite("Contacts of multitouch protocol A")
struct ProtocolATests {
    @Test("one contact comes, moves and lifts with an empty report")
    func oneContact() {
        var tracker = SlotTracker(.anonymousMultitouch)!
        #expect(tracker.report([contact(10, 20)]).steps == [Step(0, 0, .began)])
        let moved = tracker.report([contact(11, 20)])
        #expect(moved.steps == [Step(0, 0, .moved)] && moved.readings == [DeviceReading(x: 11, y: 20)])
        let lifted = tracker.report([[Event.mtReport]])
        #expect(lifted.steps == [Step(0, 0, .ended)] && lifted.readings == [DeviceReading(x: 11, y: 20)])
        #expect(tracker.report([contact(10, 20)]).steps == [Step(0, 1, .began)])
    }

    @Test("BTN_TOUCH alone lifts, and a report about something else lifts nothing")
    func release() {
        var tracker = SlotTracker(.anonymousMultitouch)!
        tracker.report([contact(10, 20)], Event.touch(1))
        #expect(tracker.report([], Event.x(5)) == nil)
        #expect(tracker.report([], Event.touch(0)).steps == [Step(0, 0, .ended)])
        // A position in the report of the release is ignored.
        tracker.report([contact(10, 20)], Event.touch(1))
        #expect(tracker.report([contact(900, 20)], Event.touch(0)).readings == [DeviceReading(x: 10, y: 20)])
    }

    @Test("a single contact may come without SYN_MT_REPORT")
    func withoutSeparator() {
        var tracker = SlotTracker(.anonymousMultitouch)!
        #expect(tracker.report([[Event.mtX(1), Event.mtY(2)]]).steps == [Step(0, 0, .began)])
        #expect(tracker.report([[Event.mtX(2), Event.mtY(2)]]).steps == [Step(0, 0, .moved)])
    }

    @Test("contacts without ids keep their slots, in whatever order they are sent")
    func places() {
        var tracker = SlotTracker(.anonymousMultitouch)!
        tracker.report([contact(100, 100), contact(700, 400)])
        #expect(
            tracker.report([contact(690, 390), contact(110, 110)]).readings == [
                DeviceReading(x: 110, y: 110), DeviceReading(x: 690, y: 390),
            ])
        // The first lifts: the second does not take its slot.
        let lifted = tracker.report([contact(680, 390)])
        #expect(lifted.steps == [Step(0, 0, .ended), Step(1, 1, .moved)])
        let back = tracker.report([contact(100, 100), contact(681, 390)])
        #expect(back.steps == [Step(0, 2, .began), Step(1, 1, .moved)])
    }

    @Test("contacts with ids keep them however far they move, and -1 is not a contact")
    func names() {
        var tracker = SlotTracker(.anonymousMultitouch)!
        tracker.report([contact(100, 100, id: 7), contact(700, 400, id: 8)])
        #expect(
            tracker.report([contact(100, 100, id: 8), contact(700, 400, id: 7)]).readings == [
                DeviceReading(x: 700, y: 400), DeviceReading(x: 100, y: 100),
            ])
        #expect(
            tracker.report([contact(700, 400, id: -1), contact(101, 100, id: 8)]).steps == [
                Step(0, 7, .ended), Step(1, 8, .moved),
            ])
        // Two contacts with one id are one.
        #expect(tracker.report([contact(102, 100, id: 8), contact(300, 100, id: 8)]).steps == [Step(1, 8, .moved)])
    }

    @Test("contacts beyond ten are ignored")
    func tooMany() {
        var tracker = SlotTracker(.anonymousMultitouch)!
        let many = (0..<40).map { contact($0 * 10, 5) }
        #expect(tracker.report(many)?.contacts.count == 10)
        #expect(tracker.report(many).steps.allSatisfy { $0.phase == .moved })
    }

    @Test("palms and hovering contacts draw nothing")
    func notTouching() {
        var tracker = SlotTracker(.anonymousMultitouch)!
        let palm = [Event.tool(EventCode.toolTypePalm)] + contact(1, 1)
        let frame = tracker.report([palm, [Event.abs(EventCode.mtDistance, 3)] + contact(500, 400)])
        #expect(frame?.contacts.isEmpty == true && frame?.palmCount == 1)
        #expect(tracker.report([palm, contact(500, 401)]).steps == [Step(1, 1, .began)])
    }

    /// The axes that say of a contact that it has lifted.
    private static let liftAxes: [[UInt16]] = [
        [EventCode.mtTouchMajor], [EventCode.mtPressure], [EventCode.mtWidthMajor],
        [EventCode.mtTouchMajor, EventCode.mtWidthMajor, EventCode.mtPressure],
    ]

    @Test("a size or pressure of 0 lifts as an empty report does", arguments: liftAxes, [true, false])
    func lifts(axes: [UInt16], named: Bool) {
        var random = SeededGenerator(seed: UInt64(axes.count) + axes.reduce(0) { $0 + UInt64($1) })
        var (marked, empty) = (SlotTracker(.anonymousMultitouch)!, SlotTracker(.anonymousMultitouch)!)
        func sent(_ x: Int32, _ y: Int32, _ size: Int32) -> [InputEvent] {
            axes.map { Event.abs($0, size) } + contact(x, y, id: named ? 3 : nil)
        }
        for _ in 0..<9 {
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let (x, y) = (Int32.random(in: 0...799, using: &random), Int32.random(in: 0...479, using: &random))
                let down = sent(x, y, .random(in: 1...99, using: &random))
                let (one, other) = (marked.report([down]), empty.report([down]))
                #expect(one == other && one?.contacts.count == 1)
            }
            let (one, other) = (marked.report([sent(0, 0, 0)]), empty.report([[Event.mtReport]]))
            #expect(one == other && one.steps.map(\.phase) == [.ended])
            #expect(marked.report([sent(5, 5, 0)]) == nil)
        }
    }

    @Test("BTN_TOUCH lifts a contact that the report lists once more, before or after it")
    func listedOnceMore() {
        for lift in [[Event.touch(0)] + contact(3, 2), contact(3, 2) + [Event.touch(0)]] {
            var tracker = SlotTracker(.anonymousMultitouch)!
            #expect(tracker.report([[Event.touch(1)] + contact(1, 2)]).steps == [Step(0, 0, .began)])
            #expect(tracker.report([lift]).steps == [Step(0, 0, .ended)])
            #expect(tracker.report([[Event.touch(1)] + contact(5, 2)]).steps == [Step(0, 1, .began)])
        }
    }

    @Test("one of two contacts lifts by its size, and the other goes on in its slot")
    func liftsOne() {
        var tracker = SlotTracker(.anonymousMultitouch)!
        func sized(_ size: Int32, _ x: Int32) -> [InputEvent] {
            [Event.abs(EventCode.mtTouchMajor, size)] + contact(x, 9)
        }
        tracker.report([sized(5, 100), sized(6, 700)])
        #expect(tracker.report([sized(0, 101), sized(6, 690)]).steps == [Step(0, 0, .ended), Step(1, 1, .moved)])
    }

    @Test("a size and a pressure that were always 0 say nothing, nor does the width beside a size")
    func constantZero() {
        var tracker = SlotTracker(.anonymousMultitouch)!
        let zero = [Event.abs(EventCode.mtTouchMajor, 0), Event.abs(EventCode.mtPressure, 0)]
        #expect(tracker.report([zero + contact(1, 2)]).steps == [Step(0, 0, .began)])
        #expect(tracker.report([zero + contact(2, 2)]).steps == [Step(0, 0, .moved)])
        let wide = [Event.abs(EventCode.mtTouchMajor, 4), Event.abs(EventCode.mtWidthMajor, 9)]
        let narrow = [Event.abs(EventCode.mtTouchMajor, 4), Event.abs(EventCode.mtWidthMajor, 0)]
        #expect(tracker.report([wide + contact(3, 2)]).steps == [Step(0, 0, .moved)])
        #expect(tracker.report([narrow + contact(4, 2)]).steps == [Step(0, 0, .moved)])
        // A contact that omits them is down.
        #expect(tracker.report([contact(5, 2)]).steps == [Step(0, 0, .moved)])
    }

    @Test("a contact down at the start draws nothing until it lifts; after lost events a contact resumes")
    func states() {
        var tracker = SlotTracker(.anonymousMultitouch)!
        let down = DeviceState(slots: [], isTouching: true)
        #expect(tracker.resynchronise(to: down, at: 0, ignoringContactsDown: true) == nil)
        #expect(tracker.report([contact(1, 1)]) == nil)
        #expect(tracker.report([contact(1, 1), contact(300, 300)]).steps == [Step(1, 1, .began)])
        tracker.report([], Event.touch(0))

        tracker.report([contact(100, 100)], Event.touch(1))
        let dropped = tracker.update(with: Event.dropped)
        #expect(dropped.steps == [Step(0, 2, .ended)] && dropped?.isAfterDrop == true)
        // The part of a report after the drop is discarded.
        #expect(tracker.report([contact(400, 300)]) == nil)
        #expect(tracker.resynchronise(to: down, at: 0) == nil)
        let again = tracker.report([contact(120, 100)])
        #expect(again.steps == [Step(0, 2, .resumed)])
    }
}
