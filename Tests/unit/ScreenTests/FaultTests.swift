// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Raster
import TestSupport
import Testing

@testable import Screen

@Suite("Faults of the kernel")
struct FaultTests {
    static let errors = [Errno.busy, .permissionDenied, .noSuchDevice, .invalidArgument, .noSpace, Errno(code: 12)]

    /// Opens a display, draws 12 frames and closes it.
    private func live(with card: FakeCard) throws(ScreenError) -> UInt32? {
        var clock = Timestamp.zero
        let display = try KMSDisplayTests.open(card) {
            clock += .milliseconds(1)
            return clock
        }
        defer { display.close() }
        var panel = TestPanel(display)
        for _ in 0..<12 {
            panel.draw()
            try panel.present()
            card.vblank()
            try panel.readEvents()
        }
        // Present frames that are still waiting after an error.
        for _ in 0..<3 {
            panel.repaint()
            try panel.present()
            card.vblank()
            try panel.readEvents()
        }
        let shown = card.shownPixel()
        if shown != panel.color { Issue.record("shows \(shown ?? 0) instead of \(panel.color)") }
        return shown
    }

    @Test(
        "any call may fail once: the error is overcome or thrown, and nothing is leaked", arguments: errors,
        [true, false])
    func everyCall(error: Errno, isAtomic: Bool) throws {
        let healthy = try FakeCard.panel(width: 8, height: 6, isAtomic: isAtomic)
        healthy.addDesktop()
        healthy.properties[40]?["FB_DAMAGE_CLIPS"] = 0
        _ = try live(with: healthy)
        #expect(healthy.isClean && healthy.isClosed, "\(healthy.violations)")
        #expect(healthy.log.count > 60)
        var overcome = 0
        for call in healthy.log.indices {
            let card = try FakeCard.panel(width: 8, height: 6, isAtomic: isAtomic)
            card.addDesktop()
            card.properties[40]?["FB_DAMAGE_CLIPS"] = 0
            card.failure = (call, error)
            do {
                _ = try live(with: card)
                overcome += 1
            } catch {
                #expect(error.description.contains("/dev/dri/card0"), "names the card: \(error)")
            }
            let name = healthy.log[call]
            #expect(card.isClean, "call \(call) (\(name)): \(card.violations), \(card.memory.count) buffers")
            #expect(card.isClosed, "call \(call) (\(name)): left open")
        }
        #expect(overcome > healthy.log.count / 3)
    }

    @Test(
        "a card that is unplugged at any moment is reported as gone, and everything is freed", arguments: [true, false])
    func unplugged(isAtomic: Bool) throws {
        for frames in 0..<8 {
            let card = try FakeCard.panel(width: 8, height: 6, isAtomic: isAtomic)
            var panel = TestPanel(try finder(card).open())
            do {
                for frame in 0..<10 {
                    if frame == frames { card.isGone = true }
                    panel.draw()
                    try panel.present()
                    card.vblank()
                    try panel.readEvents()
                }
                Issue.record("not noticed")
            } catch {
                #expect(error == .cardGone(card: "/dev/dri/card0"))
            }
            panel.display.close()
            #expect(card.isClean && card.isClosed, "\(card.violations)")
        }
    }

    @Test("reports that another program became master", arguments: [true, false])
    func lostMaster(isAtomic: Bool) throws {
        let card = try FakeCard.panel(width: 8, height: 6, isAtomic: isAtomic)
        let display = try finder(card).open()
        try display.start(showing: 0)
        card.isMaster = false
        let lost = ScreenError.lostMaster(card: "/dev/dri/card0")
        #expect(throws: lost) { _ = try display.present(1, damage: Damage()) }
        #expect(throws: lost) { try display.start(showing: 1) }
        display.close()
        #expect(card.isClean && card.isClosed)
    }

