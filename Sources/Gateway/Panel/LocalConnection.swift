// SPDX-License-Identifier: Apache-2.0
import FlyingSocks
import Glibc
import Linux

extension AsyncSocket {
    /// Attempts to connect while the program at the other end has a full queue, and the time between two.
    private static let attempts = 20
    private static let pause = Duration.milliseconds(250)

    /// Connects to the Unix socket at `path`. The library's own function keeps the descriptor of a failed attempt open,
    /// and spins while the other end has a full queue.
    /// - Throws: `Errno`, or `CancellationError`.
    static func connected(toLocal path: String, pool: some AsyncSocketPool) async throws -> AsyncSocket {
        for _ in 1..<attempts {
            if let socket = try attempt(path, pool) { return socket }
            try await Task.sleep(for: pause)
        }
        throw Errno.wouldBlock
    }

    /// - Returns: nil if the queue is full.
    private static func attempt(_ path: String, _ pool: some AsyncSocketPool) throws -> AsyncSocket? {
        do throws(Errno) {
            let descriptor = try LocalSocket.connect(to: path, blocking: false)
            let number = fcntl(descriptor.number, F_DUPFD_CLOEXEC, 0)
            if number < 0 { throw Errno(code: errno) }
            return try? AsyncSocket(socket: Socket(file: Socket.FileDescriptor(rawValue: number)), pool: pool)
        } catch {
            if error == .wouldBlock { return nil }
            throw error
        }
    }
}
