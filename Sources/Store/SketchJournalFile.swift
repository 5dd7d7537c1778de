// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import Record

/// A sketch's journal that is open for adding lines to its end.
final class SketchJournalFile: Sendable {
    /// What is in the journal's place.
    enum Found {
        case none
        /// `isTorn`: there is more than its whole lines.
        case journal(SketchJournalFile, SketchDecoder.Contents, isTorn: Bool)
        /// It has that path now.
        case setAside(path: String, SketchFormatError)
    }

    private let descriptor: FileDescriptor

    private init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    /// A new file, on the medium but for its name.
    init(writing bytes: [UInt8], to path: String) throws(Errno) {
        // Left by a process that was killed while it wrote.
        if try Directory.contains(path) { try Directory.remove(path) }
        let descriptor = try FileDescriptor(
            opening: path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600)
        try descriptor.writeAll(bytes)
        try descriptor.synchronize()
        self.descriptor = descriptor
    }

    /// Adds a line; it is on the medium when this returns.
    func append(_ line: [UInt8]) throws(Errno) {
        try descriptor.writeAll(line)
        try descriptor.synchronizeData()
    }

    /// Whether somebody has removed it.
    var isRemoved: Bool { (try? descriptor.isRemoved) == true }

    /// Takes what follows the first so many bytes off.
    func cut(to byteCount: Int) throws(Errno) { try descriptor.truncate(to: byteCount) }

    /// Opens the journal at `path` and reads it; moves anything else away that is there.
    static func find(at path: String, limits: SketchLimits) throws(StoreError) -> Found {
        do throws(Errno) {
            // Non-blocking: a pipe could be there.
            let descriptor = try FileDescriptor(opening: path, O_RDWR | O_APPEND | O_NONBLOCK | O_NOFOLLOW)
            var status = stat()
            try retryingOnInterrupt { fstat(descriptor.number, &status) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw Errno.notAFile }
            try Directory.makePrivate(descriptor)
            // One byte more than a journal has is enough to tell.
            let bytes = try descriptor.read(limits.journalByteCount + 1, from: 0)
            let contents: SketchDecoder.Contents
            do throws(SketchFormatError) {
                if bytes.count > limits.journalByteCount { throw .tooLarge(limit: limits.journalByteCount) }
                contents = try SketchDecoder.decode(bytes)
            } catch {
                return try setAside(path, error)
            }
            let isTorn = contents.wholeByteCount < bytes.count
            return .journal(SketchJournalFile(descriptor), contents, isTorn: isTorn)
        } catch {
            switch error {
            case .noSuchFile: return .none
            case .notAFile, .isDirectory, Errno(code: ELOOP), Errno(code: ENXIO):
                do throws(Errno) { return try setAside(path, .notASketch("it is no file")) } catch {
                    throw StoreError(.rename, path, error)
                }
            default: throw StoreError(.read, path, error)
            }
        }
    }

    private static func setAside(_ path: String, _ reason: SketchFormatError) throws(Errno) -> Found {
        var target = path + ".unreadable"
        var number = 1
        // Under the lock of the directory nobody makes one in between.
        while try Directory.contains(target) {
            number += 1
            target = path + ".unreadable-\(number)"
        }
        try Directory.rename(path, to: target)
        return .setAside(path: target, reason)
    }
}
