// SPDX-License-Identifier: Apache-2.0
import Canvas
import Linux
import Screen
import Synchronization

/// What the main and the render thread share, and how they wake each other. Each lock is held for a swap only, never
/// while anything is drawn or any device is asked.
final class RenderLink: Sendable {
    /// An event on its way to the paper.
    struct Step: Sendable {
        var event: StrokeEvent
        /// When the report came into being: the kernel's time of it. What latency is counted from.
        var reportedMicroseconds: Int64
    }

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
        var steps: [Step] = []
        var phase = Phase.working
    }

    private let inbox = Mutex(Inbox())
    private let swapchain: Mutex<Swapchain>
    private let vblank: Mutex<VblankClock>
    private let toRender: EventSignal
    private let toMain: EventSignal

    /// - Parameter refreshIntervalNanoseconds: the display's.
    init(swapchain: Swapchain, refreshIntervalNanoseconds: Int64?) throws(Errno) {
        self.swapchain = Mutex(swapchain)
        vblank = Mutex(VblankClock(intervalNanoseconds: refreshIntervalNanoseconds))
        toRender = try EventSignal(blocking: true)
        toMain = try EventSignal(blocking: false)
    }

    // MARK: main thread

    /// Readable when a frame is ready; for the main thread's epoll set.
    var frameReadyDescriptor: CInt { toMain.number }

    /// Hands steps over. Nothing is ever dropped: what the render thread has not taken yet waits.
    func send(_ steps: [Step]) {
        if steps.isEmpty { return }
        inbox.withLock { $0.steps += steps }
        toRender.signal()
    }

    /// The render thread shall end after drawing what it has, for which it may need buffers that are still on screen.
    func finish() { enter(.finishing) }

    /// The render thread shall end without drawing what is left.
    func abandon() { enter(.abandoned) }

    private func enter(_ phase: Phase) {
        inbox.withLock { if $0.phase != .ended { $0.phase = phase } }
        toRender.signal()
    }

    /// Whether the render thread has ended and its last frame is on screen.
    var isDrained: Bool { inbox.withLock { $0.phase == .ended } && swapchain.withLock { $0.isSettled } }

    func acknowledgeFrameReady() { toMain.wait() }

    /// The queued frame was seen for the first time at `nanoseconds`; nil when that is not known.
    func flipCompleted(at nanoseconds: Int64?) {
        if let nanoseconds { vblank.withLock { $0.noteFlip(at: nanoseconds) } }
        updateSwapchain { $0.flipCompleted() }
    }

    /// Changes the books of the buffers on the main thread; wakes the render thread, which may have waited for one.
    func updateSwapchain<Result: Sendable>(_ body: (inout Swapchain) -> Result) -> Result {
        defer { toRender.signal() }
        return swapchain.withLock { body(&$0) }
    }

    /// Looks at the books or takes a frame from them, which frees nothing the render thread could wait for.
    func withSwapchain<Result: Sendable>(_ body: (inout Swapchain) -> Result) -> Result {
        swapchain.withLock { body(&$0) }
    }

    // MARK: render thread

    /// Blocks until something may have changed, then takes all that waits.
    /// - Parameters:
    ///   - steps: receives them; its memory goes to the inbox for the next ones.
    ///   - deadline: when to come back anyway, in microseconds of ``MonotonicClock``; nil is never, so that an idle
    ///     panel sleeps.
    func waitForWork(_ steps: inout [Step], until deadline: Int64?) -> Phase {
        steps.removeAll(keepingCapacity: true)
        if let deadline { toRender.wait(until: Self.nanoseconds(deadline)) } else { toRender.wait() }
        return inbox.withLock { inbox in
            swap(&inbox.steps, &steps)
            return inbox.phase
        }
    }

    /// Stamps that no clock has given stay within what it can be compared with.
    private static func nanoseconds(_ microseconds: Int64) -> Int64 {
        min(max(microseconds, 0), Int64.max / 1000) * 1000
    }

    /// When a frame that is begun now will be seen, in microseconds of ``MonotonicClock``; nil when nobody can say.
    func timeOfNextFrame() -> Int64? {
        let isOutstanding = withSwapchain { $0.flipIsOutstanding }
        let now = MonotonicClock.nanoseconds
        return vblank.withLock { $0.timeOfFrame(begunAt: now, flipIsOutstanding: isOutstanding) }.map { $0 / 1000 }
    }

    /// Whether to leave everything as it is and end.
    var isAbandoned: Bool { inbox.withLock { $0.phase == .abandoned } }

    func signalFrameReady() { toMain.signal() }

    /// The render thread's last word.
    func signalEnd() {
        inbox.withLock { $0.phase = .ended }
        toMain.signal()
    }
}
