// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Linux
import Pad
import Pages
import Record
import Screen
import Synchronization

/// A unit of work for the render thread.
enum RenderStep: Equatable, Sendable {
    case pad(RenderAction)
    /// Draws on this display from now on. If its picture differs in size from the last one, the ink is lost and a page
    /// must be shown.
    case attach(RenderTarget)
    /// The display is lost; its memory must not be written to any more. Answered with ``RenderReport/detached``.
    case detach
    /// Shows black frames instead of the picture.
    case blank(Bool)
    /// Compares the picture with the memory that the screen shows. Answered with ``RenderReport/inspected(fits:)``.
    case inspect
    /// Copies the page for the record of a capture. Answered with ``RenderReport/image(_:of:)``.
    case image(CaptureID)

    var isInk: Bool { if case .pad(.ink) = self { true } else { false } }
}

/// A message from the render thread. Frames are exchanged in the ``RenderTarget``.
enum RenderReport: Sendable {
    case pad(PadEvent)
    case image(PageImage, of: CaptureID)
    /// - Parameter fits: nil while there is nothing to compare.
    case inspected(fits: Bool?)
    /// The target's memory is no longer used.
    case detached
    /// The thread cannot draw text.
    case failed(TextError)
}

/// The mailboxes between the main and the render thread, and the progress of the render thread.
final class RenderLink: Sendable {
    private struct Progress: Sendable {
        /// Whether the thread is to end without drawing the remaining steps.
        var isAbandoned = false
        /// Whether the thread has waited for work. Opening fonts, before that, may take long on a slow medium.
        var hasStarted = false
        /// When the thread received work or last made progress on it, on ``MonotonicClock``; nil
        /// without work.
        var lastSign: Timestamp?
    }

    private let progress = Mutex(Progress())
    private let steps: Mailbox<RenderStep>
    private let reports: Mailbox<RenderReport>

    init() throws(Errno) {
        steps = try Mailbox(blocking: true)
        reports = try Mailbox(blocking: false)
    }

    // MARK: main thread

    /// Readable when a frame is ready or a report waits; for the main thread's epoll set.
    var descriptor: CInt { reports.descriptor }

    /// Queues steps. The queue is unbounded, so steps are never dropped.
    func send(_ more: [RenderStep]) {
        if more.isEmpty { return }
        progress.withLock { progress in
            if progress.hasStarted, progress.lastSign == nil { progress.lastSign = MonotonicClock.now }
        }
        steps.put(contentsOf: more, canWait: more.allSatisfy(\.isInk))
    }

    /// Wakes the render thread, because a buffer may be free.
    func wake() { steps.wake() }

    /// Ends the render thread after it has drawn its steps, for which it may need buffers that are still on screen.
    func finish() { steps.close() }

    /// Ends the render thread without drawing the remaining steps.
    func abandon() {
        progress.withLock { $0.isAbandoned = true }
        steps.close()
    }

    var hasEnded: Bool { reports.isClosed }

    /// The time since the render thread last made progress on waiting work; 0 without work.
    func silence(at time: Timestamp) -> Duration {
        guard let last = progress.withLock({ $0.lastSign }) else { return .zero }
        return max(time - last, .zero)
    }

    /// The reports since the last call, the oldest first.
    func receive() -> [RenderReport] { reports.take().items }

    // MARK: render thread

    /// Blocks until woken or until the deadline, then takes all waiting steps.
    /// - Parameters:
    ///   - steps: receives the steps.
    ///   - deadline: when to return anyway, on ``MonotonicClock``; nil for never, so that an idle panel
    ///     sleeps.
    ///   - isPatient: whether ink can wait until the deadline or another signal.
    /// - Returns: whether the thread is to end when these steps are drawn and passed to the display.
    func waitForWork(_ steps: inout [RenderStep], until deadline: Timestamp?, isPatient: Bool) -> Bool {
        progress.withLock { progress in
            progress.hasStarted = true
            progress.lastSign = nil
        }
        // Clamped: the time may come from a recording.
        let isFinishing = self.steps.take(into: &steps, until: deadline, isPatient: isPatient)
        noteProgress()
        return isFinishing
    }

    /// Notes that a step is done.
    func noteProgress() { progress.withLock { $0.lastSign = MonotonicClock.now } }

    /// Whether to end without further work.
    var isAbandoned: Bool { progress.withLock { $0.isAbandoned } }

    /// Notifies the main thread of a finished frame.
    func noteFrame() { reports.wake() }

    func report(_ report: RenderReport) { reports.put(report) }

    /// Reports the end of the render thread. Its last call.
    func signalEnd() {
        progress.withLock { progress in
            progress.hasStarted = false
            progress.lastSign = nil
        }
        reports.close()
    }
}
