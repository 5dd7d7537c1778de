// SPDX-License-Identifier: Apache-2.0
import Linux
import Pad
import Screen
import Synchronization
import Pages

/// A unit of work for the render thread.
enum RenderStep: Equatable, Sendable {
    case pad(RenderAction)
    /// Draws on this display from now on. If its picture differs in size from the last one, the ink is lost and a page
    /// must be shown.
    case attach(RenderTarget)
    /// The display is lost; its memory must not be written to any more. Answered with ``RenderLink/noteDetached()``.
    case detach
    /// Shows black frames instead of the picture.
    case blank(Bool)
}

/// The mailboxes between the main and the render thread. Locks are held only to swap contents, never while drawing or
/// during device calls. Frames are exchanged in the ``RenderTarget``.
final class RenderLink: Sendable {
    /// The phase of the render thread's life.
    enum Phase: Sendable {
        case working
        /// The thread ends when all waiting work is drawn and passed to the display.
        case finishing
        /// The thread ends at once.
        case abandoned
        case ended
    }

    /// Work that waits for the render thread.
    private struct Inbox: Sendable {
        var steps: [RenderStep] = []
        var phase = Phase.working
        /// When the thread last made progress or received new work, in microseconds of ``MonotonicClock``. nil before
        /// it first waits, because opening fonts may take long on a slow medium.
        var lastSign: Int64?
        var isWorking = false
    }

    /// Results that wait for the main thread, besides frames.
    private struct Outbox: Sendable {
        var events: [PadEvent] = []
        var isDetached = false
        var failure: TextError?
    }

    private let inbox = Mutex(Inbox())
    private let outbox = Mutex(Outbox())
    private let toRender: EventSignal
    private let toMain: EventSignal

    init() throws(Errno) {
        toRender = try EventSignal(blocking: true)
        toMain = try EventSignal(blocking: false)
    }

    // MARK: main thread

    /// Readable when a frame is ready, a page is laid out or a target is released; for the main thread's epoll set.
    var descriptor: CInt { toMain.number }

    /// Queues steps. The queue is unbounded, so steps are never dropped.
    func send(_ steps: [RenderStep]) {
        if steps.isEmpty { return }
        inbox.withLock { inbox in
            if inbox.steps.isEmpty, !inbox.isWorking, inbox.lastSign != nil {
                inbox.lastSign = MonotonicClock.microseconds
            }
            inbox.steps += steps
        }
        toRender.signal()
    }

    /// Wakes the render thread, because a buffer may be free.
    func wake() { toRender.signal() }

    /// Ends the render thread after it has drawn its steps, for which it may need buffers that are still on screen.
    func finish() { enter(.finishing) }

    /// Ends the render thread without drawing the remaining steps.
    func abandon() { enter(.abandoned) }

    private func enter(_ phase: Phase) {
        inbox.withLock { if $0.phase != .ended { $0.phase = phase } }
        toRender.signal()
    }

    var hasEnded: Bool { inbox.withLock { $0.phase == .ended } }

    /// Microseconds since the render thread last made progress on waiting work; 0 without work.
    func silence(at microseconds: Int64) -> Int64 {
        inbox.withLock { inbox in
            guard inbox.isWorking || !inbox.steps.isEmpty, let last = inbox.lastSign else { return 0 }
            return max(microseconds - last, 0)
        }
    }

    func acknowledge() { toMain.wait() }

    /// Takes the events since the last call.
    /// - Throws: why the render thread cannot draw text.
    func takeEvents() throws(TextError) -> [PadEvent] {
        let taken = outbox.withLock { outbox in
            defer { outbox.events = [] }
            return outbox
        }
        if let failure = taken.failure { throw failure }
        return taken.events
    }

    /// Whether the render thread has released its target since the last call.
    func takeDetached() -> Bool {
        outbox.withLock { outbox in
            defer { outbox.isDetached = false }
            return outbox.isDetached
        }
    }

    // MARK: render thread

    /// Blocks until woken or until the deadline, then takes all waiting steps.
    /// - Parameters:
    ///   - steps: receives the steps. The inbox reuses its memory.
    ///   - deadline: when to return anyway, in microseconds of ``MonotonicClock``; nil for never, so that an idle panel
    ///     sleeps.
    func waitForWork(_ steps: inout [RenderStep], until deadline: Int64?) -> Phase {
        steps.removeAll(keepingCapacity: true)
        inbox.withLock { inbox in
            inbox.isWorking = false
            inbox.lastSign = MonotonicClock.microseconds
        }
        if let deadline { toRender.wait(until: Self.nanoseconds(deadline)) } else { toRender.wait() }
        return inbox.withLock { inbox in
            swap(&inbox.steps, &steps)
            inbox.isWorking = true
            inbox.lastSign = MonotonicClock.microseconds
            return inbox.phase
        }
    }

    /// Notes that a step is done.
    func noteProgress() { inbox.withLock { $0.lastSign = MonotonicClock.microseconds } }

    /// Clamps the time, which may come from a recording, so that the product cannot overflow.
    private static func nanoseconds(_ microseconds: Int64) -> Int64 {
        min(max(microseconds, 0), Int64.max / 1000) * 1000
    }

    /// Whether to end without further work.
    var isAbandoned: Bool { inbox.withLock { $0.phase == .abandoned } }

    /// Notifies the main thread of a finished frame.
    func noteFrame() { toMain.signal() }

    func deliver(_ event: PadEvent) {
        outbox.withLock { $0.events.append(event) }
        toMain.signal()
    }

    /// Notifies the main thread that the target's memory is no longer used.
    func noteDetached() {
        outbox.withLock { $0.isDetached = true }
        toMain.signal()
    }

    func fail(_ error: TextError) {
        outbox.withLock { $0.failure = error }
        toMain.signal()
    }

    /// Reports the end of the render thread. Its last call.
    func signalEnd() {
        inbox.withLock { inbox in
            inbox.phase = .ended
            inbox.lastSign = nil
        }
        toMain.signal()
    }
}
