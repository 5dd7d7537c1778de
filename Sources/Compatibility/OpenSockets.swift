// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import HTTP
import HostAPI

/// The connections of pages that speak another pad's protocol: how many there are, and whether their pages still live.
actor OpenSockets {
    /// Connections, of which a token has its share.
    private static let limit = 200
    /// Servers in front of the gateway end connections on which nothing passes, and a page that is gone must not keep
    /// the pad. One ping for all costs one wakeup, however many there are.
    private static let pingInterval = Duration.seconds(30)

    private struct Connection {
        /// Id of the token that it comes from.
        let owner: String
        let queue: FrameQueue
        var hasAnswered = true
    }

    private var connections: [Int: Connection] = [:]
    private var nextNumber = 0
    private var isPinging = false

    /// - Returns: the number of the connection.
    /// - Throws: ``Problem`` with status 503 if a token cannot have one more.
    func enter(_ owner: String, _ queue: FrameQueue) throws -> Int {
        let own = connections.values.count { $0.owner == owner }
        guard Share.isFree(own, of: connections.count, Self.limit) else {
            throw Problem(
                name: .tooManyFollowers, status: 503, detail: "Too many pages are connected; close some.",
                headers: ["Retry-After": "10"])
        }
        nextNumber += 1
        connections[nextNumber] = Connection(owner: owner, queue: queue)
        if !isPinging {
            isPinging = true
            Task { await ping() }
        }
        return nextNumber
    }

    func leave(_ number: Int) { connections[number] = nil }

    /// The page has sent something.
    func hear(_ number: Int) { connections[number]?.hasAnswered = true }

    private func ping() async {
        while !connections.isEmpty {
            try? await Task.sleep(for: Self.pingInterval)
            for (number, connection) in connections {
                if connection.hasAnswered {
                    connections[number]?.hasAnswered = false
                    await connection.queue.offer(.ping)
                } else {
                    await connection.queue.close(.pageGone)
                }
            }
        }
        isPinging = false
    }
}
