// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import Screen

/// The virtual terminal behind the picture for as long as a panel runs, and what becomes of wishes to switch to
/// another one. For the main thread.
final class PanelConsole {
    enum Switching: Equatable, Sendable {
        /// The panel lets go of the screen and takes it again when its terminal is back.
        case allowed
        case refused
    }

    /// What the kernel says the wish and the way back with; blocked since the program began.
    static let releaseSignal = SIGUSR1
    static let acquireSignal = SIGUSR2
    static let signals = [releaseSignal, acquireSignal]

    private var console: Console
    /// Whether the kernel tells of switches.
    private var isWatched = false
    let switching: Switching
    private let log: Log

    /// Takes the terminal over, where there is one.
    init(switching: Switching, log: Log) {
        self.switching = switching
        self.log = log
        console = Console()
        switch console.outcome {
        case .refused: log.warning("\(console.outcome)")
        case .absent: break
        case .taken(let name):
            do throws(Errno) {
                try console.watchSwitching(release: Self.releaseSignal, acquire: Self.acquireSignal)
                isWatched = true
            } catch {
                log.warning("\(name): nobody says when it is switched away: \(error)")
            }
        }
    }

    /// Asks for our terminal to be shown, where it is not: a panel that starts is what people are to see.
    /// - Returns: whether the screen is ours now; otherwise ``acquireSignal`` says when.
    func show() -> Bool {
        // Nobody would say when it is back.
        guard isWatched, !console.isShown else { return true }
        do throws(Errno) {
            try console.show()
        } catch {
            log.warning("the panel's terminal cannot be shown: \(error)")
        }
        return false
    }

    /// Nothing of ours touches the screen any more: the switch may happen.
    func release() { answer { console throws(Errno) in try console.release() } }
    /// The switch may not happen.
    func refuse() { answer { console throws(Errno) in try console.refuse() } }
    /// Takes note that our terminal is shown again.
    func acquired() { answer { console throws(Errno) in try console.acquired() } }

    /// Leaves the terminal as it was found.
    func restore() { console.restore() }

    private func answer(_ call: (borrowing Console) throws(Errno) -> Void) {
        do throws(Errno) {
            try call(console)
        } catch {
            // Nobody waits for the answer: the wish was taken back, or somebody else sent the signal.
            if error != .invalidArgument && error != .notATerminal {
                log.warning("the terminal cannot be told whether to switch: \(error)")
            }
        }
    }
}
