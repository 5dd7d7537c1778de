// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import HostAPI
import Ink
import PadFixtures
import Record
import TestSupport
import Testing
import Touch

@testable import Pad

@Suite("Mirrors of a capture")
struct MirrorTests {
    private func pad(_ most: MirrorLevel? = .ink) -> PadDriver {
        var pad = PadDriver()
        pad.pad = Pad(
            PadDriver.settings(policy: PadDriver.policy).with(mirror: most), screen: PadDriver.screen(PadDriver.size))
        pad.handle(.devices(["touch"], [PadDriver.device, PadDriver.pen]))
        pad.handle(.stored(.storeChanged(fault: nil)))
        return pad
    }

    private func changes(_ pad: PadDriver, _ call: CallID) -> [MirrorChange] {
        (pad.replies[call] ?? []).compactMap { if case .mirrored(let change) = $0 { change } else { nil } }
    }

    /// The strokes that a follower has, and the stroke that is being drawn.
    private struct Follower {
        var strokes: [[Sample]] = []
        var open: [Sample]?

        init(_ changes: [MirrorChange]) {
            for change in changes {
                if change.restarts { (strokes, open) = ([], nil) }
                for step in change.steps {
                    switch step {
                    case .samples(let samples): open = (open ?? []) + samples
                    case .end:
                        strokes.append(open ?? [])
                        open = nil
                    case .cancel: open = nil
                    }
                }
            }
        }
    }

    /// The strokes that the display has.
    private func shown(_ actions: [RenderAction]) -> (strokes: [[Sample]], open: [Sample]?) {
        var history = History<[Sample]>()
        var open: [Sample]?
        for action in actions {
            switch action {
            case .ink(.begin(let sample), _): open = [sample]
            case .ink(.move(let sample), _): open?.append(sample)
            case .ink(.end, _):
                history.append(open ?? [])
                open = nil
            case .ink(.cancel, _): open = nil
            case .undo: _ = history.undo()
            case .clear: _ = history.clearSheet()
            case .wipe, .show: (history, open) = (History(), nil)
            default: break
            }
        }
        return (history.visible, open)
    }

