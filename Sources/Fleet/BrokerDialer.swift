// SPDX-License-Identifier: Apache-2.0
import Linux

/// A thread that connects to the broker, because name servers and TCP may take minutes.
final class BrokerDialer: Sendable {
    struct Attempt: Sendable {
        var address: BrokerAddress
        var name: FleetName
        var keepsSession: Bool
    }

    private let attempts: Mailbox<Attempt>
    private let results: Mailbox<(name: FleetName, result: Result<BrokerConnection, BrokerFault>)>

    /// Starts the thread, which runs as long as the program.
    init() throws(Errno) {
        let attempts = try Mailbox<Attempt>(blocking: true)
        let results = try Mailbox<(name: FleetName, result: Result<BrokerConnection, BrokerFault>)>(blocking: false)
        (self.attempts, self.results) = (attempts, results)
        _ = try Thread(name: "dial") {
            while true {
                for attempt in attempts.take().items {
                    do throws(BrokerFault) {
                        let connection = try BrokerConnection(
                            to: attempt.address, as: attempt.name, keepsSession: attempt.keepsSession)
                        results.put((attempt.name, .success(connection)))
                    } catch {
                        results.put((attempt.name, .failure(error)))
                    }
                }
            }
        }
    }

    /// Readable when there is a result.
    var descriptor: CInt { results.descriptor }

    func dial(_ attempt: Attempt) { attempts.put(attempt) }

    func take() -> [(name: FleetName, result: Result<BrokerConnection, BrokerFault>)] { results.take().items }
}

/// When to connect again: pauses double from 1 s to 60, each a random part of that, so that a thousand panels do not
/// come back at once.
struct Backoff {
    private static let longest = 60.0
    private var bound = 1.0

    /// - Parameter random: 0..<1.
    mutating func pause(_ random: Double) -> Duration {
        defer { bound = min(2 * bound, Self.longest) }
        return .milliseconds(Int64(1000 * bound * (0.5 + random / 2)))
    }

    mutating func reset() { bound = 1 }
}
