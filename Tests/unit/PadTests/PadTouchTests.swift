// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Ink
import PadFixtures
import Record
import Testing
import Touch

@testable import Pad

@Suite("Touches on the pad")
struct PadTouchTests {
    private func makePad(_ policy: CapturePolicy = CapturePolicy()) -> SigningDriver {
        var pad = SigningDriver()
        pad.call(1, policy)
        return pad
    }

    private func places(_ actions: [PadAction]) -> [Point] { actions.ink.compactMap(\.place) }

    private func isEnd(_ action: PadAction?) -> Bool {
        if case .render(.ink(.end, _))? = action { true } else { false }
    }

    private func accepts(_ pad: inout SigningDriver, ignored count: Int) -> Bool {
        pad.press(.accept).committed?.quality.ignoredContacts == count
    }

    @Test("a stroke that leaves the area ends at the edge; one that returns begins at the edge")
    func edge() {
        var pad = makePad()
        pad.down(370, 100)
        let out = pad.move(390, 110)
        #expect(places(out) == [Point(x: 380, y: 105)])
        guard case .render(.ink(.move(let crossing), _)) = out[0] else { return }
        #expect(crossing.time == pad.now - .milliseconds(4))
        #expect(isEnd(out[1]))
        let expected = CaptureStroke.Sample(
            microseconds: (pad.now - .milliseconds(8)).microseconds - 1_000_000, x: 3700, y: 1000)
        let leaves = CaptureStroke.Edge(
            microseconds: (pad.now - .milliseconds(4)).microseconds - 1_000_000, x: 380, y: 105, pressure: nil)
        // The transform of the header would put the report half a tenth of a pixel further.
        let drawn = [Point(x: 370, y: 100)]
        let stroke = CaptureStroke(pen: "ink", samples: [expected], leaves: leaves, places: drawn)
        #expect(out[2] == .store(.append(pad.id(1), .stroke(stroke))))
        #expect(pad.move(395, 150).isEmpty)
        let back = pad.move(375, 150)
        #expect(places(back) == [Point(x: 380, y: 150), Point(x: 375, y: 150)])
        #expect(isEnd(pad.up().first))
        #expect(pad.progress(1).last?.strokes == 2)
        // The record has only the report, not the crossing.
        guard case .stroke(let second) = pad.entries(1)[1] else { return }
        #expect(second.samples.map(\.x) == [3750])
    }

    @Test("a stroke has what its reports told last of the tool, and the next one nothing of it")
    func tools() {
        var pad = makePad()
        pad.down(100, 100)
        pad.tool = ToolIdentity(.finger)
        pad.move(110, 100)
        pad.tool = ToolIdentity(.pen, serial: 7)
        pad.move(120, 100)
        pad.tool = ToolIdentity()
        pad.move(130, 100)
        pad.up()
        pad.down(100, 120)
        pad.move(130, 120)
        pad.up()
        let tools = pad.entries(1).compactMap { entry -> CaptureTool? in
            guard case .stroke(let stroke) = entry else { return nil }
            return stroke.tool
        }
        #expect(tools == [CaptureTool("pen", serial: 7), CaptureTool()])
    }

    @Test("crossing a corner between two reports draws no ink, and touching an edge is not a crossing")
    func corner() {
        var pad = makePad()
        pad.down(10, 100)
        #expect(pad.move(60, 50).isEmpty)
        #expect(places(pad.move(60, 60)) == [Point(x: 60, y: 60)])
        #expect(isEnd(pad.move(60, 40).first))
    }

    /// A capture, and a panel with a unit for each pixel on which a contact is stuck.
    private struct StuckContact {
        var pad = SigningDriver()
        var gate: ContactGate

        init(at place: Point, policy: CapturePolicy = CapturePolicy()) {
            let size = TestPad.screen.size
            func axis(_ count: Int) -> AxisInfo { AxisInfo(minimum: 0, maximum: Int32(count) - 1) }
            gate = ContactGate(mappings: [PanelMapping(x: axis(size.width), y: axis(size.height), panel: size)])
            pad.call(1, policy)
            feed(.began, place, slot: 0)
        }

        @discardableResult
        mutating func feed(_ phase: Contact.Phase, _ place: Point, slot: Int) -> [PadAction] {
            let reading = DeviceReading(x: Int32(place.x), y: Int32(place.y))
            let contact = Contact(slot: slot, trackingID: Int32(slot), phase: phase, reading: reading)
            let frame = TouchFrame(time: pad.now, contacts: [contact])
            return gate.update(with: frame, of: 0).flatMap { pad.send(.touch($0, reported: pad.now)) }
        }

