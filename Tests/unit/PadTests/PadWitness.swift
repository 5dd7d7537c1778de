// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Ink
import Record
import Touch

@testable import Pad

/// Checks a pad's actions and lists violations of its rules.
struct PadWitness {
    private(set) var faults: [String] = []
    private(set) var outcomes: [CaptureOutcome] = []
    private(set) var busyCount = 0
    private(set) var strokesDrawn = 0
    /// The stroke being drawn, and the finished ones on the page.
    private var open: [Point]?
    private var canvas: [[Point]] = []
    /// The strokes that the last clear removed.
    private var cleared: [[Point]]?
    /// The buttons, the hint and the banner as the display shows them.
    private var buttons: [PageButton: ButtonState] = [:]
    private var showsHint = false
    private var banner: Banner?
    private var ring: PixelRect?
    private var entries: [CaptureEntry] = []
    /// The number of entries on the medium.
    private var keptCount = 0
    /// Entries that the host has not heard of: their index, and the strokes on the page after each.
    private var unsent: [(entry: Int, strokes: Int)] = []
    private var running: CaptureID?
    private var allowsUndo = false
    private var (begun, committed, discarded): (Set<CaptureID>, Set<CaptureID>, Set<CaptureID>) = ([], [], [])
    /// The hover events of the capture, and those in its record.
    private var hovers: [CaptureInAir.Sample] = []
    private var start = Timestamp.zero
    /// The first and the latest positions of contacts.
    private var downs: [Int32: (first: Point, last: Point)] = [:]
    /// Calls for a signature, and their final replies.
    private(set) var openCalls: Set<CallID> = []
    private var askedPolicy: [CallID: CapturePolicy] = [:]

    private mutating func expect(_ holds: Bool, _ fault: String) { if !holds { faults.append(fault) } }

    mutating func see(_ event: PadEvent, _ actions: [PadAction], at now: Timestamp, _ pad: Pad) {
        if case .call(let call, .capture(let capture), _) = event {
            openCalls.insert(call)
            askedPolicy[call] = capture.policy
        }
        if case .touch(let touch, _) = event {
            let (contact, position) = (touch.contact, touch.sample.position)
            switch touch.phase {
            case .began: downs[contact] = (position, position)
            // It cannot press a button: it did not come down there.
            case .resumed: downs[contact] = (Point(x: -1, y: -1), position)
            case .moved: downs[contact]?.last = position
            case .ended, .retired, .cancelled: break
            }
        }
        if case .stored(.appended(let id)) = event, id == running { keptCount += 1 }
        for action in actions { see(action, because: event, at: now) }
        switch event {
        case .touch(let touch, _):
            if [.ended, .retired, .cancelled].contains(touch.phase) { downs[touch.contact] = nil }
        case .hover(let hover, let device, let time):
            expect(actions.ink.allSatisfy { $0.place == nil }, "ink of a hovering pen")
            if running != nil, pad.page == .signing || pad.page == .refused {
                hovers.append(
                    CaptureInAir.Sample(
                        microseconds: (time - start).microseconds, x: hover.x, y: hover.y,
                        distance: device == 0 ? nil : hover.distance))
            }
        default: break
        }
        if let deadline = pad.deadline {
            expect(deadline > now, "a deadline in the past: \(deadline) on \(pad.page) at \(now)")
        }
        expect(running != nil || (open == nil && canvas.isEmpty && cleared == nil), "ink without a capture")
        // Reports that continue a stroke are many, and change nothing else.
        if actions.contains(where: { if case .render(.ink(.move, _)) = $0 { false } else { true } }) { checkPage(pad) }
    }

