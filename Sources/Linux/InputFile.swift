// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Reading regular files that somebody names on a command line: never waiting for a pipe's writer, never more than the
/// caller has room for.
public enum InputFile {
    /// Opens `path` for reading.
    /// - Throws: ``Errno/isDirectory`` for a directory and ``Errno/notAFile`` for anything else that is no regular
    ///   file.
    public static func open(_ path: String) throws(Errno) -> FileDescriptor {
        // Non-blocking: opening a FIFO would wait for its writer.
        let file = try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK)
        var status = stat()
        try retryingOnInterrupt { fstat(file.number, &status) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return file
        case S_IFDIR: throw Errno.isDirectory
        default: throw Errno.notAFile
        }
    }

    /// The whole file, or nil when it has more than `maximumByteCount` bytes.
    public static func read(_ path: String, maximumByteCount: Int) throws(Errno) -> [UInt8]? {
        let file = try open(path)
        var bytes: [UInt8] = []
        // Not as it grows, which would take up to three times the memory.
        bytes.reserveCapacity(min(try file.byteCount, maximumByteCount) + 1)
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = try file.read(into: &chunk)
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            if bytes.count > maximumByteCount { return nil }
        }
    }

    /// The first bytes of the file, fewer when it is shorter.
    public static func readStart(of path: String, byteCount: Int) throws(Errno) -> [UInt8] {
        let file = try open(path)
        var bytes = [UInt8](repeating: 0, count: byteCount)
        bytes.removeLast(byteCount - (try file.read(into: &bytes)))
        return bytes
    }
}
