// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Ink
import PadFixtures
import Record
import TestSupport
import Testing
import Touch

@testable import Pad

@Suite("A capture from its call to its end")
struct SigningTests {
    @Test("the person is thanked when the record is durable, not before")
    func accepted() throws {
        var pad = SigningDriver()
        let begun = pad.call(1)
        guard case .store(.begin(let header)) = begun[0] else {
            Issue.record("\(begun)")
            return
        }
        #expect(header.request.prompt == ["Sign 1"] && header.startedAtDeviceTime == 1_000_000)
        #expect(begun.pages == ["signing"] && pad.progress(1).map(\.state) == [.signing])
        pad.sign()
        let pressed = pad.press(.accept)
        #expect(
            pressed.states(of: .accept) == [
                ButtonState(isPressed: true), ButtonState(), ButtonState(isEnabled: false, isBusy: true),
            ])
        for button in [PageButton.cancel, .undo, .clear] {
            #expect(pressed.states(of: button) == [ButtonState(isEnabled: false)])
        }
        #expect(pressed.pages == ["saving"] && pressed.committed?.quality.ignoredContacts == 0)
        guard case .store(.commit) = pressed.last else {
            Issue.record("\(pressed)")
            return
        }
        pad.now += .seconds(1)
        #expect(pad.send(.time).isEmpty)
        #expect(pad.send(.stored(.committed(try #require(CaptureID("other"))))).isEmpty)
        let stored = pad.send(.stored(.committed(pad.id(1))))
        #expect(stored.ink == [.wipe] && stored.pages == [MessageTable(.english)[.thanks]])
        #expect(pad.outcome(1) == .accepted)
        pad.now += .microseconds(2_999_999)
        #expect(pad.send(.time).isEmpty && pad.pad.deadline == pad.now + .microseconds(1))
        pad.now += .microseconds(1)
        #expect(pad.send(.time) == [.render(.show(.words("idle")))])
        #expect(pad.pad.deadline == nil)
        #expect(pad.progress(1).map(\.state) == [.signing, .signing, .saving])
        #expect(pad.progress(1).map(\.strokes) == [0, 1, 1])
    }

    @Test("ink ends at the sample limit, and can still be accepted")
    func sampleLimit() {
        var pad = SigningDriver(sampleLimit: 50)
        pad.call(1)
        pad.stroke(SigningDriver.zigzag(30))
        pad.stroke(SigningDriver.zigzag(30))
        #expect(pad.down(100, 100).isEmpty && pad.move(120, 120).isEmpty && pad.up().isEmpty)
        let counts = pad.entries(1).compactMap {
            if case .stroke(let stroke) = $0 { stroke.samples.count } else { nil }
        }
        #expect(counts.reduce(0, +) == 50 && counts.count == 2)
        #expect(pad.actions.ink.count(where: \.isEnd) == 2)
        #expect(pad.press(.accept).committed != nil)
    }

    @Test("a host accepts and clears as the buttons do; a stroke being drawn counts up to its last sample")
    func operated() {
        var pad = SigningDriver()
        pad.call(1)
        pad.down(100, 100)
        let cleared = pad.operate(PadCall.clear, 1)
        #expect(cleared.ink.count == 1 && cleared.ink[0].isCancel)
        #expect(pad.move(150, 150).isEmpty && pad.up().isEmpty)
        pad.down(100, 100)
        for place in SigningDriver.zigzag(60) { pad.move(place.x, place.y) }
        let done = pad.operate(PadCall.accept, 1)
        #expect(done.ink.first?.isEnd == true && done.committed != nil)
        #expect(pad.move(200, 100).isEmpty)
        for asked in [PadCall.clear, PadCall.accept] {
            #expect(pad.operate(asked, 1) == [.reply(CallID(1001), .failed(.beingStored))])
        }
    }

    @Test("insufficient ink is refused with the reason, and signing goes on")
    func refused() {
        var pad = SigningDriver()
        let message = MessageTable(.english)[Refusal.noInk.message]
        pad.call(1)
        let pressed = pad.press(.accept)
        #expect(pressed.refusal == .noInk && pressed.pages == [message] && pad.pad.page == .refused)
        // The message is shown until the next touch or its timeout.
        #expect(pad.down(100, 100).pages == ["signing"] && pad.pad.page == .signing)
        pad.up()
        #expect(pad.press(.accept).refusal == .small(0, minimum: 6))
        pad.now += .seconds(6)
        #expect(pad.send(.time).pages == ["signing"])
        pad.stroke(SigningDriver.line(4, 1))
        pad.press(.undo)
        pad.press(.undo)
        #expect(pad.press(.accept).refusal == .noInk)
        pad.sign()
        #expect(pad.press(.accept).committed != nil)
    }

    @Test("the hint is shown while there is no ink; buttons are enabled while they have an effect")
    func states() {
        var pad = SigningDriver()
        func hints(_ actions: [PadAction]) -> [Bool] {
            actions.compactMap { if case .render(.hint(let isShown)) = $0 { isShown } else { nil } }
        }
        let begun = pad.call(1)
        let (on, off) = (ButtonState(), ButtonState(isEnabled: false))
        for button in [PageButton.undo, .clear, .accept] { #expect(begun.states(of: button) == [off]) }
        #expect(begun.states(of: .cancel) == [] && hints(begun) == [])
        #expect(hints(pad.down(100, 100)) == [false])
        for place in SigningDriver.zigzag(60) { #expect(pad.move(place.x, place.y).count == 1) }
        let drawn = pad.up()
        for button in [PageButton.undo, .clear, .accept] { #expect(drawn.states(of: button) == [on]) }
        let cleared = pad.press(.clear)
        #expect(cleared.states(of: .clear).last == off && cleared.states(of: .accept) == [off])
        #expect(hints(cleared) == [true])
        // Undo reverts the clear.
        #expect(cleared.states(of: .undo) == [])
        let undone = pad.press(.undo)
        #expect(undone.states(of: .undo).last == on && undone.states(of: .accept) == [on] && hints(undone) == [false])
        #expect(pad.press(.undo).states(of: .undo).last == off)
    }

    @Test("a straight line in any direction is refused, and so is ink drawn too quickly")
    func lines() {
        for (x, y) in [(4.0, 0.0), (0, 2), (4, 2), (-3, 1)] {
            var pad = SigningDriver()
            pad.call(1, CapturePolicy(minima: CapturePolicy.Minima(length: 10)))
            pad.stroke(SigningDriver.line(x, y))
            guard case .straight(let breadth, minimum: 1.5) = pad.press(.accept).refusal else {
                Issue.record("a line along \(x), \(y) was accepted")
                continue
            }
            #expect(abs(breadth) < 1e-3)
        }
        var pad = SigningDriver()
        pad.call(1)
        pad.stroke(SigningDriver.zigzag(30))
        #expect(pad.press(.accept).refusal == .quick(.milliseconds(232), minimum: .milliseconds(300)))
    }

    @Test("the policy counts strokes and samples")
    func counts() {
        var pad = SigningDriver()
        pad.call(1, CapturePolicy(minima: CapturePolicy.Minima(strokes: 2, samples: 200)))
        pad.sign()
        #expect(pad.press(.accept).refusal == .fewStrokes(1, minimum: 2))
        pad.sign()
        #expect(pad.press(.accept).refusal == .fewSamples(120, minimum: 200))
    }

    @Test("the error of a second call names the running capture; the next call replaces the thank-you page")
    func busy() {
        var pad = SigningDriver()
        pad.call(1)
        #expect(pad.call(2) == [.reply(CallID(2), .failed(.busy(with: pad.id(1))))])
        #expect(pad.operate(PadCall.cancel, 2) == [.reply(CallID(1002), .failed(.notRunning))])
        pad.sign()
        pad.press(.accept)
        #expect(pad.call(3) == [.reply(CallID(3), .failed(.busy(with: pad.id(1))))])
        pad.send(.stored(.committed(pad.id(1))))
        #expect(pad.call(4).pages == ["signing"])
    }

    @Test("a cancelled capture leaves no record, even while it is being stored")
    func cancelled() {
        var pad = SigningDriver()
        pad.call(1)
        pad.sign()
        let pressed = pad.press(.cancel)
        #expect(pressed.ink == [.wipe] && pressed.discarded == pad.id(1) && pressed.pages == ["idle"])
        #expect(pad.outcome(1) == nil)
        pad.send(.stored(.discarded(pad.id(1), fault: nil)))
        #expect(pad.outcome(1) == .cancelled(by: .person))
        pad.call(2)
        pad.down(100, 100)
        let cancelled = pad.operate(PadCall.cancel, 2)
        #expect(cancelled.ink.count == 2 && cancelled.ink[0].isCancel && cancelled.ink[1] == .wipe)
        #expect(cancelled.discarded == pad.id(2) && cancelled.last == .reply(CallID(1002), .done))
        pad.send(.stored(.discarded(pad.id(2), fault: nil)))
        #expect(pad.outcome(2) == .cancelled(by: .host))
        // A finger that was down before the next capture is ignored in it.
        pad.call(3)
        #expect(pad.move(150, 150).isEmpty)
        pad.up()
        pad.sign()
        pad.press(.accept)
        #expect(pad.operate(PadCall.cancel, 3).discarded == pad.id(3))
        #expect(pad.send(.stored(.committed(pad.id(3)))).isEmpty)
    }

    @Test("a capture times out without a touch, and after its total time")
    func timedOut() {
        var pad = SigningDriver()
        pad.call(1)
        #expect(pad.pad.deadline == pad.now + .seconds(40))
        pad.now += .seconds(59)
        pad.down(100, 100)
        #expect(pad.pad.deadline == pad.now + .seconds(40))
        pad.now += .seconds(60)
        let ended = pad.send(.time)
        #expect(
            ended.ink.count == 2 && ended.ink[0].isCancel && ended.discarded == pad.id(1) && ended.pages == ["idle"])
        pad.send(.stored(.discarded(pad.id(1), fault: nil)))
        #expect(pad.outcome(1) == .timedOut(.inactivity))
        let start = pad.now
        pad.call(2)
        // Whoever answers the question before the end has another minute, ten times.
        while pad.pad.isCapturing, pad.now < start + .seconds(2000) {
            pad.now += .seconds(10)
            pad.send(.time)
            if pad.pad.isCapturing { pad.press(.clear) }
        }
        pad.send(.stored(.discarded(pad.id(2), fault: nil)))
        #expect(pad.outcome(2) == .timedOut(.total))
        // Each press takes some milliseconds.
        #expect((900..<902).contains((pad.now - start) / .seconds(1)))
    }

    @Test("a limit that the host has named is not extended")
    func hostsLimit() {
        var pad = SigningDriver()
        pad.call(1, CapturePolicy(totalLimit: .seconds(100)))
        let start = pad.now
        var questions: [Duration] = []
        while pad.pad.isCapturing, pad.now < start + .seconds(200) {
            pad.now += .seconds(10)
            let isAsked = pad.send(.time).contains { if case .render(.banner(.some)) = $0 { true } else { false } }
            if isAsked { questions.append(pad.now - start) }
            if pad.pad.isCapturing { pad.press(.clear) }
        }
        #expect(questions.count == 1 && questions[0] >= .seconds(80) && questions[0] < .seconds(81))
        #expect((100..<101).contains((pad.now - start) / .seconds(1)))
    }

    @Test("an abandoned page asks whether anybody is there, 20 s before it ends, or half of a shorter time")
    func stillThere() {
        let question = MessageTable(.english)[.stillThere]
        func banners(_ actions: [PadAction]) -> [String?] {
            actions.compactMap { if case .render(.banner(let banner)) = $0 { .some(banner?.text) } else { nil } }
        }
        for (limit, total, wait) in [(60, 300, 40), (10, 300, 5), (60, 30, 15)] {
            var pad = SigningDriver()
            pad.call(1, CapturePolicy(inactivityLimit: .seconds(limit), totalLimit: .seconds(total)))
            let start = pad.now
            pad.now += .seconds(wait) - .microseconds(1)
            #expect(banners(pad.send(.time)).isEmpty)
            pad.now += .microseconds(1)
            #expect(pad.pad.deadline == pad.now && banners(pad.send(.time)) == [question])
            // Once, and the page is still that of a capture.
            #expect(pad.pad.page == .signing && pad.pad.deadline == start + .seconds(min(limit, total)))
            pad.now = start + .seconds(min(limit, total))
            pad.send(.time)
            #expect(!pad.pad.isCapturing)
        }
        var pad = SigningDriver()
        pad.call(1)
        pad.now += .seconds(40)
        pad.send(.time)
        // A touch beside the field is an answer.
        #expect(banners(pad.down(2, 2)) == [nil])
        #expect(pad.pad.deadline == pad.now + .seconds(40))
        // So is a stroke, which is ink as always.
        pad.now += .seconds(40)
        pad.send(.time)
        let stroke = pad.down(100, 100, 2)
        #expect(banners(stroke) == [nil] && stroke.ink.count == 1)
        // A refusal that is shown goes first.
        pad.up(2)
        pad.now += .seconds(39)
        pad.press(.accept)
        #expect(pad.pad.page == .refused)
        let wait = (pad.pad.deadline ?? 0) - pad.now
        pad.now += wait
        #expect(banners(pad.send(.time)) == [nil])
        // Without limits nobody is asked.
        var endless = SigningDriver()
        endless.call(1, CapturePolicy(inactivityLimit: .microseconds(Int64.max), totalLimit: .microseconds(Int64.max)))
        #expect(endless.pad.deadline == nil || endless.pad.deadline == .distantFuture)
    }

    @Test("a record that cannot be stored is reported to person and host, even if the record thread does not answer")
    func failed() {
        var pad = SigningDriver()
        let failed = MessageTable(.english)[.failed]
        pad.call(1)
        pad.down(100, 100)
        let ended = pad.send(.stored(.failed(pad.id(1), reason: "disk full")))
        #expect(
            ended.ink.count == 2 && ended.ink[0].isCancel && ended.discarded == pad.id(1) && ended.pages == [failed])
        #expect(pad.send(.stored(.failed(pad.id(1), reason: "again"))).isEmpty)
        pad.send(.stored(.discarded(pad.id(1), fault: nil)))
        #expect(pad.outcome(1) == .failed(reason: "disk full"))
        pad.now += .seconds(6)
        #expect(pad.send(.time).pages == ["idle"])
        pad.call(2)
        pad.up()
        pad.sign()
        pad.press(.accept)
        pad.now += .seconds(10)
        #expect(pad.send(.stored(.committed(pad.id(2)))).pages == [failed])
        pad.send(.stored(.discarded(pad.id(2), fault: nil)))
        #expect(pad.outcome(2) == .failed(reason: "the record was not stored in time"))
    }
}