        mutating func draw(slot: Int) {
            for (index, place) in SigningDriver.zigzag(60).enumerated() {
                pad.now += .milliseconds(8)
                feed(index == 0 ? .began : .moved, Point(x: place.x, y: place.y), slot: slot)
            }
            feed(.ended, Point(x: 0, y: 0), slot: slot)
        }
    }

    @Test("a contact stuck in the field loses the page after two seconds, and its mark")
    func stuckInField() {
        var rig = StuckContact(at: Point(x: 300, y: 120))
        rig.draw(slot: 1)
        #expect(rig.pad.pad.status.running?.strokes == 0)
        rig.pad.now += .seconds(2)
        rig.draw(slot: 1)
        #expect(rig.pad.pad.status.running?.strokes == 1)
        let accept = TestPad.center(.accept)
        rig.feed(.began, accept, slot: 2)
        #expect(rig.feed(.ended, accept, slot: 2).committed != nil)
    }

    @Test("a contact stuck on Cancel presses nothing, and Cancel still works")
    func stuckOnCancel() {
        let cancel = TestPad.center(.cancel)
        var rig = StuckContact(at: cancel)
        rig.pad.now += .seconds(2)
        rig.draw(slot: 1)
        #expect(rig.pad.pad.status.running?.strokes == 1)
        rig.feed(.began, cancel, slot: 2)
        rig.feed(.ended, cancel, slot: 2)
        rig.pad.send(.stored(.discarded(rig.pad.id(1), fault: nil)))
        #expect(rig.pad.outcome(1) == .cancelled(by: .person))
    }

    @Test("the noise of a contact that rests does not keep an abandoned page")
    func stuckAlone() {
        var rig = StuckContact(at: Point(x: 300, y: 120), policy: CapturePolicy(inactivityLimit: .seconds(10)))
        let start = rig.pad.now
        for step in 0..<200 where rig.pad.pad.isCapturing {
            rig.pad.now += .milliseconds(100)
            rig.feed(.moved, Point(x: 300 + Double(step % 2), y: 120), slot: 0)
        }
        rig.pad.send(.stored(.discarded(rig.pad.id(1), fault: nil)))
        #expect(rig.pad.outcome(1) == .timedOut(.inactivity))
        #expect(rig.pad.now - start <= .seconds(13))
    }

    @Test("a palm removes all strokes that it drew")
    func palm() throws {
        var pad = makePad()
        pad.sign()
        pad.down(370, 100)
        pad.move(390, 100)
        pad.move(370, 110)
        #expect(pad.progress(1).last?.strokes == 2)
        let gone = pad.palm()
        #expect(gone.ink.count == 2 && gone.ink[0].isCancel && gone.ink[1] == .undo)
        #expect(pad.progress(1).last?.strokes == 1)
    }

    @Test("the first contact owns the page; others are ignored until they lift, and counted")
    func owner() {
        var pad = makePad()
        #expect(pad.down(5, 5, 8).isEmpty)
        pad.down(100, 100, 1)
        #expect(pad.down(200, 100, 2).isEmpty && pad.move(210, 100, 2).isEmpty)
        #expect(pad.move(110, 150, 1).count == 1)
        pad.up(1)
        // They outlast the owner, and move onto the ink field and buttons.
        #expect(pad.move(220, 100, 2).isEmpty && pad.move(200, 100, 8).isEmpty)
        #expect(pad.up(2).isEmpty && pad.up(8).isEmpty)
        #expect(!pad.down(200, 100, 2).isEmpty)
        pad.up(2)
        pad.sign()
        #expect(accepts(&pad, ignored: 2))
    }

    @Test("after lost events only the contact that drew goes on, with ink only, and contacts are counted once")
    func resumed() {
        var pad = makePad()
        pad.down(100, 100, 1)
        pad.down(200, 100, 2)
        pad.up(1)
        pad.up(2)
        #expect(pad.resume(200, 100, 2).isEmpty && pad.move(210, 100, 2).isEmpty)
        #expect(places(pad.resume(120, 100, 1)) == [Point(x: 120, y: 100)])
        pad.up(1)
        // It has moved to a button, but did not come down on it.
        let accept = TestPad.center(.accept)
        #expect(pad.resume(accept.x, accept.y, 1).isEmpty && pad.up(1).isEmpty)
        // A contact that held a button does not press it again.
        let clear = TestPad.center(.clear)
        pad.down(clear.x, clear.y, 3)
        pad.up(3)
        #expect(pad.resume(clear.x, clear.y, 3).isEmpty && pad.up(3).isEmpty)
        pad.sign()
        #expect(accepts(&pad, ignored: 1))
    }

