// SPDX-License-Identifier: Apache-2.0
import Canvas
import Linux
import Screen
import Synchronization

/// What the main and the render thread share, and how they wake each other. Both locks are held for a swap only, never
/// while anything is drawn or any device is asked.
final class RenderLink: Sendable {
    /// An event on its way to the paper.
    struct Step: Sendable {
        var event: StrokeEvent
        /// When the report came into being: the kernel's time of it. What latency is counted from.
        var reportedMicroseconds: Int64
    }

    /// What waits for the render thread.
    private struct Inbox: Sendable {
        var steps: [Step] = []
        var isStopping = false
    }

    private let inbox = Mutex(Inbox())
    private let swapchain: Mutex<Swapchain>
    private let toRender: EventSignal
    private let toMain: EventSignal

    init(swapchain: Swapchain) throws(Errno) {
        self.swapchain = Mutex(swapchain)
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

    /// The render thread ends after drawing what it has.
    func stop() {
        inbox.withLock { $0.isStopping = true }
        toRender.signal()
    }

    func acknowledgeFrameReady() { toMain.wait() }

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
    /// - Parameter steps: receives them; its memory goes to the inbox for the next ones.
    /// - Returns: whether the thread shall end after this.
    func waitForWork(_ steps: inout [Step]) -> Bool {
        steps.removeAll(keepingCapacity: true)
        toRender.wait()
        return inbox.withLock { inbox in
            swap(&inbox.steps, &steps)
            return inbox.isStopping
        }
    }

    func signalFrameReady() { toMain.signal() }
}