    /// Checks that buttons, hint and banner show the state of the pad.
    private mutating func checkPage(_ pad: Pad) {
        // The page may also ask whether anybody is there.
        let isRefusal = banner?.isWarning ?? false
        expect(isRefusal == (pad.page == .refused), "a banner on the page \(pad.page): \(banner as Any)")
        expect(banner == nil || isRefusal || pad.page == .signing, "a question on the page \(pad.page)")
        let pressed = buttons.filter(\.value.isPressed).keys.first
        if let pressed {
            let isHeld = downs.values.contains { isOn(pressed, $0.first) && isOn(pressed, $0.last) }
            expect(isHeld && open == nil && running != nil, "\(pressed) stays pressed")
        }
        guard let capture = pad.running else { return }
        let isSaving = pad.page == .saving
        expect(buttons.count == capture.policy.buttons.count, "other buttons")
        for (button, state) in buttons {
            let isEnabled =
                switch button {
                case .undo: !canvas.isEmpty || cleared != nil
                case .clear: !canvas.isEmpty
                case .accept: capture.refusal == nil
                default: true
                }
            let expected = ButtonState(
                isPressed: button == pressed, isEnabled: isEnabled && !isSaving, isBusy: button == .accept && isSaving)
            expect(state == expected, "\(button) looks otherwise: \(state)")
        }
        expect(showsHint == (canvas.isEmpty && open == nil && banner == nil), "the hint is wrong")
    }

    private mutating func see(_ action: PadAction, because event: PadEvent, at now: Timestamp) {
        switch action {
        case .render(let rendered): see(rendered, because: event)
        case .store(let stored): see(stored, because: event, at: now)
        case .reply(let call, let reply): see(call, reply)
        case .simulate: faults.append("a simulated person")
        case .requestReport: faults.append("a report")
        case .document: faults.append("a document")
        case .speech: faults.append("speech")
        }
    }

    private mutating func see(_ action: RenderAction, because event: PadEvent) {
        switch action {
        case .button(let button, let state):
            guard let last = buttons.updateValue(state, forKey: button) else {
                return faults.append("button \(button) is not on the page")
            }
            expect(last != state, "\(button) was shown twice")
        case .ink(.begin(let sample), _):
            expect(open == nil, "a stroke within a stroke")
            open = []
            draw(sample.position, because: event)
        case .ink(.move(let sample), _): draw(sample.position, because: event)
        case .ink(.end, _):
            canvas.append(open ?? [])
            strokesDrawn += 1
            expect(open != nil, "an end without a stroke")
            open = nil
        case .ink(.cancel, _):
            expect(open != nil, "a cancel without a stroke")
            open = nil
        case .undo:
            expect(open == nil && (!canvas.isEmpty || cleared != nil), "undo of nothing, or while drawing")
            if canvas.popLast() == nil { (canvas, cleared) = (cleared ?? [], nil) }
        case .clear:
            expect(open == nil && !canvas.isEmpty, "clear of nothing, or while drawing")
            (cleared, canvas) = (canvas, [])
        case .wipe:
            expect(open == nil, "wipe while drawing")
            (cleared, canvas) = (nil, [])
        case .show(let page):
            (buttons, banner) = ([:], nil)
            for case .button(let button, _) in page.elements { buttons[button] = ButtonState() }
            showsHint = page.inkField != nil
        case .hint(let isShown):
            expect(isShown != showsHint, "the hint was shown twice")
            showsHint = isShown
        case .banner(let next): banner = next
        case .focus(let place):
            expect(place != ring, "the ring was shown twice")
            ring = place
        case .use: expect(canvas.isEmpty && open == nil, "another pen within a capture")
        case .screenshot, .backdrop, .sign: break
        case .layOut, .redo, .restore, .label, .document: expect(false, "\(action)")
        }
    }

    private mutating func draw(_ place: Point, because event: PadEvent) {
        expect(open != nil, "ink without a stroke")
        open?.append(place)
        let area = TestPad.area.rect
        expect(
            area.minX <= place.x && place.x <= area.maxX && area.minY <= place.y && place.y <= area.maxY,
            "ink outside at \(place)")
        guard case .touch(let touch, _) = event, let down = downs[touch.contact] else {
            return faults.append("ink without a touch")
        }
        let began = PageButton.signing.first { isOn($0, down.first) && ($0 != .undo || allowsUndo) }
        expect(began == nil, "ink of a contact that began on a button")
    }

    private func isOn(_ button: PageButton, _ point: Point) -> Bool {
        let rect = TestPad.rect(button)
        return Double(rect.minX) <= point.x && point.x < Double(rect.maxX) && Double(rect.minY) <= point.y
            && point.y < Double(rect.maxY)
    }

    /// Whether the event lifts a contact on this button that also came down on it.
    private func isPress(of button: PageButton, _ event: PadEvent) -> Bool {
        guard case .touch(let touch, _) = event, touch.phase == .ended, let down = downs[touch.contact] else {
            return false
        }
        return isOn(button, down.first) && isOn(button, down.last)
    }

