// SPDX-License-Identifier: Apache-2.0
public import HostAPI
import Record

/// Limits on how long captures are kept; nil is no limit.
public struct CaptureRetention: Equatable, Sendable {
    /// Age since the start of a capture by the wall clock.
    public var maximumAge: Duration?
    public var maximumCount: Int?

    public init(maximumAge: Duration? = nil, maximumCount: Int? = nil) {
        self.maximumAge = maximumAge
        self.maximumCount = maximumCount
    }

    /// A capture to remove, and the reason.
    public struct Expiry: Equatable, Sendable {
        public enum Reason: Sendable {
            case age, count
        }

        public var id: CaptureID
        public var reason: Reason
    }

    /// The captures to remove.
    /// - Parameters:
    ///   - captures: newest first, as listed.
    ///   - now: the wall clock, microseconds since 1970-01-01 UTC; nil if it cannot be trusted, which expires none by
    ///     age.
    ///   - spared: a capture that was accepted just now and is kept in any case.
    public func expired(_ captures: [CaptureSummary], now: Int64?, sparing spared: CaptureID? = nil) -> [Expiry] {
        var hasOlder = false
        var expired: [Expiry] = []
        for (index, capture) in captures.enumerated() {
            if capture.clockSynchronized != false {
                let isOld = isOld(capture.startedAt, now)
                hasOlder = hasOlder || isOld
                if isOld, capture.id != spared {
                    expired.append(Expiry(id: capture.id, reason: .age))
                    continue
                }
            } else if hasOlder, capture.id != spared {
                // Its date is not reliable, but it was begun before one that is too old.
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
        return .microseconds(now) - .microseconds(startedAt) > maximumAge
    }
}

extension CaptureStore {
    /// Removes the captures that `retention` expires. Unreadable files stay, except encrypted ones without a seal, as
    /// interrupted captures are; so do undelivered records if delivery is required.
    /// - Parameters:
    ///   - now, spared: as for ``CaptureRetention/expired(_:now:sparing:)``.
    ///   - didRemove: called after each removal.
    /// - Throws: the first error, after removing all others.
    public func apply(
        _ retention: CaptureRetention, now: Int64?, sparing spared: CaptureID? = nil,
        didRemove: (CaptureRetention.Expiry) -> Void
    ) throws(StoreError) {
        if retention == CaptureRetention() { return }
        var failure: StoreError?
        let list = try list()
        let captures = (list.captures + list.unsealed).sorted(by: CaptureSummary.isNewer)
        let expired = retention.expired(captures, now: now, sparing: spared)
        if expired.isEmpty { return }
        let kept = delivery?.isRequired == true ? try undelivered(SealIndex(try seals.names())) : []
        for expiry in expired where !kept.contains(expiry.id) {
            do throws(StoreError) {
                try delete(expiry.id, reason: expiry.reason == .age ? .age : .count)
                didRemove(expiry)
            } catch {
                // Somebody else deleted it meanwhile.
                if error != .missing(expiry.id) { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
    }
}
