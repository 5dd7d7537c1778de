// SPDX-License-Identifier: Apache-2.0
import Capture
import Control
import Geometry
@testable import inkpanel
import Linux
import Record
import Store
import Testing
import Touch


@Suite("The pad and its hosts")
struct PadControllerTests {
    @Test("a signature: asked for, drawn, accepted, stored, told")
    func whole() throws {
        var pad = PadDriver()
        let call = pad.capture()
        let id = try #require(pad.runningID)
        #expect(pad.controller.status.page == .signing)
        pad.sign()
        #expect(pad.controller.status.running?.strokes == 1)
        pad.press(.accept)
        #expect(pad.controller.status.page == .saving)
        pad.handle(.record(.durable(id)))
        #expect(pad.controller.status.page == .thanks)
        #expect(pad.last(call) == .ended(CaptureOutcome(id: id, result: .accepted)))
        pad.rest()
        #expect(pad.controller.status.page == .idle && pad.steps.last == .show(.words("idle")))

        guard case .start(let header) = pad.jobs[0], case .append(id, .stroke(let stroke)) = pad.jobs[1],
            case .keep(id, let end) = pad.jobs[2]
        else {
            Issue.record("\(pad.jobs)")
            return
        }
        #expect(pad.jobs.count == 3)
        #expect(header.id == id.description && header.request.prompt == ["Sign"])
        #expect(header.date == PadDriver.date && pad.layout?.date?.lines.map(\.text) == [PadDriver.date.text])
        #expect(header.screen.penLook?.width == 0.8)
        #expect(header.screen.penLook?.color == "#c01020" && header.screen.penLook?.paper == "#ffffff")
        let area = try #require(pad.layout?.signingArea)
        #expect(header.screen.signingArea == [area.minX, area.minY, area.width, area.height])
        #expect(stroke.samples.count == 10 && end.outcome == .accepted)
        // What the host was told of the stroke: its first report is 20 pixels from the area's corner.
        let told = pad.answers[call]?.compactMap { answer -> HostStroke? in
            if case .progress(let progress) = answer { progress.stroke } else { nil }
        }
        let first = try #require(told?.first?.samples.first)
        let pixels = header.screen.pixelsPerMillimetre
        #expect(abs(first.x * pixels - 20.05) < 0.001 && abs(first.y * pixels - 20.05) < 0.001)
        #expect(told?.count == 1)
    }

    @Test("what a host wants hidden is not on the page, but in the record, which says so")
    func hidden() throws {
        var pad = PadDriver()
        let shows = ShownFields(prompt: true, signer: false, reason: false, date: false)
        let request = CaptureRequest(prompt: ["Sign"], signer: "Anna", reason: "Delivery", data: ["order": "4711"])
        let call = pad.call(.capture(CaptureCall(request: request, shows: shows)))
        let layout = try #require(pad.layout)
        #expect(layout.signer == nil && layout.reason == nil && layout.date == nil)
        guard case .start(let header) = pad.jobs.first else {
            Issue.record("\(pad.jobs)")
            return
        }
        #expect(header.request == request && header.shows == shows && header.date == PadDriver.date)
        #expect(header.panel == "till-3")
        let metadata = RecordMetadata(CaptureRecord(header: header), byteCount: 1)
        #expect(metadata.shows == shows && metadata.panel == "till-3" && metadata.summary.data == ["order": "4711"])
        pad.press(.cancel)
        let id = try #require(CaptureID(header.id))
        #expect(pad.last(call) == .ended(CaptureOutcome(id: id, result: .cancelledByPerson, data: ["order": "4711"])))
    }