    private mutating func see(_ action: StoreAction, because event: PadEvent, at now: Timestamp) {
        switch action {
        case .begin(let header):
            guard let id = CaptureID(header.id) else { return faults.append("a name that is none") }
            expect(running == nil && begun.insert(id).inserted, "a record begun twice, or within another")
            expect(header.startedAtDeviceTime == now.microseconds, "a record of another time")
            (running, entries, hovers, start) = (id, [], [], now)
            (keptCount, unsent) = (0, [])
        case .append(let id, let entry):
            expect(id == running && !committed.contains(id), "an entry of no open record")
            entries.append(entry)
            if case .inAir = entry {} else { unsent.append((entries.count - 1, canvas.count)) }
            if case .action(let action, _) = entry { see(action, of: id, because: event) }
            let visible = CaptureRecord(header: Self.header, entries: entries).visibleStrokes.map(\.samples.count)
            expect(visible.count == canvas.count, "the record and the page differ")
        case .commit(let id, let end):
            let isCall = if case .call(_, .accept(id), _) = event { true } else { false }
            expect(isPress(of: .accept, event) || isCall, "accepted without Accept")
            expect(id == running && committed.insert(id).inserted && end.outcome == .accepted, "a commit out of order")
            expect(!canvas.isEmpty && open == nil, "accepted without ink")
            let recorded = entries.flatMap { entry -> [CaptureInAir.Sample] in
                if case .inAir(let movement) = entry { movement.samples } else { [] }
            }
            expect(recorded == hovers, "the record's hovering pens are not those that there were")
        case .discard(let id):
            expect(id == running && discarded.insert(id).inserted, "a discard of no running capture")
            running = nil
        case .keepScatter(let devices): expect(!devices.isEmpty, "nothing to keep")
        case .check, .keepDocument, .readKey, .sketch, .openSketch, .saveSketch: expect(false, "\(action)")
        }
    }

    private mutating func see(_ action: CaptureEntry.Action, of id: CaptureID, because event: PadEvent) {
        let isPalm = if case .touch(let touch, _) = event { touch.phase == .cancelled } else { false }
        switch action {
        case .undo: expect(isPress(of: .undo, event) && allowsUndo || isPalm, "undo without Undo")
        case .clear:
            let isCall = if case .call(_, .clear(id), _) = event { true } else { false }
            expect(isPress(of: .clear, event) || isCall, "clear without Clear")
        case .redo: faults.append("redo")
        }
    }

    private mutating func see(_ call: CallID, _ reply: PadReply) {
        switch reply {
        case .capture(let progress) where progress.outcome == nil:
            expect(openCalls.contains(call), "progress after the end")
            if progress.state == .signing {
                if unsent.isEmpty {
                    expect(progress.strokes == canvas.count, "\(progress.strokes ?? 0) strokes of \(canvas.count)")
                } else {
                    let (entry, strokes) = unsent.removeFirst()
                    expect(progress.strokes == strokes, "\(progress.strokes ?? 0) strokes of \(strokes)")
                    expect(entry < keptCount, "told before it was on the medium")
                }
            }
            if progress.id == running { allowsUndo = askedPolicy[call]?.undo != false }
        case .capture(let ended):
            guard let outcome = ended.outcome else { return }
            expect(openCalls.remove(call) != nil, "ended twice")
            outcomes.append(outcome)
            if outcome == .accepted {
                expect(committed.contains(ended.id) && !discarded.contains(ended.id), "accepted, but not kept")
                running = nil
            } else if begun.contains(ended.id) {
                expect(discarded.contains(ended.id), "kept after \(outcome)")
            }
        case .failed(let error):
            if openCalls.remove(call) != nil, case .busy = error { busyCount += 1 }
        case .done, .status, .health, .reloaded, .abilities, .changed, .events, .screenshot, .mirrored, .backdrop,
            .paired:
            break
        }
    }

    private static let header = CaptureHeader(
        id: "a", startedAt: 0, startedAtDeviceTime: 0, program: "", devices: [PadDriver.device],
        screen: CaptureScreen(width: 400, height: 300, pixelsPerMillimetre: 10, signingArea: []),
        request: CaptureRequest())
}
