// SPDX-License-Identifier: Apache-2.0
import FlyingSocks
import Glibc
import Synchronization

extension AsyncSocket {
    /// Reads, or writes, for a limited time.
    /// - Parameter end: what ends then, of the connection.
    /// - Throws: ``Problem/slowRequest`` afterwards.
    package func within<Value: Sendable>(
        _ time: Duration, ending end: Int = SHUT_RD, _ work: () async throws -> Value
    ) async throws -> Value {
        let deadline = Deadline(time, self, end)
        do {
            let value = try await work()
            if deadline.end() { throw Problem.slowRequest }
            return value
        } catch {
            throw deadline.end() ? Problem.slowRequest : error
        }
    }
}

/// Ends a connection, or its input, when the time is over: a task that waits for it finds its end.
private final class Deadline: Sendable {
    private enum State { case waiting, over, ended }

    // FlyingSocks has a type of this name, too.
    private let state = Synchronization.Mutex(State.waiting)
    private let task = Synchronization.Mutex<Task<Void, any Error>?>(nil)

    init(_ time: Duration, _ socket: AsyncSocket, _ end: Int) {
        let task = Task {
            try await Task.sleep(for: time)
            // After the end, the descriptor may be another connection's.
            state.withLock { state in
                guard state == .waiting else { return }
                state = .over
                _ = shutdown(socket.socket.file.rawValue, CInt(end))
            }
        }
        self.task.withLock { $0 = task }
    }

    /// - Returns: whether the time was over before.
    func end() -> Bool {
        task.withLock { $0?.cancel() }
        return state.withLock { state in
            if state == .waiting { state = .ended }
            return state == .over
        }
    }
}
