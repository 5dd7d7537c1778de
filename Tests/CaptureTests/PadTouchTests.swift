// SPDX-License-Identifier: Apache-2.0
import Capture
import Geometry
import Record
import Testing
import Touch

@Suite("Touches on the pad")
struct PadTouchTests {
    private let id = RequestID(1)

    private func makePad(_ policy: CapturePolicy = CapturePolicy(pen: "ink")) -> MachineDriver {
        var pad = MachineDriver()
        pad.request(1, policy)
        return pad
    }

    /// Places of ink in effects, and whether a report said them.
    private func points(_ effects: [CaptureEffect]) -> [(place: Point, isReport: Bool)] {
        effects.compactMap { effect in
            switch effect {
            case .beginStroke(let point), .extendStroke(let point): (point.position, point.device != nil)
            default: nil
            }
        }
    }

    @Test("a stroke that leaves ends at the edge, and coming back begins another where it comes in")
    func edge() {
        var pad = makePad()
        pad.down(370, 100)
        let out = pad.move(390, 110)
        #expect(points(out).map(\.place) == [Point(x: 380, y: 105)] && points(out).map(\.isReport) == [false])
        guard case .extendStroke(let crossing) = out[0] else { return }
        #expect(crossing.microseconds == pad.now - 4000)
        #expect(out[1] == .endStroke)
        let expected = CaptureStroke.Sample(microseconds: pad.now - 8000 - 1_000_000, x: 3700, y: 1000)
        #expect(out[2] == .record(id, .append(.stroke(CaptureStroke(pen: "ink", samples: [expected])))))
        #expect(pad.move(395, 150).isEmpty)
        let back = pad.move(375, 150)
        #expect(points(back).map(\.place) == [Point(x: 380, y: 150), Point(x: 375, y: 150)])
        #expect(points(back).map(\.isReport) == [false, true])
        #expect(pad.up().first == .endStroke)
        #expect(pad.told(1).last == .strokes(2))
    }

    @Test("a corner that is crossed between two reports takes no ink, and an edge that is touched is no crossing")
    func corner() {
        var pad = makePad()
        pad.down(10, 100)
        #expect(pad.move(60, 50).isEmpty)
        #expect(points(pad.move(60, 60)).map(\.isReport) == [true])
        #expect(pad.move(60, 40).first == .endStroke)
    }

    @Test("a palm takes back all the strokes that it drew")
    func palm() throws {
        var pad = makePad()
        pad.sign()
        pad.down(370, 100)
        pad.move(390, 100)
        pad.move(370, 110)
        #expect(pad.told(1).last == .strokes(2))
        let gone = pad.palm()
        #expect(gone.prefix(2) == [.cancelStroke, .undo])
        #expect(pad.told(1).last == .strokes(1))
    }

    @Test("the first contact owns the page; others are ignored as long as they last, and counted")
    func owner() {
        var pad = makePad()
        #expect(pad.down(5, 5, 8).isEmpty)
        pad.down(100, 100, 1)
        #expect(pad.down(200, 100, 2).isEmpty && pad.move(210, 100, 2).isEmpty)
        #expect(pad.move(110, 150, 1).count == 1)
        pad.up(1)
        // They outlast the owner, and go where ink and buttons are.
        #expect(pad.move(220, 100, 2).isEmpty && pad.move(200, 100, 8).isEmpty)
        #expect(pad.up(2).isEmpty && pad.up(8).isEmpty)
        #expect(!pad.down(200, 100, 2).isEmpty)
        pad.up(2)
        pad.sign()
        #expect(pad.press(.accept).last == .record(id, .accept(ignoredContacts: 2)))
    }

    @Test("after lost events only the one who drew goes on, with ink alone, and nobody is counted twice")
    func resumed() {
        var pad = makePad()
        pad.down(100, 100, 1)
        pad.down(200, 100, 2)
        pad.up(1)
        pad.up(2)
        #expect(pad.resume(200, 100, 2).isEmpty && pad.move(210, 100, 2).isEmpty)
        #expect(points(pad.resume(120, 100, 1)).map(\.place) == [Point(x: 120, y: 100)])
        pad.up(1)
        // Meanwhile it has got to a button, which it did not come down on.
        let accept = TestPad.center(.accept)
        #expect(pad.resume(accept.x, accept.y, 1).isEmpty && pad.up(1).isEmpty)
        // Nor does who pressed a button press it again.
        let clear = TestPad.center(.clear)
        pad.down(clear.x, clear.y, 3)
        pad.up(3)
        #expect(pad.resume(clear.x, clear.y, 3).isEmpty && pad.up(3).isEmpty)
        pad.sign()
        #expect(pad.press(.accept).last == .record(id, .accept(ignoredContacts: 1)))
    }

