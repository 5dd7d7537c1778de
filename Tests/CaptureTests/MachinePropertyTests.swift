// SPDX-License-Identifier: Apache-2.0
import Capture
import TestSupport
import Testing

@Suite("The pad, whatever happens")
struct MachinePropertyTests {
    /// What a run came to.
    private struct Run {
        var witness = PadWitness()
        var kinds: Set<String> = []
    }

    private static func run(seed: UInt64, steps: Int) -> Run {
        var run = Run()
        var random = RandomPad(seed: seed)
        var machine = CaptureMachine()
        for step in 0..<steps where run.witness.faults.isEmpty {
            let (input, now) = random.next(machine)
            let effects = machine.handle(input, at: now)
            run.witness.see(input, effects, at: now, machine)
            if !run.witness.faults.isEmpty { Issue.record("seed \(seed), step \(step), \(input)") }
        }
        // Left alone, the pad comes to rest.
        var wakeUps = 0
        while let deadline = machine.deadline, wakeUps < 10 {
            let effects = machine.handle(.time, at: deadline)
            run.witness.see(.time, effects, at: deadline, machine)
            wakeUps += 1
        }
        #expect(machine.deadline == nil && machine.running == nil, "seed \(seed)")
        for result in run.witness.results.values.joined() { run.kinds.insert(name(result)) }
        return run
    }

    private static func name(_ result: CaptureResult) -> String {
        switch result {
        case .accepted: "accepted"
        case .cancelled(by: .person): "person"
        case .cancelled(by: .host): "host"
        case .timedOut(.inactivity): "inactivity"
        case .timedOut(.total): "total"
        case .recordFailed: "failed"
        case .recordLate: "late"
        case .busy: "busy"
        }
    }

    @Test("what it does never breaks a rule, and each request ends once", arguments: 0..<60 as Range<UInt64>)
    func rules(seed: UInt64) {
        let witness = Self.run(seed: seed, steps: 3000).witness
        #expect(witness.faults.isEmpty, "seed \(seed)")
        #expect(Set(witness.asked) == Set(witness.results.keys), "seed \(seed)")
        #expect(witness.results.values.allSatisfy { $0.count == 1 }, "seed \(seed)")
    }

    @Test("and the runs get everywhere: all ways to end, and many strokes")
    func reach() {
        var kinds: Set<String> = []
        var strokes = 0
        for seed in 1000..<1030 as Range<UInt64> {
            let run = Self.run(seed: seed, steps: 3000)
            kinds.formUnion(run.kinds)
            strokes += run.witness.strokesDrawn
        }
        #expect(kinds == ["accepted", "person", "host", "inactivity", "total", "failed", "late", "busy"])
        #expect(strokes > 1000)
    }
}
