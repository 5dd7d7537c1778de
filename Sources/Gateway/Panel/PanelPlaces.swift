// SPDX-License-Identifier: Apache-2.0
import HTTP
import HostAPI
import Synchronization

/// The order of calls to the panel that have one answer. The panel gives the gateway 16 connections: eight are for
/// captures, three for the mirror's levels and one for pairing. So one call that reads or changes a state runs at a
/// time, one that reads records, and two that make files, of which one token has one. Tokens take turns: many calls
/// of one wait for each other, and not others for them. No call waits for the clients of others: what a client takes at
/// its own pace is a file, and a long one gives its place up when others have waited for it (``LongReply``).
actor PanelPlaces {
    /// Calls of a token that wait in a line, beyond which it gets an error.
    private static let waitingLimit = 64

    enum Line: Hashable {
        case states, records, files, pairings

        init(of call: GetCall) {
            switch ExportFormat(rawValue: call.format) {
            // Metadata.
            case nil, .seal, .sealSignature: self = .records
            default: self = .files
            }
        }

        fileprivate var limit: Int { self == .files ? 2 : 1 }
    }

    /// Free again when nothing refers to it any more, or when it is given up.
    final class Place: Sendable {
        private let places: PanelPlaces
        private let line: Line
        private let caller: String
        private let isFree = Mutex(false)

        fileprivate init(in places: PanelPlaces, _ line: Line, _ caller: String) {
            (self.places, self.line, self.caller) = (places, line, caller)
        }

        deinit { giveUp() }

        func giveUp() {
            let wasFree = isFree.withLock { isFree in
                defer { isFree = true }
                return isFree
            }
            if !wasFree { Task { [places, line, caller] in await places.leave(line, caller) } }
        }

        /// Whether a call of another token waits, and could have it.
        var isWanted: Bool {
            get async { await places.isAwaited(line, from: caller) }
        }
    }

    private struct Waiting {
        let number: Int
        let caller: String
        let turn: CheckedContinuation<Bool, Never>
    }

    /// The numbers of places that callers have.
    private var taken: [Line: [String: Int]] = [:]
    private var waiting: [Line: [Waiting]] = [:]
    /// Whose turn was when.
    private var turns: [String: Int] = [:]
    private var nextNumber = 0

    /// Waits for a place for a call.
    /// - Throws: ``Problem`` with status 429, or `CancellationError`.
    func take(for line: Line) async throws -> Place {
        let caller = Router.caller
        // A waiting call goes first, unless it waits for a place of its own caller.
        if !isFree(line, for: caller) {
            try await wait(line, caller)
        } else {
            taken[line, default: [:]][caller, default: 0] += 1
        }
        return Place(in: self, line, caller)
    }

    private func isFree(_ line: Line, for caller: String) -> Bool {
        let all = taken[line, default: [:]].values.reduce(0, +)
        return Share.isFree(taken[line]?[caller] ?? 0, of: all, line.limit)
    }

    private func isAwaited(_ line: Line, from holder: String) -> Bool {
        let others = taken[line, default: [:]].values.reduce(0, +) - 1
        return waiting[line, default: []].contains { call in
            call.caller != holder && Share.isFree(taken[line]?[call.caller] ?? 0, of: others, line.limit)
        }
    }

    /// The number of calls that wait in a line.
    func waitingCount(_ line: Line) -> Int { waiting[line, default: []].count }

    private func wait(_ line: Line, _ caller: String) async throws {
        guard waiting[line, default: []].count(where: { $0.caller == caller }) < Self.waitingLimit else {
            throw Problem(
                name: .tooManyCalls, status: 429,
                detail:
                    "\(Self.waitingLimit) requests of this token wait already; end some, or wait for their answers.",
                headers: ["Retry-After": "2"])
        }
        let number = nextNumber
        nextNumber += 1
        let hasPlace = await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                if Task.isCancelled { return turn.resume(returning: false) }
                waiting[line, default: []].append(Waiting(number: number, caller: caller, turn: turn))
            }
        } onCancel: {
            Task { await self.cancel(number, line) }
        }
        if !hasPlace { throw CancellationError() }
    }

    private func cancel(_ number: Int, _ line: Line) {
        guard let index = waiting[line]?.firstIndex(where: { $0.number == number }) else { return }
        waiting[line]?.remove(at: index).turn.resume(returning: false)
    }

    private func leave(_ line: Line, _ caller: String) {
        let own = taken[line]?[caller] ?? 0
        taken[line, default: [:]][caller] = own > 1 ? own - 1 : nil
        while let next = next(line), let called = waiting[line]?.remove(at: next) {
            taken[line, default: [:]][called.caller, default: 0] += 1
            nextNumber += 1
            if turns.count > 1000 { turns = [:] }
            turns[called.caller] = nextNumber
            called.turn.resume(returning: true)
        }
    }

    /// The first call of the caller whose last turn is longest ago, of the callers that may have a place.
    private func next(_ line: Line) -> Int? {
        let calls = waiting[line] ?? []
        return calls.indices.filter { isFree(line, for: calls[$0].caller) }.min { a, b in
            (turns[calls[a].caller] ?? 0, calls[a].number) < (turns[calls[b].caller] ?? 0, calls[b].number)
        }
    }
}