    @Test("a contact that is taken back counts as ignored, whether it drew or pressed; a second finger's only once")
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
        #expect(pad.press(.accept).last == .record(id, .accept(ignoredContacts: 3)))
    }

    @Test("a stroke says which device drew it")
    func devices() throws {
        var pad = makePad()
        for device in [1, 0] {
            for (index, kind) in [TouchEvent.down, TouchEvent.motion, TouchEvent.up].enumerated() {
                var sample = TestPad.sample(100 + Double(index * 10), 100, at: pad.now)
                sample.device.device = device
                pad.send(.touch(kind(sample), contact: Int32(device)))
            }
        }
        let strokes = pad.effects.compactMap { effect -> CaptureStroke? in
            if case .record(_, .append(.stroke(let stroke))) = effect { stroke } else { nil }
        }
        #expect(strokes.map(\.device) == [1, 0] && strokes.allSatisfy { $0.samples.count == 2 })
    }

    @Test("a device's description becomes the record's, and its places lie where the pad had them")
    func description() throws {
        var panel = DeviceDescription(
            name: "Pen", bus: 3, vendor: 4, product: 5, version: 6, properties: [EventCode.propertyDirect],
            keys: [EventCode.touch, EventCode.toolPen],
            axes: [
                EventCode.absX: AxisInfo(minimum: 400, maximum: 59152, resolution: 200),
                EventCode.absY: AxisInfo(minimum: -7, maximum: 33448, resolution: 199),
                EventCode.absPressure: AxisInfo(minimum: 0, maximum: 2047),
            ])
        for rotation in Rotation.allCases {
            let size = PixelSize(width: 1920, height: 1080)
            let calibration = try #require(Calibration.matrix("0.9 0.02 0.03 -0.01 1.05 -0.02"))
            let mapping = try #require(
                PanelMapping(panel, panel: size, rotation: rotation, calibration: calibration))
            let device = try #require(CaptureDevice(panel, mapping: mapping))
            #expect(device.name == "Pen" && device.bus == 3 && device.vendor == 4)
            #expect(device.product == 5 && device.version == 6)
            #expect(device.x == .init(minimum: 400, maximum: 59152, resolution: 200))
            #expect(device.y == .init(minimum: -7, maximum: 33448, resolution: 199))
            #expect(device.pressure == .init(minimum: 0, maximum: 2047, resolution: 0))
            for (x, y) in [(Int32(5000), Int32(3000)), (30000, 16000), (50000, 30000)] {
                let place = try #require(device.position(x: x, y: y))
                #expect(place.distance(to: mapping.position(of: DeviceReading(x: x, y: y))) < 1e-6, "\(rotation)")
            }
        }
        let mapping = try #require(PanelMapping(panel, panel: PixelSize(width: 8, height: 8)))
        panel.keys = []
        #expect(CaptureDevice(panel, mapping: mapping) == nil)
    }

    @Test("a contact that comes in from the margin draws from the edge on; one that rests there is nobody")
    func margin() {
        var pad = makePad()
        #expect(pad.down(10, 100, 1).isEmpty)
        #expect(points(pad.move(30, 100, 1)).map(\.place) == [Point(x: 20, y: 100), Point(x: 30, y: 100)])
        pad.up(1)
        pad.down(10, 100, 3)
        #expect(points(pad.down(100, 100, 1)).count == 1)
        pad.up(1)
        #expect(pad.move(100, 100, 3).isEmpty)
    }

    @Test("a button is pressed while the contact is on it, does something when lifted there, and is never inked")
    func buttons() {
        var pad = makePad()
        pad.sign()
        let place = TestPad.center(.clear)
        #expect(pad.down(place.x, place.y) == [.button(.clear, isPressed: true)])
        #expect(pad.move(place.x, 150) == [.button(.clear, isPressed: false)])
        #expect(pad.move(place.x, 120).isEmpty)
        let other = TestPad.center(.accept)
        #expect(pad.move(other.x, other.y).isEmpty && pad.up().isEmpty)
        pad.down(place.x, place.y)
        pad.move(place.x, 150)
        #expect(pad.move(place.x, place.y) == [.button(.clear, isPressed: true)])
        #expect(pad.palm() == [.button(.clear, isPressed: false)])
        let cleared = pad.press(.clear)
        #expect(cleared.contains(.clear) && cleared.last == .tell(id, .strokes(0)))
        let undone = pad.press(.undo)
        #expect(undone.contains(.undo) && undone.last == .tell(id, .strokes(1)))
        // Ink that gets to a button is drawn no further than the edge.
        pad.down(350, 190)
        pad.move(other.x, other.y)
        #expect(pad.up().isEmpty)
        #expect(pad.machine.running == id)
    }

    @Test("Undo takes strokes back one by one, then the last clear, once")
    func undo() {
        var pad = makePad()
        pad.sign()
        pad.sign()
        pad.press(.clear)
        pad.sign()
        for count in [0, 2, 1, 0] {
            #expect(pad.press(.undo).last == .tell(id, .strokes(count)))
        }
        #expect(pad.press(.undo).last == .button(.undo, isPressed: false))
        // Nor does a clear of nothing bring it back.
        pad.press(.clear)
        #expect(pad.press(.undo).last == .button(.undo, isPressed: false))
    }

    @Test("there is no Undo where the policy has none")
    func forensic() {
        var pad = makePad(CapturePolicy(allowsUndo: false, pen: "ink"))
        pad.sign()
        #expect(pad.press(.undo).isEmpty)
        #expect(CapturePolicy(allowsUndo: false, pen: "ink").buttons == [.accept, .clear, .cancel])
    }

    @Test("where contacts have no name, and when the end of one is lost, a new one ends the old")
    func nameless() {
        var pad = makePad()
        pad.down(100, 100, nil)
        pad.move(110, 110, nil)
        let next = pad.down(200, 100, nil)
        #expect(next.first == .endStroke)
        #expect(points(next).map(\.place) == [Point(x: 200, y: 100)])
        let place = TestPad.center(.accept)
        pad.up(nil)
        pad.down(place.x, place.y, nil)
        #expect(pad.down(150, 100, nil).first == .button(.accept, isPressed: false))
        #expect(pad.told(1).allSatisfy { $0 != .refused(.noInk) && $0 != .saving })
    }

    @Test("places that are none, or beyond any page, change nothing", arguments: [Double.nan, .infinity, -1e300])
    func nowhere(value: Double) {
        var pad = makePad()
        #expect(pad.down(value, 100).isEmpty)
        pad.up()
        pad.down(100, 100)
        #expect(pad.move(value, value).isEmpty)
        #expect(points(pad.move(110, 110)).map(\.place) == [Point(x: 110, y: 110)])
    }
}
