// SPDX-License-Identifier: Apache-2.0
import HostAPI
import Linux
import Synchronization

/// Ends the calls of ``DocumentHelper`` for a capture that has ended, so that a slow document does not delay the next
/// one. Closing the connection, or killing the sandbox, ends the process.
package final class HelperStop: Sendable {
    private struct State {
        /// The capture that calls are made for.
        var running: CaptureID?
        /// Captures that have ended, and that the document thread has not forgotten yet.
        var ended: Set<CaptureID> = []
    }

    private let state = Mutex(State())
    private let signal: EventSignal

    init() throws(Errno) { signal = try EventSignal(blocking: false) }

    /// Can be called on any thread.
    func set(for id: CaptureID) {
        state.withLock { _ = $0.ended.insert(id) }
        signal.signal()
    }

    // MARK: the document thread

    /// The next calls are for this capture.
    func begin(_ id: CaptureID) { state.withLock { $0.running = id } }

    func forget(_ id: CaptureID) { state.withLock { _ = $0.ended.remove(id) } }

    var exchangeStop: Exchange.Stop {
        Exchange.Stop(descriptor: signal.number) {
            // A signal for another capture must not wake this one again.
            self.signal.wait()
            return self.state.withLock { state in state.running.map { state.ended.contains($0) } ?? false }
        }
    }
}