@Suite("Hovering pens")
struct HoverTests {
    private func places(_ entry: CaptureEntry) -> [Int32]? {
        guard case .inAir(let movement) = entry else { return nil }
        return movement.samples.map(\.x)
    }

    @Test("hovering is recorded in order, and has no other effect")
    func order() throws {
        var pad = SigningDriver()
        // Hovering before the capture is ignored.
        #expect(pad.hover(1, 1).isEmpty)
        pad.call(1)
        let start = pad.now
        #expect(pad.hover(2, 2).isEmpty)
        #expect(pad.hover(3, 3).isEmpty)
        pad.sign()
        #expect(pad.hover(4, 4).isEmpty)
        pad.press(.undo)
        #expect(pad.hover(5, 5).isEmpty)
        pad.sign()
        pad.press(.clear)
        pad.sign()
        #expect(pad.hover(6, 6).isEmpty)
        pad.press(.accept)
        #expect(pad.hover(7, 7).isEmpty)
        let entries = pad.entries(1)
        #expect(entries.map(places) == [[2, 3], nil, [4], nil, [5], nil, nil, nil, [6]])
        guard case .inAir(let first) = try #require(entries.first) else { return }
        let expected = CaptureInAir(
            device: 1,
            samples: [
                .init(microseconds: 8000, x: 2, y: 2, distance: 2),
                .init(microseconds: 16_000, x: 3, y: 3, distance: 3),
            ])
        #expect(start == 1_008_000 && first == expected)
        // All hovering is stored before the record is closed.
        let stored = pad.actions.compactMap { if case .store(let action) = $0 { action } else { nil } }
        guard case .commit = stored.last else {
            Issue.record("\(stored.last as Any)")
            return
        }
    }

