// SPDX-License-Identifier: Apache-2.0
import CLinux
public import Glibc

/// Lists and changes directories.
public enum Directory {
    /// The names in a directory without `.` and `..`, in no particular order (readdir(3)).
    public static func names(of path: String) throws(Errno) -> [String] {
        guard let stream = opendir(path) else { throw Errno.current }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // Read in place: an entry is only as long as its name, so copying the whole structure could read past its
            // end.
            let name = String(
                cString: UnsafeRawPointer(entry).advanced(by: MemoryLayout<dirent>.offset(of: \.d_name)!)
                    .assumingMemoryBound(to: CChar.self))
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// The path with all symbolic links resolved, or nil if nothing is there (realpath(3)).
    public static func realPath(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// Whether a file of any kind has this name. A symbolic link counts, wherever it leads.
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

    /// The number of bytes that this process may still write to the file system of `path` (statvfs(3)).
    public static func freeByteCount(_ path: String) throws(Errno) -> Int {
        var status = statvfs()
        try retryingOnInterrupt { statvfs(path, &status) }
        let (bytes, isBeyond) = Int(clamping: status.f_bavail).multipliedReportingOverflow(
            by: Int(clamping: status.f_frsize))
        return isBeyond ? .max : bytes
    }

    /// Whether nothing in a directory reaches a medium: its file system is tmpfs or ramfs (statfs(2)). Swap aside.
    public static func isInMemory(_ path: String) throws(Errno) -> Bool {
        try retryingOnInterrupt { clinux_is_in_memory(path) } == 1
    }

    /// Checks that names can be created and removed in a directory, by permissions and the file system's state
    /// (access(2)).
    public static func checkWritable(_ path: String) throws(Errno) {
        try retryingOnInterrupt { access(path, W_OK | X_OK) }
    }

    /// Opens a directory, for ``synchronize(_:)`` or a lock.
    public static func open(_ path: String) throws(Errno) -> FileDescriptor {
        try FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY)
    }

    // MARK: Changes

    /// Creates a directory, unless there is one already, whatever its permissions.
    /// - Returns: whether it was created.
    @discardableResult
    public static func make(_ path: String, permissions: mode_t) throws(Errno) -> Bool {
        do throws(Errno) {
            try retryingOnInterrupt { mkdir(path, permissions) }
            return true
        } catch {
            if error != .alreadyExists { throw error }
            // Fails if the name belongs to a file.
            _ = try open(path)
            return false
        }
    }

    /// Removes the permissions of group and others, if they have any.
    public static func makePrivate(_ directory: borrowing FileDescriptor) throws(Errno) {
        let permissions = try directory.status().st_mode & 0o7777
        if permissions & 0o077 != 0 { try retryingOnInterrupt { fchmod(directory.number, permissions & ~0o077) } }
    }

    /// Renames a file within its file system, in one step. An existing file of the new name is replaced.
    public static func rename(_ path: String, to newPath: String) throws(Errno) {
        try retryingOnInterrupt { Glibc.rename(path, newPath) }
    }

    /// Makes a symbolic link at `path` (symlink(2)).
    public static func makeLink(_ path: String, to target: String) throws(Errno) {
        try retryingOnInterrupt { symlink(target, path) }
    }

    /// The target of a symbolic link (readlink(2)); nil for other files.
    public static func linkTarget(_ path: String) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &target, target.count)
        return count < 0 ? nil : String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Gives a file another name on the same file system (link(2)). Replaces no file.
    public static func link(_ path: String, to newPath: String) throws(Errno) {
        try retryingOnInterrupt { Glibc.link(path, newPath) }
    }

