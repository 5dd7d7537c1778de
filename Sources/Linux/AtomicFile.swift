// SPDX-License-Identifier: Apache-2.0
import CLinux
public import Glibc

/// Writing a file so that a reader, a crash or a full disk never sees half of it.
public enum AtomicFile {
    /// Writes `bytes` to a file without a name in the folder of `path`, forces them to the medium and gives the file
    /// its name. On an error nothing is left behind and an earlier file is untouched. Something at `path` that is no
    /// regular file (a terminal, a pipe, /dev/null) is written directly, because renaming would replace it.
    ///
    /// A process that is killed leaves nothing, or, where the file system has no files without names (O_TMPFILE) or at
    /// the moment when an earlier file is replaced, a `.inkpanel.RANDOM.part` that is in nobody's way.
    /// - Parameter permissions: of a new file, less the umask; only its owner may read it by default, because most of
    ///   what is written is somebody's signature. A file that is replaced hands its permissions on, and a symbolic
    ///   link keeps pointing where it did.
    public static func write(_ bytes: [UInt8], to path: String, permissions: mode_t = 0o600) throws(Errno) {
        try write(bytes, to: path, permissions: permissions, withoutName: true)
    }

    /// - Parameter withoutName: whether to try the way that leaves nothing behind.
    static func write(
        _ bytes: [UInt8], to path: String, permissions: mode_t, withoutName: Bool
    ) throws(Errno) {
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT != S_IFREG {
            if status.st_mode & S_IFMT == S_IFDIR { throw .isDirectory }
            return try FileDescriptor(opening: path, O_WRONLY).writeAll(bytes)
        }
        let target = exists ? resolved(path) : path
        let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? "./"
        let contents = Contents(
            bytes: bytes, permissions: permissions, replaced: exists ? status.st_mode & 0o7777 : nil)
        let isWritten = withoutName ? try writeUnnamed(contents, in: folder, to: target) : false
        if !isWritten { try writeNamed(contents, in: folder, to: target) }
        // The new name must survive a power cut too. Some file systems cannot synchronize a folder; the file is whole
        // in any case.
        if let opened = try? FileDescriptor(opening: folder, O_RDONLY | O_DIRECTORY) { try? opened.synchronize() }
    }

    private struct Contents {
        var bytes: [UInt8]
        var permissions: mode_t
        /// Permissions of the file that is replaced.
        var replaced: mode_t?

        /// Not readable by others until it has the permissions of the file that it replaces.
        var creationMode: mode_t { replaced == nil ? permissions : 0o600 }

        func fill(_ file: borrowing FileDescriptor) throws(Errno) {
            let number = file.number
            try file.writeAll(bytes)
            if let replaced { try retryingOnInterrupt { fchmod(number, replaced) } }
            try file.synchronize()
        }
    }

    /// - Returns: false where the file system has no files without names, or they cannot be given one.
    private static func writeUnnamed(
        _ contents: Contents, in folder: String, to target: String
    ) throws(Errno) -> Bool {
        let number = clinux_open_unnamed(folder, UInt32(contents.creationMode))
        // Whatever else is wrong with the folder, the other way finds it, too.
        if number < 0 { return false }
        let file = FileDescriptor(owning: number)
        try contents.fill(file)
        if contents.replaced == nil, clinux_link(number, target) == 0 { return true }
        // A link replaces nothing. Without /proc there is none at all.
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

    /// Short and in the same folder: a long name has no room for a suffix, and only there can it be renamed. Random,
    /// because process ids are the same in every container, and so what a killed process has left would be in the way
    /// of the next.
    private static func temporaryName(in folder: String) -> String {
        folder + ".inkpanel." + String(UInt64.random(in: .min ... .max), radix: 16) + ".part"
    }

    /// Where a path with symbolic links leads; the path itself if that cannot be told.
    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}
