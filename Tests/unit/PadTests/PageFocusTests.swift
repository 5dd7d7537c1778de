// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import HostAPI
import PadFixtures
import Record
import Testing
import Touch

@testable import Pad

@Suite("Keys on the page, and the control that they press")
struct PageFocusTests {
    private static let question = CaptureQuestion(name: "q", kind: .choice, text: "How?", choices: ["x", "y"])
    private static let fields: [Field] = [
        .made(.check, "consent"), .made(.signature, "S01", page: 2, at: 100),
    ]

    /// The label of the control with the focus.
    private func focused(_ pad: FlowDriver) -> String? {
        pad.pad.description.controls.first { $0.id == pad.pad.focus?.control }?.label
    }

    /// The ring that the picture has.
    private func ring(_ pad: FlowDriver) -> PixelRect? {
        for case .render(.focus(let place)) in pad.actions.reversed() { return place }
        return nil
    }

    /// The pad with a question, and after it a document.
    private func asked(_ use: KeyUse = .keys) -> FlowDriver {
        var pad = FlowDriver(fields: Self.fields)
        pad.pad.settings.keys.use = use
        pad.call(CaptureFlow(document: FlowDriver.read(), questions: [Self.question]))
        pad.wait(.seconds(1))
        return pad
    }

    private func press(_ pad: inout FlowDriver, _ keys: PageKey...) {
        for key in keys { pad.handle(.key(key)) }
    }

    @Test("the focus goes round the controls in the order of reading, with a ring at each")
    func order() {
        var pad = asked()
        #expect(pad.pad.focus == nil && ring(pad) == nil)
        let controls = pad.pad.description.controls.filter(\.isEnabled)
        #expect(controls.count > 2)
        for control in controls + [controls[0]] {
            press(&pad, .next)
            #expect(focused(pad) == control.label)
            #expect(ring(pad).map(MirrorReply.Rectangle.init) == control.place || control.name == "field")
        }
        press(&pad, .previous)
        #expect(focused(pad) == controls.last?.label)
    }

    @Test("a person with keys alone reads, ticks, answers and comes to the page for the signature")
    func session() {
        var pad = asked()
        press(&pad, .next)
        #expect(focused(pad) == "consent")
        // The ring is around the field, which it does not cover.
        let place = pad.pad.description.controls[0].place
        #expect(ring(pad)?.contains(PixelRect(place)) == true && ring(pad) != PixelRect(place))
        #expect(FlowDriver.viewport.contains(ring(pad) ?? .empty))
        press(&pad, .press)
        #expect(pad.pad.description.controls[0].isChosen == true && focused(pad) == "consent")
        press(&pad, .previous, .press)
        pad.wait(.seconds(1))
        #expect(pad.pad.page == .question && pad.pad.focus == nil && ring(pad) == nil)
        press(&pad, .down, .down)
        #expect(focused(pad) == "y")
        press(&pad, .press)
        #expect(pad.pad.description.controls.map(\.isChosen).prefix(2) == [false, true])
        press(&pad, .up)
        #expect(focused(pad) == "x")
    }

    @Test("arrows move a document and the ring of its field; a field that is out of sight loses it")
    func document() {
        var pad = asked()
        press(&pad, .next)
        let first = ring(pad)
        press(&pad, .down)
        pad.wait(.milliseconds(400))
        #expect(focused(pad) == "consent" && ring(pad) != first)
        press(&pad, .end)
        pad.wait(.milliseconds(400))
        #expect(pad.pad.description.document?.page == 2 && pad.pad.focus == nil && ring(pad) == nil)
        press(&pad, .start)
        pad.wait(.milliseconds(400))
        // A keypad has no Tab.
        press(&pad, .right, .right, .left)
        #expect(focused(pad) == "consent")
        // In an enlarged document they move the view.
        press(&pad, .right, .larger, .right)
        #expect(focused(pad) == "Cancel" && (pad.pad.description.document?.zoom ?? 1) > 1)
        press(&pad, .smaller)
        pad.wait(.milliseconds(400))
        #expect(pad.pad.description.document?.page == 1)
    }

    @Test("a touch takes the ring away, and Enter without a ring presses nothing")
    func touch() {
        var pad = asked()
        // Two quick presses: the second one is not for what has just come.
        press(&pad, .press, .press)
        #expect(focused(pad) == "consent" && pad.pad.description.controls[0].isChosen == false)
        pad.tap(Point(x: 200, y: 250))
        #expect(pad.pad.focus == nil && ring(pad) == nil)
    }

