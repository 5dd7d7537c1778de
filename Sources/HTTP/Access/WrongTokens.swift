// SPDX-License-Identifier: Apache-2.0
import Glibc

/// How many wrong tokens came from where in the last minute. This decides only what wrong tokens are answered and what
/// the log gets: a right token is never refused for the wrong ones beside it.
package struct WrongTokens {
    /// Wrong tokens in a minute that are answered as such: nobody types tokens.
    private static let limit = 5
    private static let minute = Duration.seconds(60)
    /// Networks that are counted. Above it, the one that began first is forgotten.
    private static let networkLimit = 1000

    private var counts: [String: Count] = [:]

    private struct Count {
        /// The start, by the clock that nobody can set.
        let since: ContinuousClock.Instant
        var number: Int
    }

    enum Verdict: Equatable {
        case few
        /// - Parameters:
        ///   - isFirst: of those that are too many.
        ///   - wait: until wrong ones count anew.
        case tooMany(isFirst: Bool, wait: Duration)
    }

    /// Counts a wrong token.
    /// - Parameter client: the address that it came from.
    mutating func note(from client: String, now: ContinuousClock.Instant = .now) -> Verdict {
        let network = Self.network(of: client)
        if let count = counts[network], now - count.since >= Self.minute { counts[network] = nil }
        if counts[network] == nil, counts.count >= Self.networkLimit { forget(now) }
        var count = counts[network] ?? Count(since: now, number: 0)
        count.number += 1
        counts[network] = count
        if count.number <= Self.limit { return .few }
        return .tooMany(isFirst: count.number == Self.limit + 1, wait: Self.minute - (now - count.since))
    }

    private mutating func forget(_ now: ContinuousClock.Instant) {
        counts = counts.filter { now - $0.value.since < Self.minute }
        guard counts.count >= Self.networkLimit, let first = counts.min(by: { $0.value.since < $1.value.since }) else {
            return
        }
        counts[first.key] = nil
    }

    /// An IPv4 address, or the first 64 bits of an IPv6 address: a host chooses the others itself (RFC 4291, 2.5.1).
    package static func network(of client: String) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        // Without the zone of a link-local address.
        guard inet_pton(AF_INET6, String(client.prefix { $0 != "%" }), &bytes) == 1 else { return client }
        if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10..<12] == [0xFF, 0xFF] {
            return bytes[12...].map(String.init).joined(separator: ".")
        }
        return [UInt8](bytes[..<8]).hexadecimal + "/64"
    }
}
