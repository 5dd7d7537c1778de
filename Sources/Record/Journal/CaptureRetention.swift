// SPDX-License-Identifier: Apache-2.0

/// How long captures are kept. Nil is no limit; without any, all are kept.
public struct CaptureRetention: Equatable, Sendable {
    /// Microseconds since the start of a capture, by the wall clock.
    public var maximumAge: Int64?
    public var maximumCount: Int?

    public init(maximumAge: Int64? = nil, maximumCount: Int? = nil) {
        self.maximumAge = maximumAge
        self.maximumCount = maximumCount
    }

    /// Those that are kept no longer.
    /// - Parameters:
    ///   - captures: the newest first, as listed.
    ///   - now: wall clock, microseconds since 1970-01-01 UTC. A capture from later than that is not too old, but the
    ///     first to go when there are too many: the clock was set back, and those that are made now are newer.
    public func expired(_ captures: [CaptureSummary], now: Int64) -> [CaptureID] {
        let ordered = captures.filter { $0.header.startedAt <= now } + captures.filter { $0.header.startedAt > now }
        return ordered.enumerated().filter { index, capture in
            let (age, isBeyond) = now.subtractingReportingOverflow(capture.header.startedAt)
            // Only years that nobody lived in overflow, and then the sign of the start tells which way.
            let isOld = maximumAge.map { isBeyond ? capture.header.startedAt < 0 : age > $0 } ?? false
            return isOld || index >= maximumCount ?? .max
        }.map(\.element.id)
    }
}

extension CaptureStore {
    /// Removes the captures that are kept no longer. Files that cannot be read stay: nobody knows what they are.
    /// - Parameter now: wall clock, microseconds since 1970-01-01 UTC.
    /// - Returns: those that were removed.
    @discardableResult
    public func apply(_ retention: CaptureRetention, now: Int64) throws(StoreError) -> [CaptureID] {
        if retention == CaptureRetention() { return [] }
        let expired = retention.expired(try list().captures, now: now)
        for id in expired {
            do throws(StoreError) { try delete(id) } catch {
                // Deleted by somebody else meanwhile.
                if error != .missing(id) { throw error }
            }
        }
        return expired
    }
}
