// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// Tells a request, and what it streams, when its bearer's right ends: the token was removed or changed, or has
/// expired. ``Bearers`` ends it.
package final class BearerEnd: Sendable {
    package let bearer: Token
    private let bearers: Bearers
    // FlyingSocks has a type of this name, too.
    private let state = Synchronization.Mutex(State())

    private struct State {
        var hasEnded = false
        var actions: [Int: @Sendable () -> Void] = [:]
        var nextAction = 0
    }

    package init(of bearer: Token, in bearers: Bearers) {
        self.bearer = bearer
        self.bearers = bearers
    }

    package var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Looks at the tokens before something is sent, so that nothing is sent after a token was removed.
    package var hasCome: Bool {
        get async {
            if !hasEnded { await bearers.look(at: self) }
            return hasEnded
        }
    }

    /// Does something when the right ends, or at once if it has ended.
    /// - Returns: for ``forget(_:)``.
    @discardableResult
    package func then(_ action: @escaping @Sendable () -> Void) -> Int {
        let (number, isLate) = state.withLock { state in
            if !state.hasEnded { state.actions[state.nextAction] = action }
            state.nextAction += 1
            return (state.nextAction - 1, state.hasEnded)
        }
        if isLate { action() }
        return number
    }

    /// Frees what an action refers to.
    func forget(_ action: Int) { state.withLock { $0.actions[action] = nil } }

    package func end() {
        let actions = state.withLock { state in
            defer { (state.hasEnded, state.actions) = (true, [:]) }
            return state.actions.values
        }
        for action in actions { action() }
    }
}

extension HTTPResponse {
    /// Cuts a long body of a known length off when its bearer's right ends: slow clients take minutes for one. Event
    /// streams, WebSockets and ``CutFile`` end by themselves.
    mutating func cut(by end: BearerEnd) {
        guard case .httpBody(let body) = payload, let count = body.count, count > Self.shortBody else { return }
        payload = .httpBody(HTTPBodySequence(from: CutBody(body: body, end: end), count: count))
    }

    /// Bytes that the kernel takes at once, so that nothing is left to cut.
    private static let shortBody = 64 << 10
}

private struct CutBody: AsyncBufferedSequence {
    typealias Element = UInt8

    let body: HTTPBodySequence
    let end: BearerEnd

    func makeAsyncIterator() -> Iterator { Iterator(parts: body.makeAsyncIterator(), end: end) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        var parts: HTTPBodySequence.Iterator
        let end: BearerEnd

        mutating func nextBuffer(suggested count: Int) async throws -> Data? {
            // The connection ends early, so nobody takes the part for the whole.
            if await end.hasCome { throw CancellationError() }
            return try await parts.next()
        }

        mutating func next() async throws -> UInt8? {
            preconditionFailure("the server reads bodies by buffers")
        }
    }
}
