// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import PadFixtures
import Record
import TestSupport
import Testing

@testable import Pad

/// A gateway reaches only the captures that it asked for.
@Suite("The pad and the roles of hosts")
struct PadRoleTests {
    private static let gateway = CaptureReach.askedBy(.gateway)

    private static func reach(_ role: HostRole) -> CaptureReach { role == .operator ? .all : gateway }

    private func capture(_ pad: inout PadDriver, by role: HostRole, waits: Bool = false) -> CallID {
        let call = CaptureCall(
            request: CaptureRequest(prompt: ["Sign"]), waits: waits, follows: true, askedBy: role)
        return pad.call(.capture(call), Self.reach(role))
    }

    @Test("the record says which other role asked, and is as before for an operator")
    func record() {
        for role in HostRole.allCases {
            var pad = PadDriver()
            _ = capture(&pad, by: role)
            guard case .begin(let header)? = pad.stored.first else {
                Issue.record("\(pad.stored)")
                continue
            }
            #expect(header.askedBy == (role == .operator ? nil : role) && header.asker == role)
        }
    }

    @Test("a capture of an operator does not exist for the gateway, running, waiting or being prepared")
    func strange() {
        var pad = PadDriver()
        let running = capture(&pad, by: .operator)
        let waiting = capture(&pad, by: .operator, waits: true)
        pad.sign()
        guard case .capture(let progress) = pad.last(waiting) else {
            Issue.record("\(pad.replies)")
            return
        }
        let ids = [nil, pad.runningID, progress.id]
        let (stored, rendered) = (pad.stored.count, pad.rendered.count)
        for id in ids {
            for asked in [PadCall.cancel(id), .clear(id), .accept(id)] {
                let call = pad.call(asked, Self.gateway)
                #expect(pad.replies[call] == [.failed(.notRunning)], "\(asked)")
            }
        }
        #expect(pad.stored.count == stored && pad.rendered.count == rendered && pad.pad.page == .signing)
        pad.call(.cancel(progress.id))
        pad.call(.cancel(nil))
        for call in [running, waiting] {
            guard case .capture(let end) = pad.last(call) else {
                Issue.record("\(pad.replies)")
                return
            }
            #expect(end.outcome == .cancelled(by: .host))
        }
        pad.laysOut = false
        let prepared = capture(&pad, by: .operator)
        let cancel = pad.call(.cancel(nil), Self.gateway)
        #expect(pad.last(cancel) == .failed(.notRunning) && pad.replies[prepared] == nil)
    }

    @Test("the gateway operates its own captures, and an operator those of the gateway")
    func own() throws {
        for reach in [Self.gateway, .all] {
            var pad = PadDriver()
            let running = capture(&pad, by: .gateway)
            let waiting = capture(&pad, by: .gateway, waits: true)
            guard case .capture(let progress) = pad.last(waiting) else {
                Issue.record("\(pad.replies)")
                return
            }
            pad.sign()
            let id = try #require(pad.runningID)
            for asked in [PadCall.clear(id), .cancel(progress.id)] {
                let call = pad.call(asked, reach)
                #expect(pad.last(call) == .done)
            }
            pad.sign()
            let accept = pad.call(.accept(nil), reach)
            #expect(pad.last(accept) == .done && pad.pad.page == .saving)
            pad.handle(.stored(.committed(id)))
            #expect(pad.last(running) == .capture(CaptureReply(id: id, state: .ended(.accepted))))
        }
    }

    @Test("Busy names the other capture only to a host that reaches it")
    func busy() throws {
        for runner in HostRole.allCases {
            var pad = PadDriver()
            _ = capture(&pad, by: runner)
            let id = try #require(pad.runningID)
            let second = capture(&pad, by: .gateway)
            #expect(pad.last(second) == .failed(.busy(with: runner == .gateway ? id : nil)))
            let third = capture(&pad, by: .operator)
            #expect(pad.last(third) == .failed(.busy(with: id)))
        }
    }

    @Test("the gateway's status has no capture of an operator, and its watcher does not hear of the strokes")
    func status() {
        var pad = PadDriver()
        let watch = pad.call(.watch, Self.gateway)
        let other = pad.call(.watch)
        _ = capture(&pad, by: .operator)
        var seen = pad.pad.status
        seen.running = nil
        #expect(pad.last(watch) == .changed(seen) && seen.page == .signing)
        let (count, otherCount) = (pad.replies[watch]?.count, pad.replies[other]?.count ?? 0)
        pad.sign()
        #expect(pad.replies[watch]?.count == count && pad.replies[other]?.count == otherCount + 1)
        let (asked, otherAsked) = (pad.call(.status, Self.gateway), pad.call(.status))
        #expect(pad.last(asked) == .status(seen) && pad.last(otherAsked) == .status(pad.pad.status))
        pad.press(.cancel)
        _ = capture(&pad, by: .gateway)
        pad.sign()
        #expect(pad.last(watch) == .changed(pad.pad.status) && pad.pad.status.running?.strokes == 1)
    }

    @Test(
        "whatever hosts of both roles call, the gateway changes and learns of no capture of an operator",
        arguments: Breadth.seeds(8, long: 40))
    func rules(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var pad = PadDriver()
        var roles: [CallID: HostRole] = [:]
        var hasOperated = false
        for _ in 0..<400 {
            let role: HostRole = Bool.random(using: &random) ? .operator : .gateway
            let status = pad.pad.status
            let id = [nil, status.running?.id].randomElement(using: &random)!
            let stored = pad.stored.count
            var asked: PadCall?
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<3: roles[capture(&pad, by: role, waits: Bool.random(using: &random))] = role
            case 3: asked = .cancel(id)
            case 4: asked = .clear(id)
            case 5: asked = .accept(id)
            case 6: asked = .status
            case 7: asked = .watch
            case 8: if let id = pad.runningID { pad.handle(.stored(.committed(id))) }
            case 9:
                pad.now += .seconds(70)
                pad.handle(.time)
            default: pad.sign()
            }
            guard let asked else { continue }
            let call = pad.call(asked, Self.reach(role))
            roles[call] = role
            guard role == .gateway, status.running?.askedBy == .operator else { continue }
            switch asked {
            case .cancel, .clear, .accept:
                hasOperated = true
                #expect(pad.replies[call] == [.failed(.notRunning)] && pad.stored.count == stored, "seed \(seed)")
            default: break
            }
        }
        #expect(hasOperated, "seed \(seed)")
        var askers: [CaptureID: HostRole] = [:]
        for (call, replies) in pad.replies {
            for case .capture(let reply) in replies { askers[reply.id] = roles[call] }
        }
        for (call, replies) in pad.replies where roles[call] == .gateway {
            for id in replies.compactMap(Self.named) { #expect(askers[id] == .gateway, "seed \(seed), \(id)") }
        }
        #expect(pad.staleStatusCount == 0, "seed \(seed)")
    }

    /// The capture that a reply names.
    private static func named(_ reply: PadReply) -> CaptureID? {
        switch reply {
        case .capture(let capture): capture.id
        case .status(let status), .changed(let status): status.running?.id
        case .failed(.busy(let id)): id
        case .mirrored(let change): change.capture?.id
        case .done, .failed, .health, .reloaded, .abilities, .events, .screenshot, .backdrop, .paired: nil
        }
    }
}