    @Test("a level above that of the panel is refused, and any where the panel has no mirror")
    func levels() {
        for (most, allowed) in [(nil, 0), (MirrorLevel.state, 1), (.presence, 2), (.ink, 3)] {
            var pad = pad(most)
            for (index, level) in MirrorLevel.allCases.enumerated() {
                let call = pad.call(.mirror(level))
                #expect(changes(pad, call).count == (index < allowed ? 1 : 0))
                if index >= allowed, case .failed(let error)? = pad.last(call) {
                    if most == nil {
                        guard case .unavailable = error else {
                            Issue.record("\(error)")
                            return
                        }
                    } else {
                        #expect(
                            error
                                == .invalidParameter("level", expected: most == .state ? "state" : "state or presence"))
                    }
                }
            }
        }
    }

    @Test("a follower has the same strokes as the display, whatever happens")
    func sameStrokes() {
        for seed in 1...60 {
            var generator = SeededGenerator(seed: UInt64(seed))
            var pad = pad()
            var call = pad.call(.mirror(nil))
            pad.capture()
            for _ in 0..<30 {
                switch generator.next() % 8 {
                case 0: pad.press(.undo)
                case 1: pad.press(.clear)
                case 2: pad.call(.clear(nil))
                case 3:
                    pad.touch(.began, 150, 150)
                    pad.touch(.moved, 160, 150)
                    pad.touch(.cancelled, 160, 150)
                case 4: pad.touch(.began, 150, 150)
                case 5:
                    // A new follower comes in the middle.
                    pad.handle(.hostGone(call))
                    call = pad.call(.mirror(.ink))
                default: pad.sign()
                }
                // Ink is sent fifteen times a second.
                pad.now += .milliseconds(70)
                pad.handle(.time)
                let (follower, shown) = (Follower(changes(pad, call)), shown(pad.rendered))
                #expect(follower.strokes == shown.strokes && follower.open ?? [] == shown.open ?? [], "seed \(seed)")
                #expect(changes(pad, call).last { $0.strokes != nil }?.strokes == shown.strokes.count, "seed \(seed)")
            }
        }
    }

    @Test("a mirror of the page gets it anew after each change of a button or of the hint, others never")
    func backdrops() {
        func last(_ pad: PadDriver, _ isMeant: (RenderAction) -> Bool) -> Int {
            pad.rendered.lastIndex(where: isMeant) ?? -1
        }
        for (level, seed) in MirrorLevel.allCases.flatMap({ level in (1...10).map { (level, $0) } }) {
            var generator = SeededGenerator(seed: UInt64(seed))
            var pad = pad()
            let call = pad.call(.mirror(level))
            pad.capture()
            for _ in 0..<20 {
                switch generator.next() % 5 {
                case 0: pad.press(.undo)
                case 1: pad.press(.clear)
                case 2: pad.touch(.began, 150, 150)
                case 3: pad.touch(.cancelled, 150, 150)
                default: pad.sign()
                }
                let backdrop = last(pad) { $0 == .backdrop(call) }
                let change = last(pad) { action in
                    switch action {
                    case .button, .hint, .show: true
                    default: false
                    }
                }
                #expect(level == .state ? backdrop == -1 : backdrop > change, "\(level), seed \(seed)")
            }
        }
    }

    @Test("a document that is read is shown at the level ink only, at most twice a second, and as it is in the end")
    func documents() {
        for level in MirrorLevel.allCases {
            var pad = FlowDriver(fields: [.made(.signature, "S01", page: 2)])
            let call = CallID(7)
            pad.handle(.call(call, .mirror(level), .all))
            pad.call(CaptureFlow(document: FlowDriver.read()))
            func pictures() -> [Int] {
                pad.actions.indices.filter { index in
                    if case .render(.backdrop(call)) = pad.actions[index] { true } else { false }
                }
            }
            let begin = pad.now
            for _ in 0..<5 { pad.drag(by: -100) }
            pad.wait(.seconds(2))
            let sent = pictures()
            guard level == .ink else {
                #expect(sent.isEmpty, "\(level)")
                continue
            }
            #expect(sent.count >= 5 && sent.count <= Int((pad.now - begin) / .milliseconds(500)) + 1)
            let changed = pad.actions.lastIndex { if case .render(.document) = $0 { true } else { false } }
            #expect(changed != nil && sent.last! > changed!)
            // A page that rests is not sent again.
            pad.wait(.seconds(5))
            #expect(pictures() == sent)
        }
    }

    @Test("ink is sent fifteen times a second by the clock while a stroke is drawn, and at its end")
    func pace() {
        var pad = pad()
        let call = pad.call(.mirror(.ink))
        pad.capture()
        guard let field = pad.layout?.inkField else { return }
        let start = pad.now
        pad.touch(.began, Double(field.minX + 5), Double(field.minY + 5))
        #expect(changes(pad, call).allSatisfy { $0.steps.isEmpty }, "not when the pen comes down")
        #expect(pad.pad.deadline == pad.now + .milliseconds(66))
        for step in 1..<104 { pad.touch(.moved, Double(field.minX + 5 + step * 2), Double(field.minY + 5)) }
        let count = changes(pad, call).count { !$0.steps.isEmpty }
        #expect(count >= 9 && count <= Int((pad.now - start) / .milliseconds(66)))
        // A pen that rests: what is left comes with the deadline.
        let deadline = pad.pad.deadline
        #expect(deadline != nil && deadline! <= pad.now + .milliseconds(66))
        pad.now += .milliseconds(66)
        pad.handle(.time)
        #expect(Follower(changes(pad, call)).open?.count == 104)
        pad.touch(.ended, 0, 0)
        #expect(Follower(changes(pad, call)).strokes.map(\.count) == [104])
    }

    @Test("presence has squares and no samples, at most five times a second while a stroke is drawn")
    func presence() {
        var pad = pad(.presence)
        let call = pad.call(.mirror(.presence))
        pad.capture()
        guard let field = pad.layout?.inkField else { return }
        let start = pad.now
        pad.touch(.began, Double(field.minX + 5), Double(field.minY + 5))
        for step in 1..<100 { pad.touch(.moved, Double(field.minX + 5 + step * 2), Double(field.minY + 5)) }
        let during = changes(pad, call).count { !$0.cells.isEmpty }
        #expect(during >= 2 && during <= Int((pad.now - start) / .milliseconds(200)) + 1)
        pad.touch(.ended, 0, 0)
        let changes = changes(pad, call)
        #expect(changes.allSatisfy { $0.steps.isEmpty })
        let cells = changes.flatMap(\.cells)
        #expect(cells.count == Set(cells).count && cells.contains(MirrorReply.Cell(x: 0, y: 0)) && cells.count >= 8)
        pad.press(.clear)
        #expect(self.changes(pad, call).last?.restarts == true && self.changes(pad, call).last?.cells.isEmpty == true)
    }

    @Test("state has the page and the number of strokes only")
    func state() {
        var pad = pad(.ink)
        let call = pad.call(.mirror(.state))
        pad.capture()
        pad.sign()
        pad.press(.accept)
        let changes = changes(pad, call)
        #expect(changes.allSatisfy { $0.steps.isEmpty && $0.cells.isEmpty })
        #expect(
            changes.map(\.page) == [.idle, .signing, .signing, .saving] && changes.map(\.strokes) == [nil, 0, 1, nil])
        let backdrops = pad.rendered.contains { if case .backdrop = $0 { true } else { false } }
        #expect(!backdrops)
    }

    @Test("a capture of another role is not shown, and all of a capture is gone with its end")
    func roles() throws {
        var pad = pad()
        let gateway = pad.call(.mirror(nil), .askedBy(.gateway))
        let clerk = pad.call(.mirror(nil), .all)
        pad.capture()
        pad.sign()
        #expect(changes(pad, gateway).allSatisfy { $0.capture == nil && $0.steps.isEmpty && $0.strokes == nil })
        let shown = try #require(changes(pad, clerk).compactMap(\.capture).first)
        #expect(shown.id == pad.runningID && shown.page == pad.layout)
        pad.call(.cancel(nil))
        #expect(changes(pad, clerk).last == MirrorChange(page: .idle, restarts: true))
    }

    @Test("the page shows that somebody watches, from the first follower who sees ink to the last")
    func sign() {
        var pad = pad()
        func signs() -> [Bool] {
            pad.rendered.compactMap { if case .sign(.watched, let isShown) = $0 { isShown } else { nil } }
        }
        // Tells what a status tells.
        let clerk = pad.call(.mirror(.state))
        #expect(signs() == [])
        let (one, other) = (pad.call(.mirror(nil)), pad.call(.mirror(.presence)))
        #expect(signs() == [true])
        pad.handle(.hostGone(one))
        pad.handle(.hostGone(clerk))
        #expect(signs() == [true])
        pad.handle(.hostGone(other))
        #expect(signs() == [true, false])
    }

    @Test("a follower who gets the picture of a page gets its words, and nobody else")
    func words() {
        for level in MirrorLevel.allCases {
            var pad = pad()
            let call = pad.call(.mirror(level))
            pad.capture()
            let shown = changes(pad, call).compactMap(\.capture).last
            #expect((shown?.texts != nil) == (level > .state), "\(level)")
            #expect(shown?.language == "en")
            if level > .state { #expect(shown?.texts == shown?.page.page.words) }
        }
        // Questions have a picture at the level ink only.
        let question = CaptureQuestion(name: "Q", kind: .check, text: "News by mail")
        for level in MirrorLevel.allCases {
            var pad = FlowDriver()
            pad.handle(.call(CallID(2), .mirror(level), .all))
            pad.call(CaptureFlow(questions: [question]), prompt: ["Order 7"])
            let captures = pad.replies.compactMap { reply -> MirroredCapture? in
                if case .mirrored(let change) = reply { change.capture } else { nil }
            }
            #expect(captures.last?.texts?.contains("News by mail") == (level == .ink ? true : nil), "\(level)")
        }
    }

    @Test("followers are limited")
    func limit() {
        var pad = pad()
        let calls = (0..<9).map { _ in pad.call(.mirror(nil)) }
        guard case .failed(.unavailable) = pad.last(calls[8]) else {
            Issue.record("\(String(describing: pad.last(calls[8])))")
            return
        }
        pad.handle(.hostGone(calls[0]))
        let next = pad.call(.mirror(nil))
        #expect(changes(pad, next).count == 1)
    }
}

extension PadSettings {
    func with(mirror: MirrorLevel?) -> PadSettings {
        var settings = self
        settings.mirror = mirror
        return settings
    }
}
