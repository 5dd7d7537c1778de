// SPDX-License-Identifier: Apache-2.0
import Evidence
public import HostAPI
public import Record

/// A capture in a list: the first and the last line of its record or, of an encrypted one, what its seal says.
public struct CaptureSummary: Equatable, Sendable {
    public let id: CaptureID
    /// The number, as in ``CaptureHeader``.
    public let sequence: Int64?
    public let startedAt: Int64
    public let clockSynchronized: Bool?
    public let asker: HostRole
    /// nil if the record is encrypted.
    public let header: CaptureHeader?
    public let outcome: RecordOutcome
    /// nil if the capture was interrupted.
    public let endedAt: Int64?
    public let byteCount: Int
    /// nil if the record is not sealed.
    public let seal: SealHead?

    init(
        id: CaptureID, sequence: Int64?, startedAt: Int64, clockSynchronized: Bool?, asker: HostRole,
        header: CaptureHeader?, outcome: RecordOutcome, endedAt: Int64?, byteCount: Int, seal: SealHead?
    ) {
        self.id = id
        self.sequence = sequence
        self.startedAt = startedAt
        self.clockSynchronized = clockSynchronized
        self.asker = asker
        self.header = header
        self.outcome = outcome
        self.endedAt = endedAt
        self.byteCount = byteCount
        self.seal = seal
    }

    static func isNewer(_ a: CaptureSummary, _ b: CaptureSummary) -> Bool {
        (a.sequence ?? 0, a.startedAt, a.id.description) > (b.sequence ?? 0, b.startedAt, b.id.description)
    }

    public init(id: CaptureID, header: CaptureHeader, end: CaptureEnd?, byteCount: Int, seal: SealHead? = nil) {
        self.init(
            id: id, sequence: header.sequence, startedAt: header.startedAt, clockSynchronized: header.clockSynchronized,
            asker: header.asker, header: header, outcome: end?.outcome ?? .interrupted, endedAt: end?.endedAt,
            byteCount: byteCount, seal: seal)
    }
}

public struct CaptureList: Equatable, Sendable {
    /// Newest first: by ``CaptureHeader/sequence``, then those without one by their start.
    public var captures: [CaptureSummary] = []
    /// The errors of unreadable files, by file name.
    public var unreadable: [StoreError] = []
    /// Encrypted files without a seal, which are unreadable, for ``CaptureRetention``. They started when they were
    /// written, as far as it matters there.
    var unsealed: [CaptureSummary] = []
    /// The numbers of seals that are missing.
    public var gaps: [ClosedRange<Int64>] = []
}
