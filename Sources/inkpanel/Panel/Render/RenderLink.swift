// SPDX-License-Identifier: Apache-2.0
import Linux
import Screen
import Synchronization
import Text

/// What the main and the render thread share, and how they wake each other. Each lock is held for a swap only, never
/// while anything is drawn or any device is asked.
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
    }

    /// What waits for the main thread, besides frames.
    private struct Outbox: Sendable {
        var layouts: [LayoutAnswer] = []
        var failure: TextError?
    }

    /// The frames, and what they show.
    private struct Books: Sendable {
        var swapchain: Swapchain
        /// When the reports came into being that are in frames which the display has not been handed.
        var reports: [Int64] = []
    }

    private let inbox = Mutex(Inbox())
    private let outbox = Mutex(Outbox())
    private let books: Mutex<Books>
    private let vblank: Mutex<VblankClock>
    private let toRender: EventSignal
    private let toMain: EventSignal

    /// - Parameter refreshIntervalNanoseconds: the display's.
    init(swapchain: Swapchain, refreshIntervalNanoseconds: Int64?) throws(Errno) {
        books = Mutex(Books(swapchain: swapchain))
        vblank = Mutex(VblankClock(intervalNanoseconds: refreshIntervalNanoseconds))
        toRender = try EventSignal(blocking: true)
        toMain = try EventSignal(blocking: false)
    }

    // MARK: main thread

    /// Readable when a frame is ready or a page is laid out; for the main thread's epoll set.
    var frameReadyDescriptor: CInt { toMain.number }

    /// Hands steps over. Nothing is ever dropped: what the render thread has not taken yet waits.
    func send(_ steps: [RenderStep]) {
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
    var isDrained: Bool { inbox.withLock { $0.phase == .ended } && books.withLock { $0.swapchain.isSettled } }

    func acknowledgeFrameReady() { toMain.wait() }

    /// The queued frame was seen for the first time at `nanoseconds`; nil when that is not known.
    func flipCompleted(at nanoseconds: Int64?) {
        if let nanoseconds { vblank.withLock { $0.noteFlip(at: nanoseconds) } }
        updateSwapchain { $0.flipCompleted() }
    }

    /// Changes the books of the buffers on the main thread; wakes the render thread, which may have waited for one.
    func updateSwapchain<Result: Sendable>(_ body: (inout Swapchain) -> Result) -> Result {
        defer { toRender.signal() }
        return withSwapchain(body)
    }

    /// Looks at the books of the buffers or changes them in a way that frees nothing the render thread could wait for.
    func withSwapchain<Result: Sendable>(_ body: (inout Swapchain) -> Result) -> Result {
        books.withLock { body(&$0.swapchain) }
    }

    /// The finished frame, if there is one and no flip is outstanding; it counts as queued from here on.
    func takeReady() -> ReadyFrame? {
        books.withLock { books in
            guard let frame = books.swapchain.takeReady() else { return nil }
            defer { books.reports = [] }
            return ReadyFrame(frame: frame, reports: books.reports)
        }
    }

    /// The display would not take the frame now.
    func refused(_ ready: ReadyFrame) {
        books.withLock { books in
            books.swapchain.refused(ready.frame)
            books.reports = ready.reports + books.reports
        }
        toRender.signal()
    }

    /// Pages laid out since the last call.
    /// - Throws: why the render thread cannot write anything.
    func takeLayouts() throws(TextError) -> [LayoutAnswer] {
        let taken = outbox.withLock { outbox in
            defer { outbox.layouts = [] }
            return outbox
        }
        if let failure = taken.failure { throw failure }
        return taken.layouts
    }

    // MARK: render thread

    /// Blocks until something may have changed, then takes all that waits.
    /// - Parameters:
    ///   - steps: receives them; its memory goes to the inbox for the next ones.
    ///   - deadline: when to come back anyway, in microseconds of ``MonotonicClock``; nil is never, so that an idle
    ///     panel sleeps.
    func waitForWork(_ steps: inout [RenderStep], until deadline: Int64?) -> Phase {
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

    /// A frame is finished.
    /// - Parameter reports: when those came into being that it is the first to show.
    func submit(_ index: Int, showing reports: [Int64]) {
        books.withLock { books in
            books.swapchain.submit(index)
            books.reports += reports
        }
        toMain.signal()
    }

    func deliver(_ layout: LayoutAnswer) {
        outbox.withLock { $0.layouts.append(layout) }
        toMain.signal()
    }

    func fail(_ error: TextError) {
        outbox.withLock { $0.failure = error }
        toMain.signal()
    }

    /// The render thread's last word.
    func signalEnd() {
        inbox.withLock { $0.phase = .ended }
        toMain.signal()
    }
}
