// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import PadFixtures
import Record
import TestSupport
import Testing
import Touch

@testable import Pad

@Suite("Random runs of the pad and its hosts")
struct PadPropertyTests {
    /// Simulates a host, a person and a writer at random.
    private static func play(seed: UInt64, steps: Int) -> (pad: PadDriver, captures: [CallID], gone: Set<CallID>) {
        var random = SeededGenerator(seed: seed)
        var pad = PadDriver()
        var (captures, gone): ([CallID], Set<CallID>) = ([], [])
        for _ in 0..<steps {
            pad.now += .microseconds(Int.random(in: 0..<200_000, using: &random))
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
                    if isOpen, gone.insert(call).inserted { pad.handle(.hostGone(call)) }
                }
            case 10, 42, 43: pad.layOut(Bool.random(using: &random))
            case 11: pad.now += .seconds(70)
            case 12: pad.call([.watch, .screenshot, .identify(gatewayKey: nil)].randomElement(using: &random)!)
            case 13: if let id = pad.runningID { pad.handle(.stored(.failed(id, reason: "no"))) }
            case 14..<22: if let id = pad.runningID { pad.handle(.stored(.committed(id))) }
            case 22..<28: pad.press(PageButton.signing.randomElement(using: &random)!)
            case 29:
                switch Int.random(in: 0..<5, using: &random) {
                case 0: pad.handle(.displayLost(reason: "unplugged"))
                case 1: pad.handle(.displayShows)
                case 2: pad.touch(.retired, 1, 1)
                case 3: pad.handle(.display(PadDriver.screen(pad.size)))
                default:
                    pad.size.width = pad.size.width == 800 ? 640 : 800
                    pad.handle(.display(PadDriver.screen(pad.size)))
                }
            case 40: pad.admit(Bool.random(using: &random) ? "the disk is full" : nil)
            case 41: pad.handle(.stored(.storeChanged(fault: Bool.random(using: &random) ? "the disk is full" : nil)))
            case 28: pad.handle(.devices(Bool.random(using: &random) ? [] : ["touch"], [PadDriver.device]))
            default: pad.sign()
            }
            pad.handle(.time)
            checkFault(of: pad, seed)
        }
        pad.handle(.stop)
        pad.handle(.stop)
        pad.rest()
        return (pad, captures, gone)
    }

    /// A fault is shown exactly while it is there and no capture runs.
    private static func checkFault(of pad: PadDriver, _ seed: UInt64) {
        let messages = MessageTable(.english)
        let shown = pad.rendered.last { if case .show = $0 { true } else { false } }
        let isIdle = [.idle, .fault].contains(pad.pad.page)
        let fault: Message? = pad.pad.devices.isEmpty ? .outOfOrderLine : pad.pad.recordFault.map { _ in .notRecording }
        let expected = fault.map { messages.faultPage($0) } ?? .words("idle")
        #expect(!isIdle || shown == .show(expected) && (pad.pad.page == .fault) == (fault != nil), "seed \(seed)")
    }

    @Test(
        "each call has one last answer, a record stays only where it was told, and watchers know the status",
        arguments: Breadth.seeds(2, long: 40))
    func rules(seed: UInt64) {
        let (pad, captures, gone) = Self.play(seed: seed, steps: 800)
        var accepted: Set<String> = []
        for call in captures {
            let answers = pad.replies[call] ?? []
            let finals = answers.filter(\.isFinal).count
            // Replies to a host that has disconnected are dropped.
            if gone.contains(call) {
                #expect(finals <= 1, "seed \(seed)")
            } else {
                #expect(finals == 1 && answers.last?.isFinal == true, "seed \(seed), \(call)")
            }
            if case .capture(let outcome) = answers.last, outcome.outcome == .accepted {
                accepted.insert(outcome.id.description)
            }
        }
        var (started, kept, discarded): (Set<String>, Set<String>, Set<String>) = ([], [], [])
        for job in pad.stored {
            switch job {
            case .check: Issue.record("an admission is no job")
            case .begin(let header): #expect(started.insert(header.id).inserted, "seed \(seed)")
            case .keepDocument: Issue.record("a document on a pad without one")
            case .append(let id, _):
                let name = id.description
                #expect(started.contains(name) && !kept.contains(name) && !discarded.contains(name), "seed \(seed)")
            case .commit(let id, _): #expect(kept.insert(id.description).inserted, "seed \(seed)")
            case .readKey: Issue.record("the driver answers it")
            case .keepScatter: break
            case .sketch, .openSketch, .saveSketch: Issue.record("a sketch on a pad without one")
            case .discard(let id): #expect(discarded.insert(id.description).inserted, "seed \(seed)")
            }
        }
        #expect(started == kept.subtracting(discarded).union(discarded), "seed \(seed)")
        #expect(kept.subtracting(discarded) == accepted, "seed \(seed)")
        #expect(pad.runningID == nil && [.idle, .fault].contains(pad.pad.page), "seed \(seed)")
        #expect(pad.staleStatusCount == 0, "seed \(seed)")
    }

    @Test("the runs reach all states")
    func reach() {
        let wanted: Set = [
            "accepted", "cancelled by person", "cancelled by host", "busy", "tooSmallScreen", "storeFailed", "timedOut",
            "failed",
        ]
        var results: Set<String> = []
        for seed in 0..<40 as Range<UInt64> where !results.isSuperset(of: wanted) {
            let (pad, captures, _) = Self.play(seed: seed, steps: 400)
            for call in captures {
                switch pad.last(call) {
                case .capture(let reply): reply.outcome.map { _ = results.insert(name($0)) }
                case .failed(.busy): results.insert("busy")
                case .failed(.tooSmallScreen): results.insert("tooSmallScreen")
                case .failed(.storeFailed): results.insert("storeFailed")
                default: break
                }
            }
        }
        #expect(results.isSuperset(of: wanted))
    }

    private func name(_ outcome: CaptureOutcome) -> String {
        switch outcome {
        case .accepted: "accepted"
        case .declined: "declined"
        case .cancelled(let party): "cancelled by \(party.rawValue)"
        case .timedOut: "timedOut"
        case .failed: "failed"
        }
    }
}