    @Test("with one switch the pad goes round until it is pressed, and after three rounds waits")
    func oneSwitch() {
        var pad = asked(.oneSwitch)
        #expect(pad.pad.focus == nil)
        press(&pad, .press)
        let controls = pad.pad.description.controls.filter(\.isEnabled)
        #expect(focused(pad) == controls[0].label)
        pad.wait(.milliseconds(1600))
        #expect(focused(pad) == controls[1].label)
        // The document is one of them.
        for _ in 0..<controls.count { pad.wait(.milliseconds(1600)) }
        #expect(focused(pad) == "consent")
        pad.wait(.milliseconds(200))
        press(&pad, .press)
        #expect(pad.pad.description.controls[0].isChosen == true && focused(pad) == "consent")
        for _ in 0..<(3 * (controls.count + 1) + 1) { pad.wait(.milliseconds(1600)) }
        #expect(pad.pad.focus == nil && ring(pad) == nil)
        press(&pad, .press)
        #expect(focused(pad) == "consent")
    }

    @Test("a switch turns the document, and after its end begins again", arguments: [KeyUse.oneSwitch, .twoSwitches])
    func turnedDocument(use: KeyUse) {
        var pad = asked(use)
        func pages() -> ClosedRange<Double> { pad.pad.running?.flow.reading?.view.share ?? 0...1 }
        press(&pad, .press)
        for _ in 0..<20 where pad.pad.focus?.control != Pad.documentControl {
            if use == .oneSwitch { pad.wait(.milliseconds(1600)) } else { press(&pad, .next) }
        }
        #expect(pad.pad.focus?.control == Pad.documentControl)
        #expect(pad.pad.focus?.place == FlowDriver.viewport)
        var places = [pages().lowerBound]
        for _ in 0..<50 where pages().upperBound < 0.9999 {
            pad.wait(.milliseconds(300))
            press(&pad, .press)
            places.append(pages().lowerBound)
        }
        #expect(pages().upperBound >= 0.9999 && places == places.sorted() && places.count > 3)
        pad.wait(.milliseconds(300))
        press(&pad, .press)
        #expect(pages().lowerBound == 0)
    }

    @Test("on the next page one switch begins anew, without a press")
    func nextPage() {
        var pad = asked(.oneSwitch)
        for _ in 0..<20 where pad.pad.page != .question {
            let control = pad.pad.description.controls.first { $0.id == pad.pad.focus?.control }
            // The first press starts; then the box is ticked, and "Next" pressed.
            if control == nil || control?.isChosen == false || control?.name == "lead" { press(&pad, .press) }
            pad.wait(.milliseconds(800))
        }
        #expect(pad.pad.page == .question && focused(pad) == "x")
    }

    @Test("arrows follow the direction of the page")
    func mirrored() {
        var pad = FlowDriver()
        pad.pad.settings.messages = MessageTable.shipped[.arabic]!
        pad.call(CaptureFlow(questions: [Self.question]))
        pad.wait(.seconds(1))
        press(&pad, .left)
        let first = focused(pad)
        press(&pad, .left, .right)
        #expect(first == "x" && focused(pad) == "x")
    }

    @Test("a pairing is allowed by keys")
    func pairing() {
        var pad = PadDriver()
        let call = pad.call(.pair(PairingRequest(name: "till-3", digits: "012345")))
        pad.now += .seconds(3)
        pad.handle(.key(.next))
        let controls = pad.pad.description.controls
        #expect(controls.count == 2 && pad.pad.focus?.control == controls[0].id)
        pad.handle(.key(controls[0].name == "accept" ? .down : .next))
        let name = controls.first { $0.id == pad.pad.focus?.control }?.name
        if name != "accept" { pad.handle(.key(.next)) }
        pad.handle(.key(.press))
        if case .paired? = pad.last(call) {} else { Issue.record("\(String(describing: pad.last(call)))") }
        #expect(pad.pad.focus == nil)
    }

    @Test("keys do nothing without a capture, and answer the question whether anybody is there")
    func idle() {
        var pad = PadDriver()
        for key in PageKey.allCases { pad.handle(.key(key)) }
        #expect(pad.pad.focus == nil && pad.pad.page == .idle)
        pad.capture()
        let before = pad.pad.running?.lastTouch
        pad.now += .seconds(5)
        pad.handle(.key(.next))
        #expect(pad.pad.running?.lastTouch != before)
    }
}

extension PixelRect {
    fileprivate init(_ place: MirrorReply.Rectangle) {
        self.init(minX: place.x, minY: place.y, maxX: place.x + place.width, maxY: place.y + place.height)
    }
}