    @Test("a cancelled contact counts as ignored, whether it drew or pressed; a second finger counts once")
    func countsCancelled() {
        var pad = makePad()
        pad.down(100, 100, 1)
        pad.down(200, 100, 2)
        pad.palm(2)
        pad.palm(1)
        let clear = TestPad.center(.clear)
        pad.down(clear.x, clear.y, 3)
        pad.palm(3)
        pad.sign()
        #expect(accepts(&pad, ignored: 3))
    }

    @Test("a stroke has the index of its device")
    func devices() throws {
        var pad = makePad()
        for device in [1, 0] {
            for (index, phase) in [Contact.Phase.began, .moved, .ended].enumerated() {
                var touch = TestPad.touch(phase, 100 + Double(index * 10), 100, Int32(device), at: pad.now)
                touch.reading.device = device
                pad.send(.touch(touch, reported: pad.now))
            }
        }
        let strokes = pad.entries(1).compactMap { if case .stroke(let stroke) = $0 { stroke } else { nil } }
        #expect(strokes.map(\.device) == [1, 0] && strokes.allSatisfy { $0.samples.count == 2 })
    }

    @Test("a contact from the margin draws from the edge on; one that rests on the margin does not own the page")
    func margin() {
        var pad = makePad()
        #expect(pad.down(10, 100, 1).isEmpty)
        #expect(places(pad.move(30, 100, 1)) == [Point(x: 20, y: 100), Point(x: 30, y: 100)])
        pad.up(1)
        pad.down(10, 100, 3)
        #expect(places(pad.down(100, 100, 1)).count == 1)
        pad.up(1)
        #expect(pad.move(100, 100, 3).isEmpty)
    }

    @Test("a button is pressed while the contact is on it, acts when it lifts there, and takes no ink")
    func buttons() {
        var pad = makePad()
        pad.sign()
        let place = TestPad.center(.clear)
        let pressed = PadAction.render(.button(.clear, ButtonState(isPressed: true)))
        let released = PadAction.render(.button(.clear, ButtonState()))
        #expect(pad.down(place.x, place.y) == [pressed])
        #expect(pad.move(place.x, 150) == [released])
        #expect(pad.move(place.x, 120).isEmpty)
        let other = TestPad.center(.accept)
        #expect(pad.move(other.x, other.y).isEmpty && pad.up().isEmpty)
        pad.down(place.x, place.y)
        pad.move(place.x, 150)
        #expect(pad.move(place.x, place.y) == [pressed])
        #expect(pad.palm() == [released])
        let cleared = pad.press(.clear)
        #expect(cleared.ink == [.clear] && cleared.strokeCount == 0)
        let undone = pad.press(.undo)
        #expect(undone.ink == [.undo] && undone.strokeCount == 1)
        // A stroke towards a button ends at the edge.
        pad.down(350, 190)
        pad.move(other.x, other.y)
        #expect(pad.up().isEmpty)
        #expect(pad.pad.isCapturing)
    }

    @Test("Undo removes strokes one by one, then reverts the last clear, once")
    func undo() {
        var pad = makePad()
        pad.sign()
        pad.sign()
        pad.press(.clear)
        pad.sign()
        for count in [0, 2, 1, 0] {
            #expect(pad.press(.undo).strokeCount == count)
        }
        #expect(pad.press(.undo).ink.isEmpty)
        // Clearing an empty page does not make it undoable again.
        pad.press(.clear)
        #expect(pad.press(.undo).ink.isEmpty)
    }

    @Test("the policy can disable Undo")
    func forensic() {
        var pad = makePad(CapturePolicy(undo: false))
        pad.sign()
        #expect(pad.press(.undo).isEmpty)
        #expect(CapturePolicy(undo: false).buttons == [.cancel, .clear, .accept])
    }

    @Test("a contact that comes down again ends what it did, because its lift was lost")
    func lostLift() {
        var pad = makePad()
        pad.down(100, 100)
        pad.move(110, 110)
        let next = pad.down(200, 100)
        #expect(isEnd(next.first))
        #expect(places(next) == [Point(x: 200, y: 100)])
        let place = TestPad.center(.accept)
        pad.up()
        pad.down(place.x, place.y)
        let pressed = pad.down(150, 100)
        #expect(pressed.states(of: .accept) == [ButtonState(isEnabled: false)] && pressed.committed == nil)
        #expect(pad.progress(1).allSatisfy { $0.state == .signing })
    }

    @Test("positions that are not finite or far off the page are ignored", arguments: [Double.nan, .infinity, -1e300])
    func invalidPositions(value: Double) {
        var pad = makePad()
        #expect(pad.down(value, 100).isEmpty)
        pad.up()
        pad.down(100, 100)
        #expect(pad.move(value, value).isEmpty)
        #expect(places(pad.move(110, 110)) == [Point(x: 110, y: 110)])
    }
}
