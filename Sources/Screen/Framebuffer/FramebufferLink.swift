// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Synchronization

/// What the main thread and the one that writes frames share: an order, and what came of it.
final class FramebufferLink: Sendable {
    struct Order: Sendable {
        let index: Int
        let damage: Damage
    }

    private struct State {
        var order: Order?
        var answer: Result<Int64, ScreenError>?
        var isEnding = false
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let work: EventSignal
    private let done: EventSignal

    init() throws(Errno) {
        let work = try EventSignal(blocking: true)
        let done = try EventSignal(blocking: false)
        self.work = work
        self.done = done
    }

    // Main

    /// Readable when ``takeAnswer()`` has something.
    var descriptor: CInt { done.number }

    func send(_ order: Order) {
        state.withLock { $0.order = order }
        work.signal()
    }

    /// When the frame was on screen, on ``MonotonicClock``, or why it is not; nil while it is being written.
    func takeAnswer() -> Result<Int64, ScreenError>? {
        state.withLock { state in
            // Under the lock, as the signal is: one of an answer that has been taken would wake the panel for nothing.
            done.wait()
            defer { state.answer = nil }
            return state.answer
        }
    }

    /// As ``takeAnswer()``, but waits for it until `nanoseconds` on ``MonotonicClock``.
    func awaitAnswer(until nanoseconds: Int64) -> Result<Int64, ScreenError>? {
        repeat {
            if let answer = takeAnswer() { return answer }
            done.wait(until: nanoseconds)
        } while MonotonicClock.nanoseconds < nanoseconds
        return takeAnswer()
    }

    /// Tells the other thread to end after the frame that it writes, and waits for that until `nanoseconds`.
    /// - Returns: whether it has ended.
    func end(until nanoseconds: Int64) -> Bool {
        state.withLock { $0.isEnding = true }
        work.signal()
        while !state.withLock({ $0.hasEnded }), MonotonicClock.nanoseconds < nanoseconds {
            done.wait(until: nanoseconds)
        }
        return state.withLock { $0.hasEnded }
    }

    // The writing thread

    /// Waits for an order; nil is the end.
    func nextOrder() -> Order? {
        while true {
            let (order, isEnding) = state.withLock { state in
                defer { state.order = nil }
                return (state.order, state.isEnding)
            }
            if isEnding { return nil }
            if let order { return order }
            work.wait()
        }
    }

    func answer(_ answer: Result<Int64, ScreenError>) {
        state.withLock { state in
            state.answer = answer
            done.signal()
        }
    }

    func signalEnd() {
        state.withLock { $0.hasEnded = true }
        done.signal()
    }
}