    /// Whether two names are of one file. A symbolic link is a file of its own.
    public static func areSame(_ path: String, _ other: String) throws(Errno) -> Bool {
        var (first, second) = (stat(), stat())
        try retryingOnInterrupt { lstat(path, &first) }
        try retryingOnInterrupt { lstat(other, &second) }
        return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)
    }

    /// When the contents of a file of any kind were last changed, microseconds since 1970-01-01 UTC (lstat(2)).
    public static func timeOfChange(_ path: String) throws(Errno) -> Int64 {
        var status = stat()
        try retryingOnInterrupt { lstat(path, &status) }
        return status.microsecondsOfChange
    }

    /// Removes a file's name, and the file if that was its last name (unlink(2)).
    public static func remove(_ path: String) throws(Errno) { try retryingOnInterrupt { unlink(path) } }

    /// Removes an empty directory (rmdir(2)).
    public static func removeEmpty(_ path: String) throws(Errno) { try retryingOnInterrupt { rmdir(path) } }

    /// Removes a directory with everything in it, as far as permissions allow. Links are removed, not followed.
    public static func removeTree(_ path: String) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            for name in (try? names(of: path)) ?? [] { removeTree("\(path)/\(name)") }
        }
        _ = Glibc.remove(path)
    }

    /// Forces the names in a directory to the medium, so that created, renamed and removed files survive a power cut.
    /// Does nothing if the file system cannot do that for directories.
    public static func synchronize(_ directory: borrowing FileDescriptor) throws(Errno) {
        // EINVAL: "fd is bound to a special file which does not support synchronization" (fsync(2)).
        do throws(Errno) { try directory.synchronize() } catch { if error != .invalidArgument { throw error } }
    }

    /// Synchronizes the directory at `path`.
    public static func synchronize(at path: String) throws(Errno) { try synchronize(open(path)) }

    /// Synchronizes the directory that contains `path`. Does nothing if this process may not read that directory.
    public static func synchronizeParent(of path: String) throws(Errno) {
        var name = path[...]
        while name.count > 1, name.last == "/" { name.removeLast() }
        let parent = name.lastIndex(of: "/").map { name[...$0] } ?? "."
        do throws(Errno) { try synchronize(open(String(parent))) } catch {
            if error != .permissionDenied { throw error }
        }
    }
}

/// Writes a file so that a reader, a crash or a full disk never sees half of it.
public enum AtomicFile {
    /// Writes `bytes` to an unnamed file in the directory of `path`, forces them to the medium and gives the file its
    /// name. An error leaves nothing behind and an existing file untouched. If `path` is not a regular file (a
    /// terminal, a pipe, /dev/null), it is written directly, because renaming would replace it.
    ///
    /// A killed process leaves nothing behind, with two exceptions: on a file system without unnamed files (O_TMPFILE),
    /// and at the moment when an existing file is replaced, a `.inkpanel.RANDOM.part` may remain, which does no harm.
    /// - Parameter permissions: for a new file, before the umask. The default is private, because most of these files
    ///   hold signatures. A replaced file passes its permissions on, and a symbolic link keeps its target.
    public static func write(_ bytes: [UInt8], to path: String, permissions: mode_t = 0o600) throws(Errno) {
        try write(bytes, to: path, permissions: permissions, withoutName: true)
    }

    /// Writes a file of the program's own, as ``write(_:to:permissions:)`` does, but never through a link: whatever has
    /// the name is replaced, except a directory. Root's file in the directory of another user, who could have put a
    /// link there, becomes that user's.
    public static func replace(_ bytes: [UInt8], at path: String, permissions: mode_t = 0o600) throws(Errno) {
        try replace(bytes, at: path, permissions: permissions, withoutName: true)
    }

    /// - Parameter withoutName: whether to try an unnamed file first.
    static func replace(
        _ bytes: [UInt8], at path: String, permissions: mode_t, withoutName: Bool
    ) throws(Errno) {
        let folder = PrivateFile.folder(of: path)
        var status = stat()
        let exists = lstat(path, &status) == 0
        // Renaming would say so only after all has been written.
        if exists, status.st_mode & S_IFMT == S_IFDIR { throw .isDirectory }
        var contents = Contents(bytes: bytes, permissions: permissions, replaced: exists ? permissions : nil)
        contents.owner = PrivateFile.ownerForRoot(ofFilesIn: folder)
        try write(contents, in: folder, to: path, withoutName: withoutName)
    }

