// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import Screen

/// The virtual terminal behind the picture while a panel runs, and the policy for switching to another one. For the
/// main thread.
package final class PanelConsole {
    package enum Switching: Equatable, Sendable {
        /// The panel releases the screen, and acquires it again when its terminal is shown.
        case allowed
        case refused
    }

    /// Signals of the kernel: another terminal is requested, or ours is shown again. Blocked since the program's start.
    static let releaseSignal = SIGUSR1
    static let acquireSignal = SIGUSR2
    package static let signals = [releaseSignal, acquireSignal]

    private let console = Console()
    /// Whether the kernel reports switches.
    private var isWatched = false
    let switching: Switching
    private let log: Log

    /// Takes the terminal over if there is one.
    init(switching: Switching, log: Log) {
        self.switching = switching
        self.log = log
        switch console.outcome {
        case .refused: log.warning("\(console.outcome)")
        case .absent: break
        case .taken(let name):
            do throws(Errno) {
                try console.watchSwitching(release: Self.releaseSignal, acquire: Self.acquireSignal)
                isWatched = true
            } catch {
                log.warning("\(name): switching to another terminal cannot be detected: \(error)")
            }
        }
    }

    /// Whether keys reach only the panel, and the kernel reports a switch to another terminal.
    var ownsKeyboard: Bool { if case .taken = console.outcome { isWatched } else { false } }

    /// Requests to show our terminal if another one is shown.
    /// - Returns: whether the screen is ours now; otherwise ``acquireSignal`` follows.
    func show() -> Bool {
        // Without signals we would wait forever.
        guard isWatched, !console.isShown else { return true }
        do throws(Errno) {
            try console.show()
        } catch {
            log.warning("the panel's terminal cannot be shown: \(error)")
        }
        return false
    }

    /// Lets the switch happen. The panel must have closed its display.
    func release() { answer { console throws(Errno) in try console.release() } }
    /// Prevents the switch.
    func refuse() { answer { console throws(Errno) in try console.refuse() } }
    /// Acknowledges that our terminal is shown again.
    func acquired() { answer { console throws(Errno) in try console.acquired() } }

    /// Leaves the terminal as it was found.
    func restore() { console.restore() }

    private func answer(_ call: (Console) throws(Errno) -> Void) {
        do throws(Errno) {
            try call(console)
        } catch {
            // These errors mean that no switch is pending: it was cancelled, or another process sent the signal.
            if error != .invalidArgument && error != .notATerminal {
                log.warning("cannot answer the kernel about switching terminals: \(error)")
            }
        }
    }
}