    @Test("hovering does not delay timeouts or remove messages")
    func noTouch() {
        var pad = SigningDriver()
        pad.call(1)
        let deadline = pad.pad.deadline
        pad.hover(1, 1)
        #expect(pad.pad.deadline == deadline)
        #expect(pad.press(.accept).refusal == .noInk)
        #expect(pad.hover(2, 2).isEmpty && pad.pad.page == .refused)
    }

    @Test("hovering ends when a capture is cancelled")
    func cancelled() {
        var pad = SigningDriver()
        pad.call(1)
        pad.hover(1, 1)
        pad.press(.cancel)
        pad.call(2)
        pad.sign()
        #expect(pad.entries(1).isEmpty)
        #expect(pad.entries(2).map(places) == [nil])
    }

    @Test("an entry has one pen and a maximum size; a pen off the page does not fill the disk")
    func bounds() {
        var pad = SigningDriver()
        pad.call(1, CapturePolicy(inactivityLimit: .microseconds(Int64.max), totalLimit: .microseconds(Int64.max)))
        pad.hover(1, 1, device: 0)
        pad.hover(2, 2, device: 1)
        #expect(pad.entries(1).map(places) == [[1]])
        let limit = CaptureLimits.inAirSampleCount
        for number in 0..<limit + 5000 { pad.hover(Int32(number), 0, device: 1) }
        pad.sign()
        let entries = pad.entries(1)
        let counts = entries.map { places($0)?.count ?? 0 }
        #expect(counts.reduce(0, +) == limit && counts.max() == 2000)
        #expect(places(entries[1])?.prefix(3) == [2, 0, 1])
    }
}
