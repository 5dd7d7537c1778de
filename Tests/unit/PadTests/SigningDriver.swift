// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Ink
import PadFixtures
import Record
import Touch

@testable import Pad

/// A pad with the page of ``TestPad``, and shorthands for a person's actions. Calls are prepared at once.
struct SigningDriver: DrivenPad {
    var pad: Pad
    /// What the device tells of the tool.
    var tool = ToolIdentity()
    var now = Timestamp(microseconds: 1_000_000)
    private(set) var actions: [PadAction] = []
    private(set) var ids: [UInt64: CaptureID] = [:]

    init(sampleLimit: Int = CaptureLimits.strokeSampleCount) {
        pad = Pad(PadDriver.settings(policy: .standard), screen: TestPad.screen, sampleLimit: sampleLimit)
        _ = pad.handle(.devices(["touch"], [PadDriver.device, PadDriver.pen]), at: now)
    }

    mutating func carryOut(_ action: PadAction) -> PadEvent? {
        switch action {
        case .render(.layOut(let id, let page)): .laidOut(id, .success(TestPad.place(page)))
        // Tests decide how captures end.
        case .store(.discard): nil
        case .store(let action): action.answer.map { .stored($0) }
        case .render, .reply, .simulate, .requestReport, .document, .speech: nil
        }
    }

    mutating func see(_ event: PadEvent, _ actions: [PadAction]) { self.actions += actions.filter { !$0.prepares } }

    /// - Returns: the pad's actions, without those for preparing.
    @discardableResult
    mutating func send(_ event: PadEvent) -> [PadAction] {
        let count = actions.count
        handle(event)
        return Array(actions[count...])
    }

    /// Sends a call for a signature with this number.
    @discardableResult
    mutating func call(_ number: UInt64, _ policy: CapturePolicy = CapturePolicy()) -> [PadAction] {
        let request = CaptureRequest(prompt: ["Sign \(number)"], signer: "Ada")
        let capture = CaptureCall(request: request, policy: policy, follows: true)
        let done = send(.call(CallID(number), .capture(capture), .all))
        if let id = pad.status.running?.id, !ids.values.contains(id) { ids[number] = id }
        return done
    }

    func id(_ number: UInt64) -> CaptureID { ids[number] ?? CaptureID("none")! }

    /// Sends another call about the capture of a call.
    @discardableResult
    mutating func operate(_ asked: (CaptureID?) -> PadCall, _ number: UInt64) -> [PadAction] {
        send(.call(CallID(1000 + number), asked(id(number)), .all))
    }

    @discardableResult
    mutating func down(_ x: Double, _ y: Double, _ contact: Int32 = 1) -> [PadAction] {
        touch(.began, x, y, contact)
    }

    @discardableResult
    mutating func move(_ x: Double, _ y: Double, _ contact: Int32 = 1) -> [PadAction] {
        touch(.moved, x, y, contact)
    }

    @discardableResult
    mutating func resume(_ x: Double, _ y: Double, _ contact: Int32 = 1) -> [PadAction] {
        touch(.resumed, x, y, contact)
    }

    @discardableResult
    mutating func up(_ contact: Int32 = 1) -> [PadAction] { touch(.ended, 0, 0, contact) }

    @discardableResult
    mutating func palm(_ contact: Int32 = 1) -> [PadAction] { touch(.cancelled, 0, 0, contact) }

    @discardableResult
    mutating func hover(_ x: Int32, _ y: Int32, device: Int = 1) -> [PadAction] {
        now += .milliseconds(8)
        return send(.hover(PenHover(x: x, y: y, distance: x), device: device, at: now))
    }

    private mutating func touch(
        _ phase: Contact.Phase, _ x: Double, _ y: Double, _ contact: Int32
    ) -> [PadAction] {
        let count = actions.count
        touch(phase, at: Point(x: x, y: y), contact: contact, tool: tool)
        return Array(actions[count...])
    }

