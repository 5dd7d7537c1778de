// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Ink
import Pad
import PadFixtures
import Pages
import Panel
import Raster
import Record
import TestSupport
import Testing
import Touch

@testable import inkpanel

/// A screen with the words of a language on it.
private struct TestScreen: CustomTestStringConvertible {
    var language: MessageTable.Language
    var width, height: Int
    var gloves = false

    var testDescription: String { "\(language.rawValue) \(width)x\(height)\(gloves ? " gloves" : "")" }
    var size: PixelSize { PixelSize(width: width, height: height) }

    static let all = MessageTable.Language.allCases.flatMap { language in
        [
            TestScreen(language: language, width: 1280, height: 720),
            TestScreen(language: language, width: 480, height: 320, gloves: true),
            TestScreen(language: language, width: 720, height: 1280),
        ]
    }
}

/// A pad without threads whose capture has begun, and the person's way to it.
private struct Rig: DrivenPad {
    let person: SimulatedPerson
    var pad: Pad
    private var gate: ContactGate
    private var page: PlacedPage?
    private let call = CallID(1)
    private(set) var progress: [CaptureReply] = []
    private(set) var outcome: CaptureOutcome?
    var now = Timestamp(microseconds: 1_000_000)
    private var asked: (LayoutID, Page)?

    init(
        _ screen: TestScreen, _ painter: inout PagePainter, prompt: String = "Order 4711", letters: Double? = nil
    ) throws {
        person = try SimulatedPerson(panel: screen.size)
        let mapping = try #require(PanelMapping(person.description, panel: screen.size))
        gate = ContactGate(mappings: [mapping])
        var settings = PadSettings(
            messages: MessageTable(screen.language), pen: Pen(), color: .black, paper: .white, policy: .standard,
            idle: [.words("x")], program: "inkpanel", wallClock: { 0 },
            date: { _ in LocalDate(text: "2026-11-24", offsetSeconds: 0, zone: nil) }, random: { 1 })
        settings.isSimulated = true
        let padScreen = PadScreen(
            name: "memory", panelSize: screen.size, rotation: .none, density: .standard, pageDensity: nil,
            gloves: screen.gloves)
        pad = Pad(settings, screen: padScreen)
        let device = try #require(CaptureDevice(person.description, mapping: mapping))
        _ = pad.handle(.devices([person.name], [device]), at: now)
        var capture = CaptureCall(
            request: CaptureRequest(prompt: [prompt], signer: "C. Lindell"), follows: true)
        capture.letters = letters
        handle(.call(call, .capture(capture), .all))
        let asked = asked
        let (id, wanted) = try #require(asked)
        let placed = try painter.placeWithTexts(wanted, size: screen.size, density: nil, gloves: screen.gloves)
        handle(.laidOut(id, .success(placed)))
        page = pad.signingPage
        progress = []
    }

    var pageName: PanelStatus.Page { pad.page }

    mutating func perform(_ act: SimulatedAct, hasInk: Bool = false) {
        page = pad.signingPage ?? page
        guard let page else { return }
        play(person.touches(of: act, on: page, hasInk: hasInk, from: now + .milliseconds(1))[...])
    }

    /// Signs until another act interrupts the hand.
    mutating func signHalf() {
        guard let page else { return }
        let touches = person.touches(of: .sign, on: page, hasInk: false, from: now + .milliseconds(1))
        play(touches[..<(touches.count / 2)])
        for touch in gate.remove(0, at: now) { handle(.touch(touch, reported: now)) }
    }

    private mutating func play(_ touches: ArraySlice<TouchFrame>) {
        for frame in touches {
            now = frame.time
            for touch in gate.update(with: frame, of: 0) { handle(.touch(touch, reported: now)) }
        }
    }

    mutating func carryOut(_ action: PadAction) -> PadEvent? {
        switch action {
        case .render(.layOut(let id, let page)): asked = (id, page)
        case .store(.commit(let id, _)): return .stored(.committed(id))
        case .store(let action): return action.answer.map { .stored($0) }
        case .reply(_, .capture(let reply)):
            if let end = reply.outcome { outcome = end } else { progress.append(reply) }
        case .render, .reply, .simulate, .requestReport, .document, .speech: break
        }
        return nil
    }
}

@Suite("A simulated person")
struct SimulatedPersonTests {
    @Test(
        "acts as it should on the page of every language, in every size",
        arguments: Breadth.share(of: TestScreen.all, part: 4))
    fileprivate func acts(screen: TestScreen) throws {
        var painter = PagePainter(theme: .light, fonts: try Fonts())
        var signs = try Rig(screen, &painter)
        signs.perform(.sign)
        #expect(signs.outcome == .accepted && signs.progress.last?.strokes == 2)
        var cancels = try Rig(screen, &painter)
        cancels.perform(.cancel)
        #expect(cancels.outcome == .cancelled(by: .person))
        var refuses = try Rig(screen, &painter)
        refuses.perform(.refuse)
        #expect(refuses.progress.map(\.state) == [.refused(.noInk)] && refuses.outcome == nil)
        #expect(refuses.pageName == .refused)
        // In the running capture, after some ink.
        refuses.perform(.leave, hasInk: true)
        #expect(refuses.progress.count == 1)
        refuses.perform(.sign, hasInk: true)
        #expect(refuses.outcome == .accepted)
    }

    @Test("removes ink before it signs again or is refused")
    func again() throws {
        var painter = PagePainter(theme: .light, fonts: try Fonts())
        let screen = TestScreen(language: .english, width: 800, height: 480)
        for act in [SimulatedAct.sign, .refuse] {
            var rig = try Rig(screen, &painter)
            rig.signHalf()
            #expect(rig.progress.last?.strokes == 1)
            rig.perform(act, hasInk: true)
            #expect(rig.progress.contains { $0.strokes == 0 && $0.state == .signing })
            #expect((rig.outcome == .accepted) == (act == .sign) && (rig.pageName == .refused) == (act == .refuse))
        }
    }

    @Test("turns the pages with texts in large letters, and acts on the page after them")
    func largeTexts() throws {
        var painter = PagePainter(theme: .light, fonts: try Fonts())
        let screen = TestScreen(language: .english, width: 800, height: 480)
        let prompt = String(repeating: "I have received twelve parcels. ", count: 6)
        for act in [SimulatedAct.sign, .refuse, .cancel] {
            var rig = try Rig(screen, &painter, prompt: prompt, letters: 4.9)
            #expect(rig.pageName == .reading)
            var count = 0
            while rig.outcome == nil, rig.pageName != .refused, count < 20 {
                rig.perform(act)
                count += 1
            }
            #expect((count > 1) == (act != .cancel) && (rig.outcome == .accepted) == (act == .sign))
            #expect((rig.outcome == .cancelled(by: .person)) == (act == .cancel))
        }
    }

    @Test("is named in records as what it is, with the axes of a pen")
    func device() throws {
        let device = try SimulatedPerson(panel: PixelSize(width: 800, height: 480)).description
        #expect(device.name == "simulated hand" && device.bus == 6 && device.pressureAxis != nil)
    }
}
