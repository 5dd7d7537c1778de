// SPDX-License-Identifier: Apache-2.0
public import Geometry
import HostAPI
import Linux
import Record
import Synchronization

/// Records that are stored encrypted and were accepted a short while ago, and their signed documents, readable in
/// memory for ``CaptureStore/Encryption/readableFor``, however often they are fetched: a host may need one in several
/// formats. Any thread.
public final class ReadableRecords: Sendable {
    enum Part {
        case record, document
    }

    private struct Key: Hashable {
        var id: CaptureID
        var part: Part
    }

    private struct Entry {
        var memory: LockedMemory
        /// On ``MonotonicClock``.
        var until: Timestamp
    }

    private let entries = Mutex<[Key: Entry]>([:])

    public init() {}

    /// - Parameter until: on ``MonotonicClock``.
    /// - Throws: ``Errno`` if the memory cannot be locked; the file is then readable for its recipients only.
    func keep(_ bytes: [UInt8], as part: Part, of id: CaptureID, until: Timestamp) throws(Errno) {
        let entry = Entry(memory: try LockedMemory(copying: bytes), until: until)
        entries.withLock { $0[Key(id: id, part: part)] = entry }
    }

    /// The record's JSON lines, or its signed document; nil if they are gone.
    func bytes(of id: CaptureID, _ part: Part = .record) -> [UInt8]? {
        entries.withLock { $0[Key(id: id, part: part)] }?.memory.bytes
    }

    func byteCount(of id: CaptureID, _ part: Part = .record) -> Int? {
        entries.withLock { $0[Key(id: id, part: part)] }?.memory.byteCount
    }

    /// A part of a file, and the size of the whole one; nil if it is gone.
    func part(
        of id: CaptureID, _ part: Part, from offset: Int, count: Int
    ) -> (bytes: [UInt8], byteCount: Int)? {
        guard let memory = entries.withLock({ $0[Key(id: id, part: part)] })?.memory else { return nil }
        let start = min(max(offset, 0), memory.byteCount)
        return (memory.bytes(in: start..<min(start + max(count, 0), memory.byteCount)), memory.byteCount)
    }

    func remove(_ id: CaptureID) {
        entries.withLock { entries in
            for part in [Part.record, .document] { entries.removeValue(forKey: Key(id: id, part: part)) }
        }
    }

    /// When to call ``removeExpired(at:)``, on ``MonotonicClock``; nil for never.
    public var nextExpiry: Timestamp? { entries.withLock { $0.values.map(\.until).min() } }

    public func removeExpired(at time: Timestamp) {
        entries.withLock { entries in entries = entries.filter { $0.value.until > time } }
    }
}
