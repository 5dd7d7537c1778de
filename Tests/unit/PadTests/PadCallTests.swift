// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Linux
import PadFixtures
import Raster
import Record
import Testing
import Touch

@testable import Pad

@Suite("The pad and its hosts")
struct PadCallTests {
    @Test("a last page stays for who touches it, but not for a second tap, and the next capture replaces it")
    func reading() throws {
        var pad = PadDriver()
        pad.capture()
        pad.sign()
        pad.press(.accept)
        let id = try #require(pad.runningID)
        pad.handle(.stored(.committed(id)))
        let usual = try #require(pad.pad.deadline)
        let place = Point(x: 100, y: 100)
        pad.touch(.began, at: place)
        pad.touch(.ended, at: place)
        #expect(pad.pad.deadline == usual)
        pad.now += .seconds(2)
        pad.touch(.began, at: place)
        #expect(pad.pad.deadline == pad.now + .seconds(20))
        pad.touch(.ended, at: place)
        #expect(pad.pad.page == .thanks)
        pad.capture()
        #expect(pad.pad.page == .signing)
        pad.press(.cancel)
        pad.rest()
        #expect(pad.pad.page == .idle)
    }

    @Test("a complete capture: called, drawn, accepted, stored, answered")
    func whole() throws {
        var pad = PadDriver()
        let call = pad.capture()
        let id = try #require(pad.runningID)
        #expect(pad.pad.status.page == .signing)
        pad.sign()
        #expect(pad.pad.status.running?.strokes == 1)
        pad.press(.accept)
        #expect(pad.pad.status.page == .saving)
        pad.handle(.stored(.committed(id)))
        #expect(pad.pad.status.page == .thanks)
        #expect(pad.last(call) == .capture(CaptureReply(id: id, state: .ended(.accepted))))
        pad.rest()
        #expect(pad.pad.status.page == .idle && pad.rendered.last == .show(.words("idle")))

        guard case .begin(let header) = pad.stored[0], case .append(id, .stroke(let stroke)) = pad.stored[1],
            case .commit(id, let end) = pad.stored[2]
        else {
            Issue.record("\(pad.stored)")
            return
        }
        #expect(pad.stored.count == 3)
        #expect(header.id == id.description && header.request.prompt == ["Sign"])
        #expect(header.date == PadDriver.date && pad.layout?.page.texts(of: .date) == [PadDriver.date.text])
        #expect(header.screen.penLook?.width == 0.8)
        #expect(header.screen.penLook?.color == "#c01020" && header.screen.penLook?.paper == "#ffffff")
        let area = try #require(pad.layout?.inkArea.bounds)
        #expect(header.screen.signingArea == [area.minX, area.minY, area.width, area.height])
        #expect(stroke.samples.count == 10 && end.outcome == .accepted)
        // The host receives the stroke: its first report is 20 pixels from the area's corner.
        let told = pad.replies[call]?.compactMap { answer -> HostStroke? in
            if case .capture(let progress) = answer { progress.stroke } else { nil }
        }
        let first = try #require(told?.first?.samples.first)
        let pixels = header.screen.pixelsPerMillimetre
        #expect(abs(first.x * pixels - 20.05) < 0.001 && abs(first.y * pixels - 20.05) < 0.001)
        #expect(told?.count == 1)
    }

    @Test("a host hears of a stroke when it is on the medium; the mirror shows it at once")
    func durable() throws {
        var pad = PadDriver()
        let call = pad.capture()
        let watcher = pad.call(.watch)
        func told() -> [Int] {
            pad.replies[call]?.compactMap { if case .capture(let progress) = $0 { progress.strokes } else { nil } }
                ?? []
        }
        func watched() -> Int? {
            if case .changed(let status)? = pad.replies[watcher]?.last { status.running?.strokes } else { nil }
        }
        let mirror = pad.call(.mirror(.state))
        pad.keepsEntries = false
        pad.sign()
        pad.press(.undo)
        pad.sign()
        #expect(told() == [0] && watched() == 0 && pad.pad.status.running?.strokes == 0)
        #expect(pad.pad.running?.strokeCount == 1 && pad.replies[mirror] != nil)
        pad.keepEntry()
        #expect(told() == [0, 1] && watched() == 1)
        pad.keepEntry()
        #expect(told() == [0, 1, 0] && watched() == 0)
        // Later changes wait for what is before them.
        pad.press(.accept)
        #expect(told() == [0, 1, 0])
        pad.keepEntry()
        #expect(told() == [0, 1, 0, 1, 1] && watched() == 1)
        pad.keepEntry()
        #expect(told().count == 5, "an answer too many changes nothing")
    }

