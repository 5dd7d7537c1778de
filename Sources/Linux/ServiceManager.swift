// SPDX-License-Identifier: Apache-2.0
import CLibsystemd
import Glibc

/// Word to the service manager that has started this program (sd_notify(3)); nothing where there is none, that is,
/// where NOTIFY_SOCKET is not set. What it is told it shows in `systemctl status`. Any thread; each call is one
/// datagram to the manager and does not wait for what comes of it.
public struct ServiceManager: Sendable {
    /// In nanoseconds: the manager ends the program when it has heard no ``pingWatchdog()`` for so long, and starts it
    /// again. Half of it leaves room for a machine that is busy. Nil when nobody watches.
    public let watchdogIntervalNanoseconds: Int64?
    private let log: Log

    /// Reads the environment: before any thread that changes it.
    public init(log: Log) {
        self.log = log
        var microseconds: UInt64 = 0
        // 0: the variables stay, as the manager's datagrams need theirs.
        let result = sd_watchdog_enabled(0, &microseconds)
        if result < 0 {
            log.warning("WATCHDOG_USEC or WATCHDOG_PID is none of a service manager's: the watchdog is not served")
        }
        let (nanoseconds, isTooLong) = Int64(clamping: microseconds).multipliedReportingOverflow(by: 1000)
        // A limit beyond the clock's range is none.
        watchdogIntervalNanoseconds = result > 0 && !isTooLong ? nanoseconds : nil
    }

    /// The service has started: units that are ordered after it may. Once; later calls change nothing.
    public func ready() { send("READY=1") }

    /// What it is doing, for people, e.g. "waiting for a display". One line; line breaks become spaces.
    public func status(_ text: String) {
        // What follows a line break would be taken for a message of its own.
        send("STATUS=" + Log.singleLine(text))
    }

    /// The service is about to end, by itself or because it was asked to.
    public func stopping() { send("STOPPING=1") }

    /// All is well: the watchdog's time begins anew. Only after real progress, or a panel that hangs is never started
    /// again.
    public func pingWatchdog() { send("WATCHDOG=1") }

    private func send(_ message: String) {
        let result = sd_notify(0, message)
        if result < 0 { log.warning("the service manager cannot be told \(message): \(Errno(code: -result))") }
    }
}
