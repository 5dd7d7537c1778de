// SPDX-License-Identifier: Apache-2.0
public import Record

/// What a list of captures says about one: its first and its last line.
public struct CaptureSummary: Equatable, Sendable {
    public let id: CaptureID
    public let header: CaptureHeader
    /// Nil when the capture was interrupted.
    public let end: CaptureEnd?
    public let byteCount: Int

    public init(id: CaptureID, header: CaptureHeader, end: CaptureEnd?, byteCount: Int) {
        self.id = id
        self.header = header
        self.end = end
        self.byteCount = byteCount
    }
}

/// The captures of a store.
public struct CaptureList: Equatable, Sendable {
    /// The newest first: in the order in which they were begun, by their ``CaptureHeader/sequence``. Those without one
    /// come after them, by their start.
    public var captures: [CaptureSummary] = []
    /// Files that are named like captures and are none, with the reason, by name.
    public var unreadable: [StoreError] = []
}
