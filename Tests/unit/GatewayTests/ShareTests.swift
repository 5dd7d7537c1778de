// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import HostAPI
import Linux
import Testing

@testable import Gateway
@testable import HTTP

@Suite("How tokens share places")
struct ShareTests {
    @Test(
        "each token gets half of what the others leave",
        arguments: [
            (8, [4, 2, 1, 1, 0]), (64, [32, 16, 8, 4, 2, 1, 1, 0]), (1, [1, 0]), (2, [1, 1, 0]), (3, [2, 1, 0]),
        ])
    func shares(_ limit: Int, _ expected: [Int]) {
        var taken = 0
        var shares: [Int] = []
        for _ in expected {
            var own = 0
            while Share.isFree(own, of: taken, limit) { (own, taken) = (own + 1, taken + 1) }
            shares.append(own)
        }
        #expect(shares == expected)
        #expect(taken == limit)
    }

    // MARK: calls to the panel

    private let places = PanelPlaces()

    private func place(_ line: PanelPlaces.Line, _ caller: String) async throws -> PanelPlaces.Place {
        try await Router.$caller.withValue(caller) { try await places.take(for: line) }
    }

    @Test("calls have the line of what they ask for")
    func lines() throws {
        let id = try #require(CaptureID("a-1"))
        for format in ExportFormat.allCases {
            let isShort = format == .seal || format == .sealSignature
            #expect(PanelPlaces.Line(of: GetCall(id, format)) == (isShort ? .records : .files))
        }
        #expect(PanelPlaces.Line(of: GetCall(id, nil)) == .records)
    }

    @Test("a token has one of the two places for files, and the lines do not wait for each other")
    func files() async throws {
        let first = try await place(.files, "a")
        let other = try await place(.files, "b")
        #expect(await !first.isWanted)
        let state = try await place(.states, "a")
        let second = Task { try await place(.files, "a") }
        let third = Task { try await place(.files, "c") }
        while await !other.isWanted { await Task.yield() }
        #expect(await first.isWanted, "of another token")
        other.giveUp()
        let given = try await third.value
        #expect(await !first.isWanted, "its own next call does not count")
        first.giveUp()
        _ = try await second.value
        withExtendedLifetime((given, state)) {}
    }

    @Test("tokens take turns")
    func turns() async throws {
        var held: PanelPlaces.Place? = try await place(.states, "a")
        let order = Order()
        var waiting: [Task<Void, any Error>] = []
        // Each call waits before the next one comes.
        for (number, caller) in ["a", "a", "a", "b"].enumerated() {
            waiting.append(
                Task {
                    let place = try await place(.states, caller)
                    await order.add("\(caller)\(number)")
                    place.giveUp()
                })
            while await places.waitingCount(.states) <= number { await Task.yield() }
        }
        held?.giveUp()
        held = nil
        for task in waiting { try await task.value }
        #expect(await order.callers == ["a0", "b3", "a1", "a2"])
    }

    @Test("a call that is cancelled while it waits takes no place")
    func cancellation() async throws {
        let held = try await place(.records, "a")
        let waiting = Task { try await place(.records, "b") }
        while await !held.isWanted { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        #expect(await !held.isWanted)
        held.giveUp()
        _ = try await place(.records, "c")
    }

    @Test("a token has at most 64 calls that wait")
    func waitingLimit() async throws {
        let held = try await place(.pairings, "a")
        let waiting = (0..<64).map { _ in Task { try await place(.pairings, "a").giveUp() } }
        while await places.waitingCount(.pairings) < 64 { await Task.yield() }
        do {
            _ = try await place(.pairings, "a")
            Issue.record("the 65th waits")
        } catch { #expect((error as? Problem)?.status == 429) }
        held.giveUp()
        for task in waiting { try await task.value }
    }

    private actor Order {
        private(set) var callers: [String] = []

        func add(_ caller: String) { callers.append(caller) }
    }
}
