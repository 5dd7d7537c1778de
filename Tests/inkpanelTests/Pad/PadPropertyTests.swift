// SPDX-License-Identifier: Apache-2.0
import Capture
import Control
import Geometry
@testable import inkpanel
import Record
import Store
import Testing
import TestSupport
import Touch


@Suite("The pad and its hosts, whatever happens")
struct PadPropertyTests {
    /// Plays a host, a person and a writer at random.
    private static func play(seed: UInt64, steps: Int) -> (pad: PadDriver, captures: [CallID], gone: Set<CallID>) {
        var random = SeededGenerator(seed: seed)
        var pad = PadDriver()
        var (captures, gone): ([CallID], Set<CallID>) = ([], [])
        for _ in 0..<steps {
            pad.now += Int64.random(in: 0..<200_000, using: &random)
            pad.laysOut = Int.random(in: 0..<4, using: &random) > 0
            pad.admits = Int.random(in: 0..<4, using: &random) > 0
            switch Int.random(in: 0..<44, using: &random) {
            case 0..<6: captures.append(pad.capture(waits: Bool.random(using: &random)))
            case 6: pad.call(.cancel(nil))
            case 7: pad.call(.clear(pad.runningID))
            case 8: pad.call(.accept(nil))
            case 9:
                if let call = captures.randomElement(using: &random) {
                    let isOpen = pad.last(call).map { !$0.isFinal } ?? true
                    if isOpen, gone.insert(call).inserted { pad.handle(.host(.gone(call))) }
                }
            case 10, 42, 43: pad.layOut(Bool.random(using: &random))
            case 11: pad.now += 70_000_000
            case 12: pad.call(.watch)
            case 13: if let id = pad.runningID { pad.handle(.record(.failed(id, reason: "no"))) }
            case 14..<22: if let id = pad.runningID { pad.handle(.record(.durable(id))) }
            case 22..<28: pad.press(PageButton.allCases.randomElement(using: &random)!)
            case 29:
                switch Int.random(in: 0..<5, using: &random) {
                case 0: pad.handle(.noDisplay(reason: "unplugged"))
                case 1: pad.handle(.displayShows)
                case 2: pad.handle(.letGo)
                case 3: pad.handle(.display(PadDriver.screen(pad.size)))
                default:
                    pad.size.width = pad.size.width == 800 ? 640 : 800
                    pad.handle(.display(PadDriver.screen(pad.size)))
                }
            case 40: pad.admit(Bool.random(using: &random) ? .diskFull(path: "/store") : nil)
            case 41: pad.handle(.record(.store(fault: Bool.random(using: &random) ? .diskFull(path: "/store") : nil)))
            case 28: pad.handle(.devices(Bool.random(using: &random) ? [] : ["touch"], [PadDriver.device]))
            default: pad.sign()
            }
            pad.handle(.time)
        }
        pad.handle(.end)
        pad.handle(.end)
        pad.rest()
        return (pad, captures, gone)
    }

    @Test(
        "each call has one last answer, and a record stays where, and only where, it was told",
        arguments: 0..<40 as Range<UInt64>)
    func rules(seed: UInt64) {
        let (pad, captures, gone) = Self.play(seed: seed, steps: 800)
        var accepted: Set<String> = []
        for call in captures {
            let answers = pad.answers[call] ?? []
            let finals = answers.filter(\.isFinal).count
            // The answers to one that has gone go nowhere.
            if gone.contains(call) {
                #expect(finals <= 1, "seed \(seed)")
            } else {
                #expect(finals == 1 && answers.last?.isFinal == true, "seed \(seed), \(call)")
            }
            if case .ended(let outcome) = answers.last, outcome.result == .accepted {
                accepted.insert(outcome.id.description)
            }
        }
        var (started, kept, discarded): (Set<String>, Set<String>, Set<String>) = ([], [], [])
        for job in pad.jobs {
            switch job {
            case .admit: Issue.record("an admission is no job")
            case .start(let header): #expect(started.insert(header.id).inserted, "seed \(seed)")
            case .append(let id, _):
                let name = id.description
                #expect(started.contains(name) && !kept.contains(name) && !discarded.contains(name), "seed \(seed)")
            case .keep(let id, _): #expect(kept.insert(id.description).inserted, "seed \(seed)")
            case .sketch, .openSketch, .saveSketch: Issue.record("a sketch on a pad without one")
            case .discard(let id, _): #expect(discarded.insert(id.description).inserted, "seed \(seed)")
            }
        }
        #expect(started == kept.subtracting(discarded).union(discarded), "seed \(seed)")
        #expect(kept.subtracting(discarded) == accepted, "seed \(seed)")
        #expect(pad.runningID == nil && pad.controller.status.page == .idle, "seed \(seed)")
    }

    @Test("and the runs get everywhere")
    func reach() {
        var results: Set<String> = []
        for seed in 0..<40 as Range<UInt64> {
            let (pad, captures, _) = Self.play(seed: seed, steps: 400)
            for call in captures {
                switch pad.last(call) {
                case .ended(let outcome): results.insert("\(outcome.result)")
                case .failed(.busy): results.insert("busy")
                case .failed(let refusal): results.insert("\(refusal)")
                default: break
                }
            }
        }
        #expect(results.isSuperset(of: ["accepted", "cancelledByPerson", "cancelledByHost", "busy", "pageTooSmall(nil)"]))
        #expect(results.contains { $0.hasPrefix("storeFailed") })
        #expect(results.contains { $0.hasPrefix("timedOut") } && results.contains { $0.hasPrefix("failed") })
    }
}
