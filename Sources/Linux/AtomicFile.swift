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
        let file = try FileDescriptor(opening: temporary, O_WRONLY | O_CREAT | O_EXCL, permissions: permissions)
        do throws(Errno) {
            try file.writeAll(bytes)
            try file.synchronize()
            try retryingOnInterrupt { rename(temporary, path) }
        } catch {
            unlink(temporary)
            throw error
        }
    }
}
