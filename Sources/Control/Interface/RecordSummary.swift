// SPDX-License-Identifier: Apache-2.0
public import Record
public import Store

/// A record in the store, as `List` tells of it.
public struct RecordSummary: Codable, Equatable, Sendable {
    public enum Outcome: String, Codable, Sendable, CaseIterable {
        case accepted, cancelled, timedOut
        /// The record has no end: the panel was switched off, or its program ended, while the person signed.
        case interrupted

        init(_ end: CaptureEnd?) {
            switch end?.outcome {
            case .accepted: self = .accepted
            case .cancelled: self = .cancelled
            case .timedOut: self = .timedOut
            case nil: self = .interrupted
            }
        }
    }

    public var id: String
    public var outcome: Outcome
    /// Wall clock, microseconds since 1970-01-01 UTC.
    public var startedAt: Int64
    public var endedAt: Int64?
    public var prompt: [String]
    public var signer, reason: String?
    public var document: CaptureRequest.Document?
    public var data: [String: String]?
    public var byteCount: Int

    public init(_ summary: CaptureSummary) {
        self.init(header: summary.header, end: summary.end, byteCount: summary.byteCount)
    }

    init(header: CaptureHeader, end: CaptureEnd?, byteCount: Int) {
        id = header.id
        outcome = Outcome(end)
        startedAt = header.startedAt
        endedAt = end?.endedAt
        let request = header.request
        prompt = request.prompt
        signer = request.signer
        reason = request.reason
        document = request.document
        data = request.data
        self.byteCount = byteCount
    }
}

/// What `List` answers.
public struct RecordList: Codable, Equatable, Sendable {
    /// The newest first.
    public var captures: [RecordSummary]
    /// Why files among them cannot be read.
    public var unreadable: [String]

    public init(_ list: CaptureList) {
        captures = list.captures.map { RecordSummary($0) }
        unreadable = list.unreadable.map(\.description)
    }
}