    @Test("pens in the air are recorded as far as the record names their device and what it measures")
    func hovers() throws {
        var pad = PadDriver()
        func hover(_ x: Int32, _ device: Int) {
            pad.handle(.hover(PenHover(x: x, y: 1, distance: 5), device: device, microseconds: pad.now))
        }
        hover(1, 1)
        pad.capture()
        for (x, device) in [(2, 0), (3, 1), (4, 2), (5, -1)] as [(Int32, Int)] { hover(x, device) }
        pad.sign()
        let id = try #require(pad.runningID)
        guard case .start(let header) = pad.jobs[0] else {
            Issue.record("\(pad.jobs)")
            return
        }
        let since = 1_000_000 - header.startedAtDeviceTime
        #expect(
            Array(pad.jobs[1...2]) == [
                .append(id, .inAir(CaptureInAir(samples: [.init(microseconds: since, x: 2, y: 1)]))),
                .append(
                    id,
                    .inAir(
                        CaptureInAir(device: 1, samples: [.init(microseconds: since, x: 3, y: 1, distance: 5)]))),
            ])
        #expect(pad.jobs.count == 4)
    }

    @Test("one capture at a time: a second call is refused, or waits until those who signed were thanked")
    func queue() throws {
        var pad = PadDriver()
        let first = pad.capture()
        let id = try #require(pad.runningID)
        let second = pad.capture()
        #expect(pad.last(second) == .failed(.busy(with: id)))
        let third = pad.capture(waits: true, prompt: "Third")
        guard case .progress(let progress) = pad.last(third) else {
            Issue.record("\(pad.answers)")
            return
        }
        #expect(progress.state == .waiting && pad.controller.status.waiting == 1)
        pad.sign()
        pad.press(.accept)
        pad.handle(.record(.durable(id)))
        #expect(pad.controller.status.page == .thanks && pad.runningID == nil)
        pad.now = try #require(pad.controller.deadline)
        pad.handle(.time)
        #expect(pad.runningID == progress.id && pad.controller.status.page == .signing)
        #expect(pad.last(first) == .ended(CaptureOutcome(id: id, result: .accepted)))
        pad.press(.cancel)
        #expect(pad.last(third) == .ended(CaptureOutcome(id: progress.id, result: .cancelledByPerson)))
    }

    @Test("so many may wait, and no more")
    func queueLimit() {
        var pad = PadDriver()
        pad.capture()
        for _ in 0..<PadController.waitingLimit { pad.capture(waits: true) }
        let last = pad.capture(waits: true)
        guard case .failed(.unavailable) = pad.last(last) else {
            Issue.record("\(pad.answers[last] as Any)")
            return
        }
    }

    @Test("hosts and operators cancel, clear and accept what runs, by name or whatever it is")
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
        #expect(pad.last(clear) == .done && pad.controller.status.running?.strokes == 0)
        pad.sign()
        let accept = pad.call(.accept(nil))
        #expect(pad.last(accept) == .done && pad.controller.status.page == .saving)
        let late = pad.call(.clear(id))
        #expect(pad.last(late) == .failed(.beingStored))
        pad.call(.cancel(id))
        #expect(pad.last(call) == .ended(CaptureOutcome(id: id, result: .cancelledByHost)))
        guard case .discard(id, _) = pad.jobs.last else {
            Issue.record("\(pad.jobs)")
            return
        }
    }

    @Test("a call whose host has gone is cancelled, wherever it is")
    func gone() throws {
        var pad = PadDriver()
        let first = pad.capture()
        let second = pad.capture(waits: true)
        pad.handle(.host(.gone(second)))
        #expect(pad.controller.status.waiting == 0)
        pad.handle(.host(.gone(first)))
        #expect(pad.runningID == nil && pad.controller.status.page == .idle)
        pad.laysOut = false
        let third = pad.capture()
        pad.handle(.host(.gone(third)))
        pad.layOut()
        #expect(pad.runningID == nil && pad.answers[third] == nil)
    }

    @Test("a page that does not fit and a panel without touch are told")
    func impossible() {
        var pad = PadDriver()
        pad.laysOut = false
        let small = pad.capture()
        pad.layOut(false)
        #expect(pad.last(small) == .failed(.pageTooSmall(nil)) && pad.jobs.isEmpty)
        pad.handle(.devices([], [PadDriver.device]))
        let blind = pad.capture()
        guard case .failed(.unavailable) = pad.last(blind) else {
            Issue.record("\(pad.answers[blind] as Any)")
            return
        }
    }

    @Test("nobody signs for a text of which a part is not on the page", arguments: ["prompt", "signer", "reason"])
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
        #expect(pad.last(refused) == .failed(.pageTooSmall(PageTexts.Field(rawValue: field))) && pad.jobs.isEmpty)
        // It is bound to the record all the same where it is not to be shown.
        let shows = ShownFields(prompt: false, signer: false, reason: false, date: true)
        let hidden = pad.call(.capture(CaptureCall(request: request, shows: shows, follows: true)))
        #expect(pad.last(hidden) != nil && pad.runningID != nil)
    }

    @Test("a record that cannot be written ends the capture, and hosts see why until one can")
    func fault() throws {
        var pad = PadDriver()
        let call = pad.capture()
        let id = try #require(pad.runningID)
        pad.handle(.record(.failed(id, reason: "the disk is full")))
        #expect(pad.last(call) == .ended(CaptureOutcome(id: id, result: .failed(reason: "the disk is full"))))
        #expect(pad.controller.status.page == .failed && pad.controller.status.storeFault == "the disk is full")
        pad.rest()
        pad.capture()
        pad.sign()
        pad.press(.accept)
        pad.handle(.record(.durable(try #require(pad.runningID))))
        #expect(pad.controller.status.storeFault == nil)
    }

    @Test("nobody is asked to sign before the writer can record it, and hosts hear why it cannot")
    func admission() throws {
        var pad = PadDriver()
        pad.admits = false
        let call = pad.capture()
        #expect(pad.runningID != nil && pad.controller.status.page == .idle && pad.answers[call] == nil)
        pad.admit()
        #expect(pad.controller.status.page == .signing && pad.answers[call]?.count == 1)
        pad.call(.cancel(nil))
        // Before its page is laid out, too.
        pad.laysOut = false
        let second = pad.capture()
        pad.admit()
        #expect(pad.controller.status.page == .idle)
        pad.layOut()
        #expect(pad.controller.status.page == .signing)
        pad.call(.cancel(nil))
        #expect(pad.last(second)?.isFinal == true)
        let fault = StoreError.failed(.write, path: "/store", .readOnlyFileSystem)
        for waits in [false, true] {
            let refused = pad.capture(waits: waits)
            let jobs = pad.jobs.count
            pad.admit(fault)
            pad.layOut()
            #expect(pad.answers[refused] == [.failed(.storeFailed(fault))])
            #expect(pad.runningID == nil && pad.controller.status.page == .idle && pad.jobs.count == jobs)
        }
        #expect(pad.controller.status.storeFault == fault.description)
        pad.laysOut = true
        pad.capture()
        pad.admit()
        #expect(pad.controller.status.page == .signing && pad.controller.status.storeFault == nil)
    }

    @Test("that nothing can be recorded is shown instead of the idle page as long as it is so")
    func notRecording() {
        var pad = PadDriver()
        let message = MessageTable(.english)[.notRecording]
        pad.handle(.record(.store(fault: nil)))
        #expect(pad.steps.isEmpty)
        for path in ["/a", "/b"] { pad.handle(.record(.store(fault: .diskFull(path: path)))) }
        #expect(pad.steps == [.show(.words(message))])
        #expect(pad.controller.status.storeFault == StoreError.diskFull(path: "/b").description)
        // A screen that comes later shows it as well.
        pad.size = PixelSize(width: 640, height: 480)
        pad.handle(.display(PadDriver.screen(pad.size)))
        #expect(pad.steps.last == .show(.words(message)))
        pad.handle(.record(.store(fault: nil)))
        #expect(pad.steps.last == .show(.words("idle")) && pad.controller.status.storeFault == nil)
        // Not before the signature that is being asked for is over.
        pad.capture()
        let count = pad.steps.count
        pad.handle(.record(.store(fault: .diskFull(path: "/a"))))
        #expect(pad.steps.count == count)
        pad.call(.cancel(nil))
        #expect(pad.steps.last == .show(.words(message)))
    }

    @Test("who watches is told at once, and then of changes only")
    func watch() {
        var pad = PadDriver()
        let watch = pad.call(.watch)
        #expect(pad.answers[watch]?.count == 1)
        pad.handle(.time)
        pad.handle(.time)
        #expect(pad.answers[watch]?.count == 1)
        pad.capture()
        #expect(pad.last(watch) == .changed(pad.controller.status))
        pad.handle(.host(.gone(watch)))
        let count = pad.answers[watch]?.count
        pad.call(.cancel(nil))
        #expect(pad.answers[watch]?.count == count)
    }

    @Test("who is told that nothing was kept is told when nothing is")
    func wiped() throws {
        var pad = PadDriver()
        pad.wipes = false
        let call = pad.capture()
        let id = try #require(pad.runningID)
        pad.press(.cancel)
        #expect(pad.controller.status.page == .idle && pad.controller.isStoring)
        #expect(pad.last(call).map { !$0.isFinal } == true)
        pad.handle(.record(.discarded(id, fault: "no")))
        #expect(pad.last(call) == .ended(CaptureOutcome(id: id, result: .cancelledByPerson)))
        #expect(pad.controller.status.storeFault == "no" && !pad.controller.isStoring)
    }

    @Test("what was accepted when the panel ends is stored, unless that takes too long", arguments: [false, true])
    func endWhileSaving(isLate: Bool) throws {
        var pad = PadDriver()
        let call = pad.capture()
        let id = try #require(pad.runningID)
        pad.sign()
        pad.press(.accept)
        pad.handle(.end)
        #expect(pad.controller.isStoring && pad.runningID == id)
        if isLate { pad.handle(.end) } else { pad.handle(.record(.durable(id))) }
        let result = CaptureOutcome.Result.self
        #expect(
            pad.last(call)
                == .ended(CaptureOutcome(id: id, result: isLate ? result.cancelledByHost : result.accepted)))
        let late = pad.capture()
        guard case .failed(.unavailable) = pad.last(late) else {
            Issue.record("a capture after the end")
            return
        }
    }

    @Test("when the panel ends, all that wait are told, and nothing is kept")
    func end() {
        var pad = PadDriver()
        let first = pad.capture()
        let second = pad.capture(waits: true)
        pad.sign()
        pad.handle(.end)
        for call in [first, second] {
            guard case .ended(let outcome) = pad.last(call) else {
                Issue.record("\(pad.answers)")
                return
            }
            #expect(outcome.result == .cancelledByHost)
        }
        #expect(pad.runningID == nil)
    }
}