    @Test("fields hidden with `shows` are not on the page but in the record, which notes that")
    func hidden() throws {
        var pad = PadDriver()
        let shows = ShownFields(prompt: true, signer: false, reason: false, date: false)
        let request = CaptureRequest(
            prompt: ["Sign"], signer: "Anna", reason: "Delivery", data: ["order": "4711"], operator: "Till 3")
        let call = pad.call(.capture(CaptureCall(request: request, shows: shows)))
        let page = try #require(pad.layout?.page)
        #expect(page.texts() == ["Sign"])
        guard case .begin(let header) = pad.stored.first else {
            Issue.record("\(pad.stored)")
            return
        }
        #expect(header.request == request && header.shows == shows && header.date == PadDriver.date)
        #expect(header.panel == "till-3")
        pad.press(.cancel)
        let id = try #require(CaptureID(header.id))
        #expect(
            pad.last(call)
                == .capture(CaptureReply(id: id, state: .ended(.cancelled(by: .person)), data: ["order": "4711"])))
    }

    @Test("the record names the machine if the pad knows it")
    func machine() {
        let machine = CaptureMachine(boot: "1", kernel: "6.12 x86_64")
        for known in [machine, nil] {
            var pad = PadDriver(machine: known)
            pad.capture()
            guard case .begin(let header) = pad.stored.first else {
                Issue.record("\(pad.stored)")
                return
            }
            #expect(header.machine == known)
        }
    }

    @Test("the operator is never on the page, whatever it shows")
    func operators() throws {
        var pad = PadDriver()
        let request = CaptureRequest(prompt: ["Sign"], signer: "Anna", reason: "Delivery", operator: "Till 3")
        pad.call(.capture(CaptureCall(request: request)))
        let page = try #require(pad.layout?.page)
        #expect(!page.texts().contains { $0.contains("Till 3") } && page.texts().contains { $0.contains("Anna") })
        pad.sign()
        pad.press(.accept)
        guard case .begin(let header) = pad.stored.first else {
            Issue.record("\(pad.stored)")
            return
        }
        #expect(header.request.operator == "Till 3")
    }

    @Test("a capture in Polish on a German pad has Polish pages and a Polish date")
    func otherLanguage() throws {
        let (polish, german) = (MessageTable(.polish), MessageTable(.german))
        var pad = PadDriver(messages: german)
        let request = CaptureRequest(prompt: ["Odbiór"], reason: "Paczka", language: "pl")
        pad.call(.capture(CaptureCall(request: request, follows: true)))
        let page = try #require(pad.layout?.page)
        #expect(page.texts(of: .reason) == [polish.text(.reason, of: "Paczka")])
        #expect(page.texts(of: .date) == ["21.11.2026"])
        #expect(page.label(of: .cancel) == polish[.cancel] && page.label(of: .accept) == polish[.accept])
        #expect(page.inkField == .signing(hint: polish[.signHere]))
        guard case .begin(let header) = pad.stored.first else {
            Issue.record("\(pad.stored)")
            return
        }
        #expect(header.request.language == "pl" && header.date?.text == "21.11.2026")
        pad.press(.accept)
        #expect(pad.shownText == polish[.refusedNoInk])
        pad.sign()
        pad.press(.accept)
        #expect(pad.shownText == nil && pad.pad.page == .saving)
        // The signing page does not fit on another screen.
        pad.size = PixelSize(width: 1024, height: 600)
        pad.handle(.display(PadDriver.screen(pad.size)))
        #expect(pad.shownText == polish[.saving])
        pad.handle(.stored(.committed(try #require(pad.runningID))))
        #expect(pad.shownText == polish[.thanks])
        pad.rest()
        // The next person's language is the pad's.
        pad.capture()
        pad.press(.accept)
        #expect(pad.shownText == german[.refusedNoInk])
        pad.handle(.stored(.failed(try #require(pad.runningID), reason: "full")))
        #expect(pad.shownText == german[.failed])
    }

    @Test("the direction of a capture is that of its language, and a failure to store it is reported in it")
    func otherDirection() throws {
        var pad = PadDriver()
        pad.laysOut = false
        pad.call(.capture(CaptureCall(request: CaptureRequest(prompt: ["p"], language: "he"))))
        #expect(pad.layouts.first?.page.direction == .rightToLeft)
        #expect(pad.layouts.first?.page.texts(of: .date) == ["21.11.2026"])
        pad.layOut()
        pad.handle(.stored(.failed(try #require(pad.runningID), reason: "full")))
        #expect(pad.shownText == MessageTable(.hebrew)[.failed])
    }

    @Test("the pad's own messages count for requests in its language, and where a language is unknown")
    func ownMessages() throws {
        let own = try MessageTable(parsing: "cancel = Lieber nicht", fallback: MessageTable(.german))
        for (language, label) in [
            (nil, "Lieber nicht"), ("de", "Lieber nicht"), ("de-AT", "Lieber nicht"), ("tlh", "Lieber nicht"),
            ("en", "Cancel"),
        ] as [(String?, String)] {
            var pad = PadDriver(messages: own)
            pad.laysOut = false
            pad.call(.capture(CaptureCall(request: CaptureRequest(prompt: ["p"], language: language))))
            #expect(pad.layouts.first?.page.label(of: .cancel) == label)
        }
    }

    @Test("hovering pens are recorded as far as the record describes their device and its axes")
    func hovers() throws {
        var pad = PadDriver()
        func hover(_ x: Int32, _ device: Int) {
            pad.handle(.hover(PenHover(x: x, y: 1, distance: 5), device: device, at: pad.now))
        }
        hover(1, 1)
        pad.capture()
        for (x, device) in [(2, 0), (3, 1), (4, 2), (5, -1)] as [(Int32, Int)] { hover(x, device) }
        pad.sign()
        let id = try #require(pad.runningID)
        guard case .begin(let header) = pad.stored[0] else {
            Issue.record("\(pad.stored)")
            return
        }
        let since = 1_000_000 - header.startedAtDeviceTime
        #expect(
            Array(pad.stored[1...2]) == [
                .append(id, .inAir(CaptureInAir(samples: [.init(microseconds: since, x: 2, y: 1)]))),
                .append(
                    id,
                    .inAir(
                        CaptureInAir(device: 1, samples: [.init(microseconds: since, x: 3, y: 1, distance: 5)]))),
            ])
        #expect(pad.stored.count == 4)
    }

    @Test("in the air, an entry is of one pen, with what its device told first or later")
    func hoveringTools() throws {
        var pad = PadDriver()
        pad.capture()
        for tool in [
            ToolIdentity(), ToolIdentity(.pen), ToolIdentity(.pen, serial: 7), ToolIdentity(), ToolIdentity(serial: 8),
            ToolIdentity(.brush),
        ] { pad.handle(.hover(PenHover(x: 1, y: 1, tool: tool), device: 1, at: pad.now)) }
        pad.handle(.hover(PenHover(x: 1, y: 1, tool: ToolIdentity(.pen)), device: 1, at: pad.now))
        pad.sign()
        let entries = pad.stored.compactMap { action -> CaptureInAir? in
            guard case .append(_, .inAir(let movement)) = action else { return nil }
            return movement
        }
        #expect(entries.map(\.samples.count) == [4, 2, 1])
        #expect(
            entries.map(\.tool) == [CaptureTool("pen", serial: 7), CaptureTool("brush", serial: 8), CaptureTool("pen")])
    }

    @Test("one capture at a time: a second call is refused, or waits until the thank-you page has ended")
    func queue() throws {
        var pad = PadDriver()
        let first = pad.capture()
        let id = try #require(pad.runningID)
        let second = pad.capture()
        #expect(pad.last(second) == .failed(.busy(with: id)))
        let third = pad.capture(waits: true, prompt: "Third")
        guard case .capture(let progress) = pad.last(third) else {
            Issue.record("\(pad.replies)")
            return
        }
        #expect(progress.state == .waiting && pad.pad.status.waiting == 1)
        pad.sign()
        pad.press(.accept)
        pad.handle(.stored(.committed(id)))
        #expect(pad.pad.status.page == .thanks && pad.runningID == nil)
        pad.now = try #require(pad.pad.deadline)
        pad.handle(.time)
        #expect(pad.runningID == progress.id && pad.pad.status.page == .signing)
        #expect(pad.last(first) == .capture(CaptureReply(id: id, state: .ended(.accepted))))
        pad.press(.cancel)
        #expect(pad.last(third) == .capture(CaptureReply(id: progress.id, state: .ended(.cancelled(by: .person)))))
    }

    @Test("the number of waiting calls is limited")
    func queueLimit() {
        var pad = PadDriver()
        pad.capture()
        for _ in 0..<Pad.waitingLimit { pad.capture(waits: true) }
        let last = pad.capture(waits: true)
        guard case .failed(.unavailable) = pad.last(last) else {
            Issue.record("\(pad.replies[last] as Any)")
            return
        }
    }

    @Test("calls cancel, clear and accept the running capture, with or without its ID")
    func commands() throws {
        var pad = PadDriver()
        let nothing = pad.call(.cancel(nil))
        #expect(pad.last(nothing) == .failed(.notRunning))
        let call = pad.capture()
        let id = try #require(pad.runningID)
        let stranger = try #require(CaptureID("somebody-else"))
        let wrong = pad.call(.clear(stranger))
        #expect(pad.last(wrong) == .failed(.notRunning))
        pad.sign()
        let clear = pad.call(.clear(id))
        #expect(pad.last(clear) == .done && pad.pad.status.running?.strokes == 0)
        pad.sign()
        let accept = pad.call(.accept(nil))
        #expect(pad.last(accept) == .done && pad.pad.status.page == .saving)
        let late = pad.call(.clear(id))
        #expect(pad.last(late) == .failed(.beingStored))
        pad.call(.cancel(id))
        #expect(pad.last(call) == .capture(CaptureReply(id: id, state: .ended(.cancelled(by: .host)))))
        guard case .discard(id) = pad.stored.last else {
            Issue.record("\(pad.stored)")
            return
        }
    }

    @Test("a call whose host has disconnected is cancelled in any state")
    func gone() throws {
        var pad = PadDriver()
        let first = pad.capture()
        let second = pad.capture(waits: true)
        pad.handle(.hostGone(second))
        #expect(pad.pad.status.waiting == 0)
        pad.handle(.hostGone(first))
        #expect(pad.runningID == nil && pad.pad.status.page == .idle)
        pad.laysOut = false
        let third = pad.capture()
        pad.handle(.hostGone(third))
        pad.layOut()
        #expect(pad.runningID == nil && pad.replies[third] == nil)
    }

    @Test("a page that does not fit and a panel without a touch device are errors")
    func impossible() {
        var pad = PadDriver()
        pad.laysOut = false
        let small = pad.capture()
        pad.layOut(false)
        #expect(pad.last(small) == .failed(.tooSmallScreen(field: nil)) && pad.stored.isEmpty)
        pad.handle(.devices([], [PadDriver.device]))
        let blind = pad.capture()
        guard case .failed(.unavailable) = pad.last(blind) else {
            Issue.record("\(pad.replies[blind] as Any)")
            return
        }
    }

    @Test("a text that does not fit completely fails the call", arguments: ["prompt", "signer", "reason"])
    func cutText(field: String) {
        var pad = PadDriver()
        let long = String(repeating: "word ", count: 800)
        var request = CaptureRequest(prompt: ["p"], signer: "s", reason: "r")
        switch field {
        case "prompt": request.prompt = [long]
        case "signer": request.signer = long
        default: request.reason = long
        }
        let refused = pad.call(.capture(CaptureCall(request: request, follows: true)))
        guard case .failed(.tooSmallScreen(field, let fits?)) = pad.last(refused) else {
            Issue.record("\(pad.last(refused) as Any)")
            return
        }
        #expect(1..<long.unicodeScalars.count ~= fits && pad.stored.isEmpty)
        // A hidden text is recorded, so its length does not matter.
        let shows = ShownFields(prompt: false, signer: false, reason: false, date: true)
        let hidden = pad.call(.capture(CaptureCall(request: request, shows: shows, follows: true)))
        #expect(pad.last(hidden) != nil && pad.runningID != nil)
    }

    @Test("a record that cannot be written ends the capture, and the status has the reason until one can be written")
    func fault() throws {
        var pad = PadDriver()
        let call = pad.capture()
        let id = try #require(pad.runningID)
        pad.handle(.stored(.failed(id, reason: "the disk is full")))
        #expect(pad.last(call) == .capture(CaptureReply(id: id, state: .ended(.failed(reason: "the disk is full")))))
        #expect(pad.pad.status.page == .failed && pad.pad.status.store.fault == "the disk is full")
        pad.rest()
        pad.capture()
        pad.sign()
        pad.press(.accept)
        pad.handle(.stored(.committed(try #require(pad.runningID))))
        #expect(pad.pad.status.store.fault == nil)
    }

    @Test("the page is shown only when the writer is ready to record; otherwise hosts get the reason")
    func admission() throws {
        var pad = PadDriver()
        pad.admits = false
        let call = pad.capture()
        #expect(pad.runningID != nil && pad.pad.status.page == .idle && pad.replies[call] == nil)
        pad.admit()
        #expect(pad.pad.status.page == .signing && pad.replies[call]?.count == 1)
        pad.call(.cancel(nil))
        // Also before its page is laid out.
        pad.laysOut = false
        let second = pad.capture()
        pad.admit()
        #expect(pad.pad.status.page == .idle)
        pad.layOut()
        #expect(pad.pad.status.page == .signing)
        pad.call(.cancel(nil))
        #expect(pad.last(second)?.isFinal == true)
        let fault = "cannot write /store"
        for waits in [false, true] {
            let refused = pad.capture(waits: waits)
            let jobs = pad.stored.count
            pad.admit(fault)
            pad.layOut()
            #expect(pad.replies[refused] == [.failed(.storeFailed(reason: fault, isFull: false))])
            #expect(pad.runningID == nil && pad.pad.status.page == .fault && pad.stored.count == jobs)
        }
        #expect(pad.pad.status.store.fault == fault)
        pad.laysOut = true
        pad.capture()
        pad.admit()
        #expect(pad.pad.status.page == .signing && pad.pad.status.store.fault == nil)
    }

    @Test("a notice replaces the idle page as long as captures cannot be recorded")
    func notRecording() {
        var pad = PadDriver()
        let fault = MessageTable(.english).faultPage(.notRecording)
        pad.handle(.stored(.storeChanged(fault: nil)))
        #expect(pad.rendered == [.show(.words("idle"))])
        pad.rendered = []
        for path in ["/a", "/b"] { pad.handle(.stored(.storeChanged(fault: "full \(path)"))) }
        #expect(pad.rendered == [.show(fault)] && pad.pad.page == .fault)
        #expect(pad.pad.status.store.fault == "full /b")
        // A screen that is connected later shows it as well.
        pad.size = PixelSize(width: 640, height: 480)
        pad.handle(.display(PadDriver.screen(pad.size)))
        #expect(pad.rendered.last == .show(fault))
        pad.handle(.stored(.storeChanged(fault: nil)))
        #expect(pad.rendered.last == .show(.words("idle")) && pad.pad.status.store.fault == nil)
        // Only after the running capture.
        pad.capture()
        let count = pad.rendered.count
        pad.handle(.stored(.storeChanged(fault: "full /a")))
        #expect(pad.rendered.count == count)
        pad.call(.cancel(nil))
        #expect(pad.rendered.last == .show(fault))
    }

    @Test("a watcher gets the status at once, and then only changes")
    func watch() {
        var pad = PadDriver()
        let watch = pad.call(.watch)
        #expect(pad.replies[watch]?.count == 1)
        pad.handle(.time)
        pad.handle(.time)
        #expect(pad.replies[watch]?.count == 1)
        pad.capture()
        #expect(pad.last(watch) == .changed(pad.pad.status))
        for waiting in [2, 0] {
            pad.handle(.stored(.deliveryChanged(.init(waiting: waiting, oldest: nil, fault: nil))))
            guard case .changed(let status)? = pad.last(watch) else { continue }
            #expect(status.store.delivery?.waiting == waiting)
        }
        pad.handle(.hostGone(watch))
        let count = pad.replies[watch]?.count
        pad.call(.cancel(nil))
        #expect(pad.replies[watch]?.count == count)
    }

    @Test("a screenshot is taken of what the display shows, and replied to its caller")
    func screenshot() {
        var pad = PadDriver()
        pad.capture()
        let call = pad.call(.screenshot)
        #expect(pad.rendered.last == .screenshot(call) && pad.replies[call] == nil)
        let screenshot = Screenshot(PixelBuffer(size: pad.size))
        pad.handle(.screenshot(call, screenshot))
        #expect(pad.replies[call] == [.screenshot(screenshot)])
        pad.handle(.displayLost(reason: "unplugged"))
        let count = pad.rendered.count
        let refused = pad.call(.screenshot)
        let error = PanelError.unavailable(reason: "the panel has no display: unplugged")
        #expect(pad.replies[refused] == [.failed(error)] && pad.rendered.count == count)
    }

    @Test("a simulated person acts in the running capture, or in the next one")
    func simulate() throws {
        var pad = PadDriver(isSimulated: true)
        var calls = [pad.call(.simulate(.leave))]
        pad.capture()
        calls.append(pad.call(.simulate(.refuse)))
        pad.sign()
        pad.press(.accept)
        // The record is being stored.
        calls.append(pad.call(.simulate(.cancel)))
        #expect(calls.allSatisfy { pad.replies[$0] == [.done] })
        #expect(pad.simulated.map(\.act) == [.leave, .refuse, .cancel])
        #expect(pad.simulated.map(\.inRunning) == [false, true, false])
    }

    @Test("to the gateway, the simulated person does not act in a capture of an operator")
    func simulateForOthers() {
        var pad = PadDriver(isSimulated: true)
        pad.capture()
        pad.call(.simulate(.cancel), .askedBy(.gateway))
        #expect(pad.simulated.map(\.inRunning) == [false])
    }

    @Test("nobody is simulated on any other panel")
    func simulateNothing() {
        var pad = PadDriver()
        pad.capture()
        for act in SimulatedAct.allCases {
            let call = pad.call(.simulate(act))
            guard case .failed(.unavailable(let reason))? = pad.last(call) else {
                Issue.record("\(act) was not refused")
                continue
            }
            #expect(reason.contains("inkpanel run --simulate"))
        }
        #expect(pad.simulated.isEmpty && pad.pad.page == .signing)
    }

    @Test("watchers hear of a page that ends at the moment when another watcher comes")
    func watchAtDeadline() throws {
        var pad = PadDriver()
        let first = pad.call(.watch)
        pad.capture()
        pad.sign()
        pad.press(.accept)
        pad.handle(.stored(.committed(try #require(pad.runningID))))
        #expect(pad.pad.page == .thanks)
        pad.now = try #require(pad.pad.deadline)
        let second = pad.call(.watch)
        #expect(pad.pad.page == .idle)
        #expect(pad.last(first) == .changed(pad.pad.status) && pad.replies[second]?.count == 1)
    }

    @Test("the final reply to a cancelled capture waits until its record is wiped")
    func wiped() throws {
        var pad = PadDriver()
        pad.wipes = false
        let call = pad.capture()
        let id = try #require(pad.runningID)
        pad.press(.cancel)
        #expect(pad.pad.status.page == .idle && pad.pad.isStoring)
        #expect(pad.last(call).map { !$0.isFinal } == true)
        pad.handle(.stored(.discarded(id, fault: "no")))
        #expect(pad.last(call) == .capture(CaptureReply(id: id, state: .ended(.cancelled(by: .person)))))
        #expect(pad.pad.status.store.fault == "no" && !pad.pad.isStoring)
    }

    @Test("a capture accepted when the panel ends is stored, unless that takes too long", arguments: [false, true])
    func endWhileSaving(isLate: Bool) throws {
        var pad = PadDriver()
        let call = pad.capture()
        let id = try #require(pad.runningID)
        pad.sign()
        pad.press(.accept)
        pad.handle(.stop)
        #expect(pad.pad.isStoring && pad.runningID == id)
        if isLate { pad.handle(.stop) } else { pad.handle(.stored(.committed(id))) }
        let outcome: CaptureOutcome = isLate ? .cancelled(by: .host) : .accepted
        #expect(pad.last(call) == .capture(CaptureReply(id: id, state: .ended(outcome))))
        let late = pad.capture()
        guard case .failed(.unavailable) = pad.last(late) else {
            Issue.record("a capture after the end")
            return
        }
    }

    @Test("when the panel ends, all waiting calls are answered, and no record is kept")
    func end() {
        var pad = PadDriver()
        let first = pad.capture()
        let second = pad.capture(waits: true)
        pad.sign()
        pad.handle(.stop)
        for call in [first, second] {
            guard case .capture(let outcome) = pad.last(call) else {
                Issue.record("\(pad.replies)")
                return
            }
            #expect(outcome.outcome == .cancelled(by: .host))
        }
        #expect(pad.runningID == nil)
    }
}
