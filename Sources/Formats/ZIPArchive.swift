// SPDX-License-Identifier: Apache-2.0
import CZlib
import HostAPI

/// A ZIP archive (APPNOTE.TXT 6.3.10) of a few files without compression, in memory. The same files and date give the
/// same bytes.
///
/// ```swift
/// var archive = ZIPArchive(date: .init(microseconds: 1_795_774_779_000_000))
/// archive.add("record.jsonl", record)
/// let bytes = archive.finished()
/// ```
public struct ZIPArchive: Sendable {
    /// A date as MS-DOS has it, which knows no time zone: here in UTC.
    public struct Date: Equatable, Sendable {
        let day, time: UInt16

        /// - Parameter microseconds: since 1970-01-01 UTC; times that the format lacks become the nearest one that it
        ///   has, between 1980 and 2107, of which each has an even second.
        public init(microseconds: Int64) {
            let (first, last): (Int64, Int64) = (315_532_800, 4_354_819_198)
            let seconds = min(max(microseconds / 1_000_000, first), last)
            let (year, month, ofMonth, clock) = TimestampText.fields(seconds)
            day = UInt16((year - 1980) << 9 | month << 5 | ofMonth)
            time = UInt16(clock[0] << 11 | clock[1] << 5 | clock[2] / 2)
        }
    }

    /// The largest archive, in bytes: offsets have 32 bits.
    public static let longest = Int(UInt32.max)
    /// The most bytes of an archive besides those of the files and twice those of their names.
    private static let overhead = (local: 30, central: 46, end: 22)

    private let date: Date
    private var bytes: [UInt8] = []
    private var directory: [UInt8] = []
    private var count: UInt16 = 0

    /// The bytes of the added files, with a header for each.
    public var byteCount: Int { bytes.count }

    /// - Parameter capacity: bytes of the files that will be added, if known.
    public init(date: Date, capacity: Int = 0) {
        self.date = date
        bytes.reserveCapacity(capacity)
    }

    /// Adds a file at the end.
    /// - Parameters:
    ///   - name: ASCII, and different from the others.
    ///   - file: with which the archive stays below ``longest``.
    public mutating func add(_ name: String, _ file: [UInt8]) {
        precondition(name.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "names are ASCII")
        precondition(
            bytes.count + file.count + directory.count + Self.overhead.local + Self.overhead.central
                + Self.overhead.end + 2 * name.utf8.count <= Self.longest, "an archive has at most 4 GiB")
        let offset = UInt32(bytes.count)
        let checksum = UInt32(truncatingIfNeeded: crc32_z(0, file, file.count))
        // Both headers have these in the same order: version 1.0, no flags, no compression, sizes, no extra field.
        var common: [UInt8] = []
        Self.append(10 as UInt16, to: &common)
        Self.append(0 as UInt32, to: &common)
        Self.append(date.time, to: &common)
        Self.append(date.day, to: &common)
        Self.append(checksum, to: &common)
        Self.append(UInt32(file.count), to: &common)
        Self.append(UInt32(file.count), to: &common)
        Self.append(UInt16(name.utf8.count), to: &common)
        Self.append(0 as UInt16, to: &common)
        bytes += Array("PK\u{3}\u{4}".utf8) + common + Array(name.utf8)
        bytes += file

        directory += Array("PK\u{1}\u{2}".utf8)
        // Made by version 3.0 on Unix, whose permissions follow: a file that everybody may read.
        Self.append(3 << 8 | 30 as UInt16, to: &directory)
        directory += common
        // No comment, the first part, no text.
        for _ in 0..<3 { Self.append(0 as UInt16, to: &directory) }
        Self.append(0o100644 << 16 as UInt32, to: &directory)
        Self.append(offset, to: &directory)
        directory += Array(name.utf8)
        count += 1
    }

    /// The whole archive.
    public consuming func finished() -> [UInt8] {
        let (start, size) = (UInt32(bytes.count), UInt32(directory.count))
        bytes += directory
        bytes += Array("PK\u{5}\u{6}".utf8)
        // One part.
        Self.append(0 as UInt32, to: &bytes)
        Self.append(count, to: &bytes)
        Self.append(count, to: &bytes)
        Self.append(size, to: &bytes)
        Self.append(start, to: &bytes)
        // No comment.
        Self.append(0 as UInt16, to: &bytes)
        return bytes
    }

    private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }
}
