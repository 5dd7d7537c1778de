// SPDX-License-Identifier: Apache-2.0
import Linux
import Pad
import Screen
import Synchronization
import Pages

/// What the render thread must do, in this order.
enum RenderStep: Equatable, Sendable {
    case pad(RenderAction)
    /// Draws on this display from now on. If its picture has another size than the last one, its ink is gone and a page
    /// must be shown.
    case attach(RenderTarget)
    /// The display goes; its memory must no longer be written to. Answered with ``RenderLink/noteDetached()``.
    case detach
    /// Black frames instead of the picture.
    case blank(Bool)
}

/// What the main and the render thread tell each other, and how they wake each other. Each lock is held for a swap
/// only, never while anything is drawn or any device is asked. The frames are in the ``RenderTarget``.
final class RenderLink: Sendable {
    /// How far the render thread is with its life.
    enum Phase: Sendable {
        case working
        /// It ends when all that waits is in a buffer handed to the display.
        case finishing
        /// It ends at once.
        case abandoned
        case ended
    }

    /// What waits for the render thread.
    private struct Inbox: Sendable {
        var steps: [RenderStep] = []
        var phase = Phase.working
        /// When the thread last gave a sign of life or was given something to do, microseconds of ``MonotonicClock``;
        /// nil before it first waited: until then it opens fonts, for as long as the medium takes.
        var lastSign: Int64?
        var isWorking = false
    }

    /// What waits for the main thread, besides frames.
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

    /// Readable when a frame is ready, a page is laid out or a target let go; for the main thread's epoll set.
    var descriptor: CInt { toMain.number }

    /// Hands steps over. Nothing is ever dropped: what the render thread has not taken yet waits.
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

    /// A buffer may be free: the render thread may have waited for one.
    func wake() { toRender.signal() }

    /// The render thread shall end after drawing what it has, for which it may need buffers that are still on screen.
    func finish() { enter(.finishing) }

    /// The render thread shall end without drawing what is left.
    func abandon() { enter(.abandoned) }

    private func enter(_ phase: Phase) {
        inbox.withLock { if $0.phase != .ended { $0.phase = phase } }
        toRender.signal()
    }

    var hasEnded: Bool { inbox.withLock { $0.phase == .ended } }

    /// Microseconds in which the render thread has done nothing of what it was told; 0 while it works or waits.
    func silence(at microseconds: Int64) -> Int64 {
        inbox.withLock { inbox in
            guard inbox.isWorking || !inbox.steps.isEmpty, let last = inbox.lastSign else { return 0 }
            return max(microseconds - last, 0)
        }
    }

    func acknowledge() { toMain.wait() }

    /// Pages laid out since the last call.
    /// - Throws: why the render thread cannot draw text.
    func takeEvents() throws(TextError) -> [PadEvent] {
        let taken = outbox.withLock { outbox in
            defer { outbox.events = [] }
            return outbox
        }
        if let failure = taken.failure { throw failure }
        return taken.events
    }

    /// Whether the render thread has let go of its target since the last call.
    func takeDetached() -> Bool {
        outbox.withLock { outbox in
            defer { outbox.isDetached = false }
            return outbox.isDetached
        }
    }

    // MARK: render thread

    /// Blocks until something may have changed, then takes all that waits.
    /// - Parameters:
    ///   - steps: receives them; its memory goes to the inbox for the next ones.
    ///   - deadline: when to come back anyway, in microseconds of ``MonotonicClock``; nil is never, so that an idle
    ///     panel sleeps.
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

    /// A step is done: the thread is alive.
    func noteProgress() { inbox.withLock { $0.lastSign = MonotonicClock.microseconds } }

    /// Stamps that no clock has given stay within what it can be compared with.
    private static func nanoseconds(_ microseconds: Int64) -> Int64 {
        min(max(microseconds, 0), Int64.max / 1000) * 1000
    }

    /// Whether to leave everything as it is and end.
    var isAbandoned: Bool { inbox.withLock { $0.phase == .abandoned } }

    /// A frame is finished.
    func noteFrame() { toMain.signal() }

    func deliver(_ event: PadEvent) {
        outbox.withLock { $0.events.append(event) }
        toMain.signal()
    }

    /// The target's memory is not used any more.
    func noteDetached() {
        outbox.withLock { $0.isDetached = true }
        toMain.signal()
    }

    func fail(_ error: TextError) {
        outbox.withLock { $0.failure = error }
        toMain.signal()
    }

    /// The render thread's last word.
    func signalEnd() {
        inbox.withLock { inbox in
            inbox.phase = .ended
            inbox.lastSign = nil
        }
        toMain.signal()
    }
}
