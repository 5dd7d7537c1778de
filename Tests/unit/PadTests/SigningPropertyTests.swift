// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import PadFixtures
import Record
import TestSupport
import Testing

@testable import Pad

@Suite("Random runs of signing")
struct SigningPropertyTests {
    /// A pad, random events, and who watches.
    private struct Run: DrivenPad {
        var pad = Pad(PadDriver.settings(policy: .standard), screen: TestPad.screen)
        var now = Timestamp.zero
        var witness = PadWitness()
        var random: RandomPad

        mutating func carryOut(_ action: PadAction) -> PadEvent? {
            switch action {
            case .render(.layOut(let id, let page)): return .laidOut(id, .success(TestPad.place(page)))
            case .store(let action):
                if case .check(let id) = action { random.ids.append(id) }
                return action.answer.map { .stored($0) }
            case .render, .reply, .simulate, .requestReport, .document, .speech: return nil
            }
        }

        mutating func see(_ event: PadEvent, _ actions: [PadAction]) {
            witness.see(event, actions.filter { !$0.prepares }, at: now, pad)
        }
    }

    private static func run(seed: UInt64, steps: Int) -> PadWitness {
        var run = Run(random: RandomPad(seed: seed))
        _ = run.pad.handle(.devices(["touch"], [PadDriver.device, PadDriver.pen]), at: run.random.now)
        for step in 0..<steps where run.witness.faults.isEmpty {
            let (event, now) = run.random.next(run.pad)
            run.now = now
            run.handle(event)
            if !run.witness.faults.isEmpty {
                Issue.record("seed \(seed), step \(step), \(event): \(run.witness.faults)")
            }
        }
        // Without new calls, the pad becomes idle.
        var wakeUps = 0
        while let deadline = run.pad.deadline, wakeUps < 100 {
            run.wait(until: deadline)
            wakeUps += 1
        }
        #expect(run.pad.deadline == nil && !run.pad.isCapturing, "seed \(seed)")
        return run.witness
    }

    private static func name(_ outcome: CaptureOutcome) -> String {
        switch outcome {
        case .accepted: "accepted"
        case .declined: "declined"
        case .cancelled(by: .person): "person"
        case .cancelled(by: .host): "host"
        case .timedOut(.inactivity): "inactivity"
        case .timedOut(.total): "total"
        case .failed(let reason, _): reason == "full" ? "failed" : "late"
        }
    }

    @Test("all rules hold, and each call ends once", arguments: Breadth.seeds(4, long: 60))
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
