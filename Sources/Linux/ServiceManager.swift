// SPDX-License-Identifier: Apache-2.0
import CLibsystemd
import Glibc

/// Messages to the service manager that started this program (sd_notify(3)). Without one, when NOTIFY_SOCKET is not
/// set, they do nothing. Any thread; each call sends one datagram and does not wait for an effect.
public struct ServiceManager: Sendable {
    /// The time without ``pingWatchdog()`` after which the manager kills and restarts the program, or nil. Ping in
    /// half that time, to leave room for a busy machine.
    public let watchdogInterval: Duration?
    private let log: Log

    /// Reads the environment. Call it before any thread that changes the environment.
    public init(log: Log) {
        self.log = log
        var microseconds: UInt64 = 0
        // 0 keeps the variables, which sd_notify needs.
        let result = sd_watchdog_enabled(0, &microseconds)
        if result < 0 {
            log.warning("WATCHDOG_USEC or WATCHDOG_PID is not valid: no watchdog messages are sent")
        }
        // An interval beyond the clock's range never ends.
        watchdogInterval = result > 0 && microseconds <= Int64.max ? .microseconds(microseconds) : nil
    }

    /// The service has started: units ordered after it may start. Later calls change nothing.
    public func ready() { send("READY=1") }

    /// Sets the status line of `systemctl status`, e.g. "waiting for a display".
    public func status(_ text: String) {
        // Text after a line break would count as another message.
        send("STATUS=" + Log.singleLine(text))
    }

    /// The service is about to end.
    public func stopping() { send("STOPPING=1") }

    /// Restarts the watchdog's interval. Only after real progress: otherwise a hanging panel is never restarted.
    public func pingWatchdog() { send("WATCHDOG=1") }

    private func send(_ message: String) {
        let result = sd_notify(0, message)
        if result < 0 { log.warning("cannot send \(message) to the service manager: \(Errno(code: -result))") }
    }
}
