// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A file to which lines are added, one call each. A line that was torn, because the process, the power or the disk
/// failed, is cut off before the next one is written, and readers never see it. One process writes it, one thread at a
/// time.
public struct LineFile: Sendable {
    public let path: String
    /// Bytes of the whole lines.
    private var byteCount: Int
    /// Whether the file had a torn line when it was read: one without its end, or with zero bytes.
    public let wasTorn: Bool

    /// Reads the file, which is a ``PrivateFile``; a missing one is empty. Blocks.
    /// - Returns: the file, and its whole lines without their ends; nil beyond `maximumByteCount`.
    public static func read(
        _ path: String, maximumByteCount: Int
    ) throws(PrivateFileError) -> (file: LineFile, lines: [String])? {
        let bytes: [UInt8]
        do throws(PrivateFileError) {
            guard let read = try PrivateFile.read(path, maximumByteCount: maximumByteCount) else { return nil }
            bytes = read
        } catch {
            if !error.isMissing { throw error }
            bytes = []
        }
        let whole = bytes[..<(bytes.lastIndex(of: newline).map { $0 + 1 } ?? 0)]
        // A file system may store a block before earlier ones, which then read as zero bytes.
        let all = whole.split(separator: newline)
        let lines = all.filter { !$0.contains(0) }
        let isTorn = whole.count < bytes.count || lines.count < all.count
        return (
            LineFile(path: path, byteCount: whole.count, wasTorn: isTorn),
            lines.map { String(decoding: $0, as: UTF8.self) }
        )
    }

    /// A file that ``replace(with:)`` is to write.
    public init(path: String) { self.init(path: path, byteCount: 0, wasTorn: false) }

    private init(path: String, byteCount: Int, wasTorn: Bool) {
        (self.path, self.byteCount, self.wasTorn) = (path, byteCount, wasTorn)
    }

    /// Adds a line, which must have no line end. If that fails, the file is as before.
    /// - Parameter synchronizes: whether the line must be on the medium when this returns.
    public mutating func append(_ line: String, synchronizes: Bool) throws(Errno) {
        let isNew = try !Directory.contains(path)
        let file = try FileDescriptor(opening: path, O_WRONLY | O_CREAT | O_NOFOLLOW, permissions: 0o600)
        // Somebody may have removed the file.
        byteCount = min(byteCount, try file.byteCount)
        try file.truncate(to: byteCount)
        let bytes = Array((line + "\n").utf8)
        do throws(Errno) {
            try file.writeAll(bytes, at: byteCount)
            if synchronizes { try file.synchronizeData() }
            if synchronizes, isNew { try Directory.synchronizeParent(of: path) }
        } catch {
            try? file.truncate(to: byteCount)
            throw error
        }
        byteCount += bytes.count
    }

    /// Writes the file anew, in one step, to the medium.
    public mutating func replace(with lines: some Sequence<String>) throws(Errno) {
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        try AtomicFile.replace(bytes, at: path)
        byteCount = bytes.count
    }

    private static let newline = UInt8(ascii: "\n")
}