    @Test("repeated EBUSY loses neither the frame nor its damage", arguments: Breadth.seeds(8, long: 40))
    func busy(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let isAtomic = Bool.random(using: &random)
        let card = try FakeCard.panel(width: 8, height: 6, isAtomic: isAtomic)
        var clock = Timestamp.zero
        let display = try KMSDisplayTests.open(card) { clock }
        var panel = TestPanel(display)
        panel.draw()
        try panel.present()
        var lastShown: UInt32 = 0
        for _ in 0..<300 {
            clock += .milliseconds(16)
            card.failures = Int.random(in: 0..<3, using: &random) == 0 ? [isAtomic ? "flip" : "pageFlip": .busy] : [:]
            if Bool.random(using: &random) { panel.draw() }
            if try panel.present() == .busy {
                let deadline = try #require(display.retryDeadline, "a refused frame is retried")
                #expect(deadline == clock + display.pipeline.mode.refreshInterval)
            }
            if Bool.random(using: &random) { card.vblank() }
            try panel.readEvents()
            panel.repaint()
            let shown = card.shownPixel() ?? 0
            #expect(shown >= lastShown, "seed \(seed): older after newer")
            lastShown = shown
        }
        card.failures = [:]
        for _ in 0..<4 {
            card.vblank()
            try panel.readEvents()
            panel.repaint()
            try panel.present()
        }
        #expect(card.shownPixel() == panel.color, "seed \(seed)")
        #expect(display.retryDeadline == nil)
    }

    @Test("permanent EBUSY means that the CRTC is off: the mode is set again")
    func busyForEver() throws {
        let card = try FakeCard.panel()
        var clock = Timestamp.zero
        let display = try KMSDisplayTests.open(card) { clock }
        try display.start(showing: 0)
        card.failures["flip"] = .busy
        #expect(try display.present(1, damage: Damage()) == .busy)
        clock += .milliseconds(400)
        #expect(try display.present(1, damage: Damage()) == .busy)
        clock += .milliseconds(200)
        display.surfaces[1].row(0)[0] = 77
        #expect(try display.present(1, damage: Damage()) == .shown)
        #expect(card.shownPixel() == 77)
    }

    @Test("a modeset replaces a lost completion, and a late one is ignored")
    func lostEvent() throws {
        let card = try FakeCard.panel()
        var clock = Timestamp.zero
        let display = try KMSDisplayTests.open(card) { clock }
        try display.start(showing: 0)
        card.losesEvents = true
        #expect(try display.present(1, damage: Damage()) == .queued)
        let deadline = try #require(display.retryDeadline)
        card.vblank()
        #expect(try display.readEvents() == [])
        clock = deadline
        let completions = try display.readEvents()
        #expect(completions == [FlipCompletion(index: 1, time: deadline, wasLost: true)])
        card.losesEvents = false
        #expect(try display.present(2, damage: Damage()) == .queued)
        card.sendEvent(serial: 1)
        #expect(try display.readEvents() == [], "the event of the flip given up")
        card.vblank()
        #expect(try display.readEvents().map(\.index) == [2])
    }

    @Test("a driver that completes no flip is given up after three modesets")
    func deadDriver() throws {
        let card = try FakeCard.panel()
        var clock = Timestamp.zero
        let display = try KMSDisplayTests.open(card) { clock }
        try display.start(showing: 0)
        card.losesEvents = true
        do {
            for step in 1...10 {
                _ = try display.present(step % 3, damage: Damage())
                clock += .milliseconds(600)
                _ = try display.readEvents()
                #expect(step <= 3)
            }
            Issue.record("waited on")
        } catch {
            #expect(error == .flipTimedOut(card: "/dev/dri/card0", connector: "DSI-1"))
        }
    }
}

extension KMSDisplayTests {
    /// Opens the display of `card` with the test's clock.
    static func open(_ card: FakeCard, now: @escaping () -> Timestamp) throws(ScreenError) -> KMSDisplay {
        let survey = CardSurvey(of: card)
        guard let pipeline = survey.pipelines.first else {
            card.close()
            throw .noDisplay(reasons: ["\(card.path): \(survey.report)"])
        }
        return try KMSDisplay(device: card, pipeline: pipeline, now: now)
    }
}
