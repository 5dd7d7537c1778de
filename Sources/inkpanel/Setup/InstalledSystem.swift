// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux

/// A change to one file of the system.
enum SystemChange: Equatable {
    /// - Parameter permissions: of a new file.
    case write(String, text: String, permissions: mode_t = 0o644)
    /// Makes a symbolic link.
    case link(String, to: String)
    case remove(String)

    var path: String {
        switch self {
        case .write(let path, _, _), .link(let path, _), .remove(let path): path
        }
    }
}

/// The files of a system that is set up: this one, or a copy in a directory. Paths begin with / there.
struct InstalledSystem {
    /// A boot folder's files are shorter by far.
    private static let largestFile = 1 << 20

    /// `/`, or the directory of the copy.
    let root: String

    /// Whether it is this machine's own.
    var isRunning: Bool { root == "/" }

    func exists(_ path: String) -> Bool { (try? Directory.contains(host(path))) == true }

    /// The target of a symbolic link; nil for anything else.
    func link(_ path: String) -> String? { Directory.linkTarget(host(path)) }

    /// The names in a directory; empty if it does not exist.
    func names(in path: String) -> [String] { (try? Directory.names(of: host(path))) ?? [] }

    /// Whether a file system of its own is mounted at a directory.
    func isMounted(_ path: String) -> Bool {
        var (here, above) = (stat(), stat())
        return stat(host(path), &here) == 0 && stat(host(parent(of: path)), &above) == 0 && here.st_dev != above.st_dev
    }

    /// The text of a file; nil if it does not exist.
    func text(_ path: String) throws(CommandError) -> String? {
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(try inside(path), maximumByteCount: Self.largestFile)
        } catch {
            if error == .noSuchFile || error == .notADirectory { return nil }
            throw .cannotRead(host(path), error)
        }
        guard let bytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw .unusableInput("\(host(path)) is no text: set it up by hand")
        }
        return text
    }

    func make(_ change: SystemChange) throws(CommandError) {
        do throws(Errno) {
            switch change {
            case .write(let path, let text, let permissions):
                try makeParents(of: path)
                let place = try inside(path)
                try AtomicFile.write(Array(text.utf8), to: place, permissions: permissions)
                try Directory.synchronizeParent(of: place)
            case .link(let path, let target):
                try makeParents(of: path)
                let place = try inside(path, followingLink: false)
                // A link takes another's place at once: without its time zone, a machine has none.
                let new = place + ".inkpanel"
                try? Directory.remove(new)
                try Directory.makeLink(new, to: target)
                defer { try? Directory.remove(new) }
                try Directory.rename(new, to: place)
                try Directory.synchronizeParent(of: place)
            case .remove(let path):
                let place = try inside(path, followingLink: false)
                try Directory.remove(place)
                // The directories are for such files only; one that is not empty stays.
                let folder = parent(of: path)
                if folder.hasSuffix(".d") || folder.hasSuffix(".wants") { try? Directory.removeEmpty(host(folder)) }
                try? Directory.synchronizeParent(of: place)
            }
        } catch {
            let remedy = error == .permissionDenied ? "; run it as root" : ""
            throw CommandError(
                message: "cannot change \(host(change.path)): \(error)\(remedy)",
                status: error == .permissionDenied ? EX_NOPERM : EX_CANTCREAT)
        }
    }

    private func host(_ path: String) -> String { root == "/" ? path : root + path }

    /// The place of a path on this machine. A link in a copy may lead out of it, to this machine's own files.
    private func inside(_ path: String, followingLink: Bool = true) throws(Errno) -> String {
        let place = host(path)
        if isRunning { return place }
        guard let top = Directory.realPath(root) else { throw .noSuchFile }
        let folder = Directory.realPath(host(parent(of: path)))
        let file = followingLink && link(path) != nil ? Directory.realPath(place) : nil
        for case .some(let found) in [folder, file] where found != top && !found.hasPrefix(top + "/") {
            throw Errno(code: ELOOP)
        }
        return place
    }

    private func makeParents(of path: String) throws(Errno) {
        var folder = ""
        for part in parent(of: path).split(separator: "/") {
            folder += "/" + part
            // `inside` refuses a link that leads out of a copy.
            if !exists(folder) { try Directory.make(try inside(folder), permissions: 0o755) }
        }
    }

    private func parent(of path: String) -> String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? "/" : String(path[..<end])
    }
}