    /// Replaces a private file, as ``replace(_:at:permissions:)`` does; it and its name are on the medium when this
    /// returns.
    /// - Parameter synchronize: forces the names in the file's folder to the medium.
    /// - Throws: ``Errno``, also if only the name could not be synchronized. The file is removed then, if that is
    ///   possible.
    public static func writeSynchronized(
        _ bytes: [UInt8], to path: String,
        synchronize: (_ folder: String) throws(Errno) -> Void = Directory.synchronize(at:)
    ) throws(Errno) {
        try replace(bytes, at: path)
        do throws(Errno) { try synchronize(PrivateFile.folder(of: path)) } catch {
            try? Directory.remove(path)
            throw error
        }
    }

    /// - Parameter withoutName: whether to try an unnamed file first.
    static func write(
        _ bytes: [UInt8], to path: String, permissions: mode_t, withoutName: Bool
    ) throws(Errno) {
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT != S_IFREG {
            if status.st_mode & S_IFMT == S_IFDIR { throw .isDirectory }
            return try FileDescriptor(opening: path, O_WRONLY).writeAll(bytes)
        }
        let target = exists ? Directory.realPath(path) ?? path : path
        let contents = Contents(
            bytes: bytes, permissions: permissions, replaced: exists ? status.st_mode & 0o7777 : nil)
        try write(contents, in: PrivateFile.folder(of: target), to: target, withoutName: withoutName)
    }

    private static func write(
        _ contents: Contents, in folder: String, to target: String, withoutName: Bool
    ) throws(Errno) {
        let isWritten = withoutName ? try writeUnnamed(contents, in: folder, to: target) : false
        if !isWritten { try writeNamed(contents, in: folder, to: target) }
        // The new name must survive a power cut, too. Some file systems cannot synchronize a directory; the file is
        // complete in any case.
        if let opened = try? Directory.open(folder) { try? opened.synchronize() }
    }

    private struct Contents {
        var bytes: [UInt8]
        var permissions: mode_t
        /// Permissions of the file that is replaced.
        var replaced: mode_t?
        /// The user and group that get the file, before it has its name; nil for this user.
        var owner: (user: uid_t, group: gid_t)?

        /// Private until the file receives the permissions of the one it replaces.
        var creationMode: mode_t { replaced == nil ? permissions : 0o600 }

        func fill(_ file: borrowing FileDescriptor) throws(Errno) {
            let number = file.number
            try file.writeAll(bytes)
            if let owner { try file.give(to: owner) }
            if let replaced { try retryingOnInterrupt { fchmod(number, replaced) } }
            try file.synchronize()
        }
    }

    /// - Returns: false if the file system has no unnamed files or cannot name them.
    private static func writeUnnamed(
        _ contents: Contents, in folder: String, to target: String
    ) throws(Errno) -> Bool {
        let number = clinux_open_unnamed(folder, UInt32(contents.creationMode))
        // Any other problem with the directory shows in writeNamed, too.
        if number < 0 { return false }
        let file = FileDescriptor(owning: number)
        try contents.fill(file)
        if contents.replaced == nil, clinux_link(number, target) == 0 { return true }
        // A link replaces no file, so it gets a temporary name first. Without /proc it fails.
        let temporary = temporaryName(in: folder)
        if clinux_link(number, temporary) != 0 { return false }
        try rename(temporary, to: target)
        return true
    }

    private static func writeNamed(_ contents: Contents, in folder: String, to target: String) throws(Errno) {
        let temporary = temporaryName(in: folder)
        let file = try FileDescriptor(
            opening: temporary, O_WRONLY | O_CREAT | O_EXCL, permissions: contents.creationMode)
        do throws(Errno) { try contents.fill(file) } catch {
            unlink(temporary)
            throw error
        }
        try rename(temporary, to: target)
    }

    private static func rename(_ temporary: String, to target: String) throws(Errno) {
        do throws(Errno) { try Directory.rename(temporary, to: target) } catch {
            unlink(temporary)
            throw error
        }
    }

    /// A name in the same directory, which renaming needs; short, because a long name has no room for a suffix; random,
    /// because process ids repeat in containers, and a file left by a killed process would block the next.
    private static func temporaryName(in folder: String) -> String {
        folder + ".inkpanel." + String(UInt64.random(in: .min ... .max), radix: 16) + ".part"
    }
}
