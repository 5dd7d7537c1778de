// SPDX-License-Identifier: Apache-2.0
public import Record

/// How long captures are kept. Nil is no limit; without any, all are kept.
public struct CaptureRetention: Equatable, Sendable {
    /// Microseconds since the start of a capture, by the wall clock.
    public var maximumAge: Int64?
    public var maximumCount: Int?

    public init(maximumAge: Int64? = nil, maximumCount: Int? = nil) {
        self.maximumAge = maximumAge
        self.maximumCount = maximumCount
    }

    /// A capture that is kept no longer, and why.
    public struct Expiry: Equatable, Sendable {
        public enum Reason: Sendable {
            case age, count
        }

        public var id: CaptureID
        public var reason: Reason

        public init(id: CaptureID, reason: Reason) {
            self.id = id
            self.reason = reason
        }
    }

    /// Those that are kept no longer.
    /// - Parameters:
    ///   - captures: the newest first, as listed.
    ///   - now: wall clock, microseconds since 1970-01-01 UTC; nil where it cannot be trusted: then none is too old.
    ///   - spared: was accepted just now, and is kept whatever its date and the limits are.
    public func expired(_ captures: [CaptureSummary], now: Int64?, sparing spared: CaptureID? = nil) -> [Expiry] {
        var hasOlder = false
        var expired: [Expiry] = []
        for (index, capture) in captures.enumerated() {
            if capture.header.clockSynchronized != false {
                let isOld = isOld(capture.header.startedAt, now)
                hasOlder = hasOlder || isOld
                if isOld, capture.id != spared {
                    expired.append(Expiry(id: capture.id, reason: .age))
                    continue
                }
            } else if hasOlder, capture.id != spared {
                // Its date is nobody's word, but it was begun before one that is too old.
                expired.append(Expiry(id: capture.id, reason: .age))
                continue
            }
            if index >= maximumCount ?? .max, capture.id != spared {
                expired.append(Expiry(id: capture.id, reason: .count))
            }
        }
        return expired
    }

    private func isOld(_ startedAt: Int64, _ now: Int64?) -> Bool {
        guard let maximumAge, let now else { return false }
        let (age, isBeyond) = now.subtractingReportingOverflow(startedAt)
        // Only years that nobody lived in overflow, and then the sign of the start tells which way.
        return isBeyond ? startedAt < 0 : age > maximumAge
    }
}

extension CaptureStore {
    /// Removes the captures that are kept no longer. Files that cannot be read stay: nobody knows what they are.
    /// - Parameters:
    ///   - now, spared: as ``CaptureRetention/expired(_:now:sparing:)`` has them.
    ///   - tell: called for each that was removed, when it is gone.
    /// - Throws: the first error; the others are removed all the same.
    public func apply(
        _ retention: CaptureRetention, now: Int64?, sparing spared: CaptureID? = nil,
        telling tell: (CaptureRetention.Expiry) -> Void
    ) throws(StoreError) {
        if retention == CaptureRetention() { return }
        var failure: StoreError?
        for expiry in retention.expired(try list().captures, now: now, sparing: spared) {
            do throws(StoreError) {
                try delete(expiry.id)
                tell(expiry)
            } catch {
                // Deleted by somebody else meanwhile.
                if error != .missing(expiry.id) { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
    }
}
