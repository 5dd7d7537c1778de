// SPDX-License-Identifier: Apache-2.0
public import Glibc

/// Writing a file so that a reader, a crash or a full disk never sees half of it.
public enum AtomicFile {
    /// Writes `bytes` beside `path` under a temporary name, forces them to the medium and renames. On an error nothing is
    /// left behind and an earlier file is untouched. Something at `path` that is no regular file (a terminal, a pipe,
    /// /dev/null) is written directly, because renaming would replace it.
    public static func write(_ bytes: [UInt8], to path: String, permissions: mode_t = 0o644) throws(Errno) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            if status.st_mode & S_IFMT == S_IFDIR { throw .isDirectory }
            let file = try FileDescriptor(opening: path, O_WRONLY)
            try file.writeAll(bytes)
            return
        }
        let temporary = path + ".\(getpid()).part"
        do throws(Errno) {
            let file = try FileDescriptor(opening: temporary, O_WRONLY | O_CREAT | O_EXCL, permissions: permissions)
            try file.writeAll(bytes)
            try file.synchronize()
            try retryingOnInterrupt { rename(temporary, path) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Reads a whole regular file of at most `maximumByteCount` bytes; nil when it is larger.
    public static func read(_ path: String, maximumByteCount: Int) throws(Errno) -> [UInt8]? {
        let file = try FileDescriptor(opening: path, O_RDONLY)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            var result: Result<Int, Errno> = .success(0)
            chunk.withUnsafeMutableBytes { buffer in
                do throws(Errno) { result = .success(try file.read(into: buffer)) } catch { result = .failure(error) }
            }
            let count = try result.get()
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            if bytes.count > maximumByteCount { return nil }
        }
    }

    /// The first bytes of a file, fewer when it is shorter.
    public static func readStart(of path: String, byteCount: Int) throws(Errno) -> [UInt8] {
        let file = try FileDescriptor(opening: path, O_RDONLY)
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let result: Result<Int, Errno> = bytes.withUnsafeMutableBytes { buffer in
            do throws(Errno) { return .success(try file.read(into: buffer)) } catch { return .failure(error) }
        }
        bytes.removeLast(byteCount - (try result.get()))
        return bytes
    }
}
