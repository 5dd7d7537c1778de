// SPDX-License-Identifier: Apache-2.0
public import Geometry
import HostAPI
import Linux
import Record
import Synchronization

/// Records that are stored encrypted and were accepted a short while ago, readable in memory for
/// ``CaptureStore/Encryption/readableFor``, however often they are fetched: a host may need one in several formats. Any
/// thread.
public final class ReadableRecords: Sendable {
    private struct Entry {
        var memory: LockedMemory
        /// On ``MonotonicClock``.
        var until: Timestamp
    }

    private let entries = Mutex<[CaptureID: Entry]>([:])

    public init() {}

    /// - Parameter until: on ``MonotonicClock``.
    /// - Throws: ``Errno`` if the memory cannot be locked; the record is then readable for its recipients only.
    func keep(_ bytes: [UInt8], of id: CaptureID, until: Timestamp) throws(Errno) {
        let entry = Entry(memory: try LockedMemory(copying: bytes), until: until)
        entries.withLock { $0[id] = entry }
    }

    /// The record's JSON lines; nil if they are gone.
    func bytes(of id: CaptureID) -> [UInt8]? { entries.withLock { $0[id] }?.memory.bytes }

    func byteCount(of id: CaptureID) -> Int? { entries.withLock { $0[id] }?.memory.byteCount }

    func remove(_ id: CaptureID) { entries.withLock { _ = $0.removeValue(forKey: id) } }

    /// When to call ``removeExpired(at:)``, on ``MonotonicClock``; nil for never.
    public var nextExpiry: Timestamp? { entries.withLock { $0.values.map(\.until).min() } }

    public func removeExpired(at time: Timestamp) {
        entries.withLock { entries in entries = entries.filter { $0.value.until > time } }
    }
}
