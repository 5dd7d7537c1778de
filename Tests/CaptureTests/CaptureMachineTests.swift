// SPDX-License-Identifier: Apache-2.0
import Capture
import Geometry
import Record
import Testing
import Touch

@Suite("The course of a capture")
struct CaptureMachineTests {
    private let id = RequestID(1)

    @Test("a signature is thanked for when its record is durable, not before")
    func accepted() {
        var pad = MachineDriver()
        let begun = pad.request(1)
        #expect(
            begun == [
                .record(id, .start(TestPad.order(1).request, microseconds: 1_000_000)), .show(.signing),
                .tell(id, .started),
            ])
        pad.sign()
        let pressed = pad.press(.accept)
        #expect(
            pressed == [
                .button(.accept, isPressed: true), .button(.accept, isPressed: false), .show(.saving),
                .tell(id, .saving), .record(id, .accept(ignoredContacts: 0)),
            ])
        pad.now += 1_000_000
        #expect(pad.send(.time).isEmpty)
        #expect(pad.send(.recordDurable(RequestID(7))).isEmpty)
        #expect(pad.send(.recordDurable(id)) == [.wipe, .show(.thanks), .tell(id, .ended(.accepted))])
        pad.now += 2_999_999
        #expect(pad.send(.time).isEmpty && pad.machine.deadline == pad.now + 1)
        pad.now += 1
        #expect(pad.send(.time) == [.show(.idle)])
        #expect(pad.machine.deadline == nil)
        #expect(pad.told(1) == [.started, .strokes(1), .saving, .ended(.accepted)])
    }

    @Test("ink ends where a capture has as many samples as it keeps, and what there is can be accepted")
    func sampleLimit() {
        var pad = MachineDriver()
        pad.machine = CaptureMachine(sampleLimit: 50)
        pad.request(1)
        pad.stroke(MachineDriver.zigzag(30))
        pad.stroke(MachineDriver.zigzag(30))
        #expect(pad.down(100, 100).isEmpty && pad.move(120, 120).isEmpty && pad.up().isEmpty)
        let counts = pad.effects.compactMap { effect -> Int? in
            if case .record(_, .append(.stroke(let stroke))) = effect { stroke.samples.count } else { nil }
        }
        #expect(counts.reduce(0, +) == 50 && counts.count == 2)
        #expect(pad.effects.count { $0 == .endStroke } == 2)
        #expect(pad.press(.accept).last == .record(id, .accept(ignoredContacts: 0)))
    }

    @Test("the operator accepts and clears as the buttons do, and a stroke that is being drawn counts as far as it is")
    func operated() {
        var pad = MachineDriver()
        pad.request(1)
        pad.down(100, 100)
        #expect(pad.send(.command(.clear(id))) == [.cancelStroke])
        #expect(pad.move(150, 150).isEmpty && pad.up().isEmpty)
        pad.down(100, 100)
        for place in MachineDriver.zigzag(60) { pad.move(place.x, place.y) }
        let done = pad.send(.command(.accept(id)))
        #expect(done.first == .endStroke && done.last == .record(id, .accept(ignoredContacts: 0)))
        #expect(pad.move(200, 100).isEmpty)
        #expect(pad.send(.command(.clear(id))) == [.reject(.clear(id), .beingStored)])
        #expect(pad.send(.command(.accept(id))) == [.reject(.accept(id), .beingStored)])
    }

    @Test("ink that is no signature is refused with the reason, and signing goes on")
    func refused() {
        var pad = MachineDriver()
        pad.request(1)
        #expect(pad.press(.accept).suffix(2) == [.show(.refused(.noInk)), .tell(id, .refused(.noInk))])
        // Until the message has been read: by the next touch, or in its time.
        #expect(pad.down(100, 100).first == .show(.signing))
        pad.up()
        #expect(pad.press(.accept).last == .tell(id, .refused(.small(0, minimum: 6))))
        pad.now += 6_000_000
        #expect(pad.send(.time) == [.show(.signing)])
        pad.stroke(MachineDriver.line(4, 1))
        pad.press(.undo)
        pad.press(.undo)
        #expect(pad.press(.accept).last == .tell(id, .refused(.noInk)))
        pad.sign()
        #expect(pad.press(.accept).last == .record(id, .accept(ignoredContacts: 0)))
    }

    @Test("a straight line is none, in any direction, and what was drawn quickly is none either")
    func lines() {
        for (x, y) in [(4.0, 0.0), (0, 2), (4, 2), (-3, 1)] {
            var pad = MachineDriver()
            pad.request(1, CapturePolicy(minima: InkMinima(length: 10), pen: "ink"))
            pad.stroke(MachineDriver.line(x, y))
            guard case .tell(id, .refused(.straight(let breadth, minimum: 1.5))) = pad.press(.accept).last else {
                Issue.record("a line along \(x), \(y) was taken")
                continue
            }
            #expect(abs(breadth) < 1e-3)
        }
        var pad = MachineDriver()
        pad.request(1)
        pad.stroke(MachineDriver.zigzag(30))
        #expect(pad.press(.accept).last == .tell(id, .refused(.quick(232_000, minimum: 300_000))))
    }

    @Test("strokes and reports are counted when they are asked for")
    func counts() {
        var pad = MachineDriver()
        pad.request(1, CapturePolicy(minima: InkMinima(strokes: 2, samples: 200), pen: "ink"))
        pad.sign()
        #expect(pad.press(.accept).last == .tell(id, .refused(.fewStrokes(1, minimum: 2))))
        pad.sign()
        #expect(pad.press(.accept).last == .tell(id, .refused(.fewSamples(120, minimum: 200))))
    }

    @Test("a second request is told who has the pad, and the first goes on; the thanks of one make way for the next")
    func busy() {
        var pad = MachineDriver()
        pad.request(1)
        #expect(pad.request(2) == [.tell(RequestID(2), .ended(.busy(with: id)))])
        #expect(pad.send(.command(.cancel(RequestID(2)))) == [.reject(.cancel(RequestID(2)), .notRunning)])
        pad.sign()
        pad.press(.accept)
        #expect(pad.request(3) == [.tell(RequestID(3), .ended(.busy(with: id)))])
        pad.send(.recordDurable(id))
        #expect(pad.request(4).contains(.show(.signing)))
    }

    @Test("Cancel, by whom ever and while the record is being stored too, leaves nothing")
    func cancelled() {
        var pad = MachineDriver()
        pad.request(1)
        pad.sign()
        #expect(
            pad.press(.cancel).suffix(4) == [
                .wipe, .record(id, .discard), .show(.idle), .tell(id, .ended(.cancelled(by: .person))),
            ])
        pad.request(2)
        pad.down(100, 100)
        #expect(
            pad.send(.command(.cancel(RequestID(2)))) == [
                .cancelStroke, .wipe, .record(RequestID(2), .discard), .show(.idle),
                .tell(RequestID(2), .ended(.cancelled(by: .host))),
            ])
        // A finger that was down before the next request has no part in it.
        pad.request(3)
        #expect(pad.move(150, 150).isEmpty)
        pad.up()
        pad.sign()
        pad.press(.accept)
        #expect(pad.send(.command(.cancel(RequestID(3)))).contains(.record(RequestID(3), .discard)))
        #expect(pad.send(.recordDurable(RequestID(3))).isEmpty)
    }

    @Test("without a touch, or after all the time there is, a capture ends with nothing")
    func timedOut() {
        var pad = MachineDriver()
        pad.request(1)
        #expect(pad.machine.deadline == pad.now + 60_000_000)
        pad.now += 59_000_000
        pad.down(100, 100)
        #expect(pad.machine.deadline == pad.now + 60_000_000)
        pad.now += 60_000_000
        #expect(
            pad.send(.time) == [
                .cancelStroke, .wipe, .record(id, .discard), .show(.idle), .tell(id, .ended(.timedOut(.inactivity))),
            ])
        let start = pad.now
        pad.request(2)
        while pad.machine.running != nil, pad.now < start + 400_000_000 {
            pad.now += 20_000_000
            pad.press(.clear)
        }
        #expect(pad.told(2).last == .ended(.timedOut(.total)))
        #expect(pad.now - start >= 300_000_000)
    }

    @Test("a record that cannot be stored is told on the pad and to the host, also when the writer says nothing")
    func failed() {
        var pad = MachineDriver()
        pad.request(1)
        pad.down(100, 100)
        #expect(
            pad.send(.recordFailed(id, reason: "disk full")) == [
                .cancelStroke, .wipe, .record(id, .discard), .show(.failed),
                .tell(id, .ended(.recordFailed(reason: "disk full"))),
            ])
        #expect(pad.send(.recordFailed(id, reason: "again")).isEmpty)
        pad.now += 6_000_000
        #expect(pad.send(.time) == [.show(.idle)])
        pad.request(2)
        pad.up()
        pad.sign()
        pad.press(.accept)
        pad.now += 10_000_000
        #expect(pad.send(.recordDurable(RequestID(2))).last == .tell(RequestID(2), .ended(.recordLate)))
    }
}
