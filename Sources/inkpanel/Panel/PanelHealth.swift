// SPDX-License-Identifier: Apache-2.0
import Linux

/// What the service manager is told of the panel: that it is ready, what it does, and, as long as it makes progress,
/// that it lives. Times are nanoseconds on ``MonotonicClock``. For the main thread.
final class PanelHealth {
    private let manager: ServiceManager
    private let log: Log
    private var isReady = false
    private var nextPing: Int64?
    private var isSilent = false

    init(_ manager: ServiceManager, log: Log) {
        self.manager = manager
        self.log = log
        if manager.watchdogIntervalNanoseconds != nil { nextPing = .min }
    }

    /// When to call ``pass(at:renderSilence:)``; nil where nobody watches, so that an idle panel sleeps.
    var deadline: Int64? { nextPing }

    /// The panel does what it can: shows a first frame, or waits for something to show it on.
    func ready(_ status: String) {
        manager.status(status)
        if !isReady { manager.ready() }
        isReady = true
    }

    func status(_ status: String) { manager.status(status) }

    func stopping() { manager.stopping() }

    /// Says that all is well, if it is time to and it is: the main loop is what calls this, flips that stop throw from
    /// it, and what the render thread was told it does.
    /// - Parameter renderSilence: how long it has done nothing of that.
    func pass(at now: Int64, renderSilence: Int64) {
        guard let interval = manager.watchdogIntervalNanoseconds, let due = nextPing, due <= now else { return }
        // At half of it, as sd_watchdog_enabled(3) recommends: a busy machine may be late.
        nextPing = now + max(interval / 2, 1)
        if renderSilence < interval {
            manager.pingWatchdog()
        } else if !isSilent {
            log.error("the render thread has done nothing for \(renderSilence / 1_000_000_000) s; to be started again")
        }
        isSilent = renderSilence >= interval
    }
}
