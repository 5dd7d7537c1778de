// SPDX-License-Identifier: Apache-2.0
public import Record

/// What the writer of records is to do. After `start` come any number of `append`, then at most one `accept`, and
/// `discard` at any time; nothing after that.
public enum RecordStep: Equatable, Sendable {
    /// A record whose sample times count from `microseconds`, on the clock of the reports.
    case start(CaptureRequest, microseconds: Int64)
    case append(CaptureEntry)
    /// The capture was accepted: the record is complete, and the machine waits to be told that it is durable.
    case accept(ignoredContacts: Int)
    /// Nothing of it may be kept, also when it was accepted a moment ago.
    case discard
}