    @discardableResult
    mutating func press(_ button: PageButton) -> [PadAction] {
        let place = TestPad.center(button)
        return down(place.x, place.y) + up()
    }

    mutating func stroke(_ places: [(x: Double, y: Double)]) {
        down(places[0].x, places[0].y)
        for place in places.dropFirst() { move(place.x, place.y) }
        up()
    }

    /// Draws enough for a signature: a zigzag of half a second.
    mutating func sign() { stroke(Self.zigzag(60)) }

    static func zigzag(_ count: Int) -> [(x: Double, y: Double)] {
        var places: [(x: Double, y: Double)] = []
        for index in 0..<count { places.append((100 + Double(index) * 2, index % 2 == 0 ? 100 : 150)) }
        return places
    }

    /// A straight line through the middle of the area, with as many points as ``sign()``.
    static func line(_ x: Double, _ y: Double) -> [(x: Double, y: Double)] {
        var places: [(x: Double, y: Double)] = []
        for index in -30..<30 { places.append((200 + Double(index) * x, 130 + Double(index) * y)) }
        return places
    }

    // MARK: results

    /// The entries of a call's record.
    func entries(_ number: UInt64) -> [CaptureEntry] {
        actions.compactMap { if case .store(.append(id(number), let entry)) = $0 { entry } else { nil } }
    }

    /// The progress replies to a call.
    func progress(_ number: UInt64) -> [CaptureReply] {
        actions.compactMap { action in
            if case .reply(CallID(number), .capture(let reply)) = action, reply.outcome == nil { reply } else { nil }
        }
    }

    func outcome(_ number: UInt64) -> CaptureOutcome? {
        actions.lazy.compactMap {
            if case .reply(CallID(number), .capture(let reply)) = $0 { reply.outcome } else { nil }
        }
        .first
    }
}

extension PadAction {
    /// Whether it asks for what a capture needs to begin.
    var prepares: Bool {
        switch self {
        case .render(.layOut), .store(.check): true
        default: false
        }
    }
}

extension [PadAction] {
    /// Why the ink was refused; nil if it was not.
    var refusal: Refusal? {
        for case .reply(_, .capture(let progress)) in self {
            if case .refused(let refusal) = progress.state { return refusal }
        }
        return nil
    }

    /// The committed record.
    var committed: CaptureEnd? {
        for case .store(.commit(_, let end)) in self { return end }
        return nil
    }

    var discarded: CaptureID? {
        for case .store(.discard(let id)) in self { return id }
        return nil
    }

    /// Stroke events, undo and clear.
    var ink: [RenderAction] {
        compactMap { action in
            switch action {
            case .render(.ink), .render(.undo), .render(.redo), .render(.clear), .render(.wipe):
                if case .render(let rendered) = action { rendered } else { nil }
            default: nil
            }
        }
    }

    /// The states that a button was shown in.
    func states(of wanted: PageButton) -> [ButtonState] {
        compactMap { if case .render(.button(wanted, let state)) = $0 { state } else { nil } }
    }

    /// The number of strokes in the latest progress reply.
    var strokeCount: Int? {
        reversed().lazy.compactMap { if case .reply(_, .capture(let progress)) = $0 { progress.strokes } else { nil } }
            .first
    }

    /// The names of what a person saw: headlines, banners, "signing" for the signing page without a banner, and
    /// "saving" while Accept is busy.
    var pages: [String] {
        compactMap { action in
            switch action {
            case .render(.show(let page)): page.headline ?? "signing"
            case .render(.banner(let banner)): banner?.text ?? "signing"
            case .render(.button(.accept, let state)): state.isBusy ? "saving" : nil
            default: nil
            }
        }
    }
}

extension RenderAction {
    var isEnd: Bool { if case .ink(.end, _) = self { true } else { false } }
    var isCancel: Bool { if case .ink(.cancel, _) = self { true } else { false } }

    /// The position of a begin or a move.
    var place: Point? {
        switch self {
        case .ink(.begin(let sample), _), .ink(.move(let sample), _): sample.position
        default: nil
        }
    }
}
