import HostAPI
import Record
import TestSupport
import Testing

// SPDX-License-Identifier: Apache-2.0
@testable import Pad

@Suite("Random runs of signing")
struct SigningPropertyTests {
    private static func run(seed: UInt64, steps: Int) -> PadWitness {
        var (witness, random) = (PadWitness(), RandomPad(seed: seed))
        var pad = Pad(PadDriver.settings(policy: .standard), screen: TestPad.screen)
        _ = pad.handle(.devices(["touch"], [PadDriver.device, PadDriver.pen]), at: random.now)
        /// Sends an event, and the answers of the render and record threads.
        func send(_ event: PadEvent, at now: Int64) {
            var events = [event]
            while !events.isEmpty {
                let event = events.removeFirst()
                var seen: [PadAction] = []
                for action in pad.handle(event, at: now) {
                    switch action {
                    case .render(.layOut(let id, let page)): events.append(.laidOut(id, .success(TestPad.place(page))))
                    case .store(.check(let id)):
                        random.ids.append(id)
                        events.append(.stored(.ready(id)))
                    case .store(.discard(let id)):
                        seen.append(action)
                        events.append(.stored(.discarded(id, fault: nil)))
                    case .store(.append(let id, _)):
                        seen.append(action)
                        events.append(.stored(.appended(id)))
                    default: seen.append(action)
                    }
                }
                witness.see(event, seen, at: now, pad)
            }
        }
        for step in 0..<steps where witness.faults.isEmpty {
            let (event, now) = random.next(pad)
            send(event, at: now)
            if !witness.faults.isEmpty { Issue.record("seed \(seed), step \(step), \(event): \(witness.faults)") }
        }
        // Without new calls, the pad becomes idle.
        var now = random.now
        var wakeUps = 0
        while let deadline = pad.deadline, wakeUps < 100 {
            now = max(now, deadline)
            send(.time, at: now)
            wakeUps += 1
        }
        #expect(pad.deadline == nil && !pad.isCapturing, "seed \(seed)")
        return witness
    }

    private static func name(_ outcome: CaptureOutcome) -> String {
        switch outcome {
        case .accepted: "accepted"
        case .cancelled(by: .person): "person"
        case .cancelled(by: .host): "host"
        case .timedOut(.inactivity): "inactivity"
        case .timedOut(.total): "total"
        case .failed(let reason): reason == "full" ? "failed" : "late"
        }
    }

    @Test("all rules hold, and each call ends once", arguments: Breadth.seeds(10, long: 60))
    func rules(seed: UInt64) {
        let witness = Self.run(seed: seed, steps: 3000)
        #expect(witness.faults.isEmpty, "seed \(seed)")
        #expect(witness.openCalls.isEmpty, "seed \(seed)")
    }

    @Test("the runs reach all outcomes and many strokes")
    func reach() {
        var names: Set<String> = []
        var (strokes, busy) = (0, 0)
        for seed in 1000..<1010 as Range<UInt64> {
            let witness = Self.run(seed: seed, steps: 3000)
            names.formUnion(witness.outcomes.map(Self.name))
            strokes += witness.strokesDrawn
            busy += witness.busyCount
        }
        #expect(names == ["accepted", "person", "host", "inactivity", "total", "failed", "late"])
        #expect(strokes > 300 && busy > 0)
    }
}
