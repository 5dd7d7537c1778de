// SPDX-License-Identifier: Apache-2.0
public import Glibc

/// Files that decide what a program trusts: keys, tokens, who owns what. Another user who can change such a file, or
/// put a link in its place, could make the program use or give away any file that it can read.
public enum PrivateFile {
    /// The whole file, or nil if it has more than `maximumByteCount` bytes.
    /// - Parameter forbidden: permissions that the file must not have; by default all of group and others.
    /// - Throws: ``PrivateFileError``, also for a link, for a file with a second name or of another kind, and for one
    ///   of another user than this one, root and, if this is root, the owner of the directory.
    public static func read(
        _ path: String, maximumByteCount: Int, forbidden: mode_t = 0o077
    ) throws(PrivateFileError) -> [UInt8]? {
        let result: Result<[UInt8]?, PrivateFileError>
        do throws(Errno) {
            // Non-blocking: opening a FIFO would wait for its writer.
            let file = try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
            if let fault = fault(of: try file.status(), at: path, forbidden) {
                result = .failure(.refused(path, fault))
            } else {
                result = .success(try InputFile.read(file, maximumByteCount: maximumByteCount))
            }
        } catch {
            let isLink = error == Errno(code: ELOOP)
            throw isLink ? .refused(path, "is a link; put the file itself there") : .failed(path, error)
        }
        return try result.get()
    }

    /// The fault of a file and its remedy; nil for a good file.
    private static func fault(of status: stat, at path: String, _ forbidden: mode_t) -> String? {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: return "is a directory; remove it"
        default: return "is not a regular file; remove it"
        }
        if status.st_nlink > 1 { return "has a second name (a hard link); replace it by a copy" }
        if ![0, geteuid()].contains(status.st_uid), status.st_uid != ownerForRoot(ofFilesIn: folder(of: path))?.user {
            return "belongs to the user \(status.st_uid), who could change it; "
                + (geteuid() == 0 ? "run this as that user, or chown it to root" : "chown it to \(geteuid())")
        }
        return exposure(status, forbidden)
    }

    /// How others can read or change a file that the user has named, such as a key for reading; nil if they cannot.
    public static func exposure(of path: String) -> String? {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? exposure(status, 0o077) : nil
    }

    private static func exposure(_ status: stat, _ forbidden: mode_t) -> String? {
        status.st_mode & forbidden == 0
            ? nil : "can be read or changed by others (mode \(String(status.st_mode & 0o7777, radix: 8))); chmod 600"
    }

    /// Creates a directory that only its owner can read, unless there is one already. Root's in the directory of
    /// another user becomes that user's.
    /// - Returns: whether it was created.
    /// - Throws: ``PrivateFileError``, also for a link that another user than this one and root has made: files would
    ///   be written wherever it leads.
    @discardableResult
    public static func makeDirectory(_ path: String) throws(PrivateFileError) -> Bool {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, ![0, geteuid()].contains(status.st_uid) {
            throw .refused(path, "is a link that the user \(status.st_uid) has made; put the directory itself there")
        }
        do throws(Errno) {
            guard try Directory.make(path, permissions: 0o700) else { return false }
            if let owner = ownerForRoot(ofFilesIn: folder(of: path)) {
                try FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).give(to: owner)
            }
            return true
        } catch {
            throw .failed(path, error)
        }
    }

    /// Whether a directory belongs to this user or root.
    public static func isOwnDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && [0, geteuid()].contains(status.st_uid)
    }

    /// The folder of a path, with a slash at its end.
    public static func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./" }

    /// Whom files belong to that root makes or reads in a directory; nil if this is not root or it is root's directory.
    static func ownerForRoot(ofFilesIn folder: String) -> (user: uid_t, group: gid_t)? {
        var status = stat()
        guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return nil }
        return (status.st_uid, status.st_gid)
    }
}

/// Why a private file is not used.
public enum PrivateFileError: Error, Equatable, Sendable, CustomStringConvertible {
    case failed(String, Errno)
    /// The path, and the fault with its remedy as a predicate.
    case refused(String, String)

    /// The error, after the path.
    public var description: String {
        switch self {
        case .failed(let path, let error): "\(path): \(error)"
        case .refused(let path, let fault): "\(path) \(fault)"
        }
    }

    /// Whether there is no such file.
    public var isMissing: Bool {
        if case .failed(_, .noSuchFile) = self { true } else { false }
    }
}
