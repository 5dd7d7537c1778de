// SPDX-License-Identifier: Apache-2.0
public import Glibc

extension Directory {
    /// Makes a directory; nothing happens when there is one already, whatever its permissions.
    /// - Returns: whether it was made.
    @discardableResult
    public static func make(_ path: String, permissions: mode_t) throws(Errno) -> Bool {
        do throws(Errno) {
            try retryingOnInterrupt { mkdir(path, permissions) }
            return true
        } catch {
            if error != .alreadyExists { throw error }
            // A file of that name is none.
            _ = try open(path)
            return false
        }
    }

    /// Opens a directory, for ``synchronize(_:)`` or a lock.
    public static func open(_ path: String) throws(Errno) -> FileDescriptor {
        try FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY)
    }

    /// Forces the names in it to the medium: what was made, renamed or removed there survives a power cut. Where the
    /// file system cannot do that for directories, nothing happens.
    public static func synchronize(_ directory: borrowing FileDescriptor) throws(Errno) {
        // EINVAL: "fd is bound to a special file which does not support synchronization" (fsync(2)).
        do throws(Errno) { try directory.synchronize() } catch { if error != .invalidArgument { throw error } }
    }

    /// The same for the directory that `path` is in, whose names it may not be allowed to read: then nothing happens.
    public static func synchronizeParent(of path: String) throws(Errno) {
        var name = path[...]
        while name.count > 1, name.last == "/" { name.removeLast() }
        let parent = name.lastIndex(of: "/").map { name[...$0] } ?? "."
        do throws(Errno) { try synchronize(open(String(parent))) } catch {
            if error != .permissionDenied { throw error }
        }
    }

    /// Whether names can be made and removed in it, as far as permissions and the file system's state tell.
    /// - Throws: why not. The corresponding C function is `access`.
    public static func checkWritable(_ path: String) throws(Errno) {
        try retryingOnInterrupt { access(path, W_OK | X_OK) }
    }

    /// Takes permissions away from others than the owner, where they have some.
    public static func makePrivate(_ directory: borrowing FileDescriptor) throws(Errno) {
        var status = stat()
        try retryingOnInterrupt { fstat(directory.number, &status) }
        let permissions = status.st_mode & 0o7777
        if permissions & 0o077 != 0 { try retryingOnInterrupt { fchmod(directory.number, permissions & ~0o077) } }
    }

    /// Whether there is something of that name; a symbolic link is something, wherever it leads.
    public static func contains(_ path: String) throws(Errno) -> Bool {
        var status = stat()
        do throws(Errno) {
            try retryingOnInterrupt { lstat(path, &status) }
            return true
        } catch {
            if error != .noSuchFile { throw error }
            return false
        }
    }

    /// Gives a file another name on the same file system, in one step; a file of that name is replaced.
    public static func rename(_ path: String, to newPath: String) throws(Errno) {
        try retryingOnInterrupt { Glibc.rename(path, newPath) }
    }

    /// Removes a file's name, and the file when it was the last. The corresponding C function is `unlink`.
    public static func remove(_ path: String) throws(Errno) { try retryingOnInterrupt { unlink(path) } }

    /// Removes a directory that is empty. The corresponding C function is `rmdir`.
    public static func removeEmpty(_ path: String) throws(Errno) { try retryingOnInterrupt { rmdir(path) } }

    /// Removes a directory with all that is in it, as far as that can be; links are removed, not followed.
    public static func removeTree(_ path: String) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            for name in (try? names(of: path)) ?? [] { removeTree("\(path)/\(name)") }
        }
        _ = Glibc.remove(path)
    }
}
