// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Writing a file so that a reader, a crash or a full disk never sees half of it.
public enum AtomicFile {
    /// Writes `bytes` beside `path` under a temporary name, forces them to the medium and renames. On an error nothing
    /// is left behind and an earlier file is untouched; a file that is replaced hands its permissions on, and a
    /// symbolic link keeps pointing where it did. Something at `path` that is no regular file (a terminal, a pipe,
    /// /dev/null) is written directly, because renaming would replace it.
    public static func write(_ bytes: [UInt8], to path: String) throws(Errno) {
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT != S_IFREG {
            if status.st_mode & S_IFMT == S_IFDIR { throw .isDirectory }
            return try FileDescriptor(opening: path, O_WRONLY).writeAll(bytes)
        }
        let target = exists ? resolved(path) : path
        let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? "./"
        // Short and in the same folder: a long name has no room for a suffix, and only there can it be renamed.
        let temporary = folder + ".inkpanel.\(getpid()).part"
        // Not readable by others until it has the permissions of the file it replaces.
        let file = try FileDescriptor(
            opening: temporary, O_WRONLY | O_CREAT | O_EXCL, permissions: exists ? 0o600 : 0o644)
        do throws(Errno) {
            try file.writeAll(bytes)
            if exists { try retryingOnInterrupt { fchmod(file.number, status.st_mode & 0o7777) } }
            try file.synchronize()
            try retryingOnInterrupt { rename(temporary, target) }
        } catch {
            unlink(temporary)
            throw error
        }
        // The rename itself must survive a power cut too. Some file systems cannot synchronise a folder; the file is
        // whole in any case.
        if let opened = try? FileDescriptor(opening: folder, O_RDONLY | O_DIRECTORY) { try? opened.synchronize() }
    }

    /// Where a path with symbolic links leads; the path itself if that cannot be told.
    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}
