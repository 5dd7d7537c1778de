// SPDX-License-Identifier: Apache-2.0
import Glibc
public import Linux

/// The socket that hosts connect to. It is removed with the value, unless the service manager has made it.
public final class ControlSocket: Sendable {
    /// More than are served, so that the others get an error.
    private static let backlog: CInt = 64
    /// SD_LISTEN_FDS_START of sd-daemon(3).
    private static let inheritedNumber: CInt = 3

    private struct File: Equatable {
        var path: String
        var device: dev_t
        var number: ino_t
    }

    let descriptor: FileDescriptor
    private let file: File?

    private init(_ descriptor: consuming FileDescriptor, file: File?) {
        self.descriptor = descriptor
        self.file = file
    }

    /// Readable when a client waits.
    public var number: CInt { descriptor.number }

    /// Accepts the next client, as a non-blocking socket, for another server than ``ControlServer``.
    /// - Returns: nil for a client whose user may not use the panel; its connection is closed.
    /// - Throws: ``Errno/wouldBlock`` if no client waits.
    public func accept(by access: AccessRule, _ log: Log) throws(Errno) -> FileDescriptor? {
        let client = try LocalSocket.accept(on: descriptor)
        let peer = try LocalSocket.peer(of: client)
        if access.role(of: peer) != nil { return client }
        access.noteRefusal(of: peer, log)
        return nil
    }

    deinit {
        // Another program may have replaced it.
        if let file, Self.file(at: file.path) == file { try? Directory.remove(file.path) }
    }

    /// Creates a socket at `path` to which its owner and the group may connect (0660), and replaces one that no process
    /// listens on. It appears under its name when it is ready.
    /// - Parameter group: nil for the owner only (0600).
    public static func listen(path: String, group: ControlGroup?) throws(ControlSocketError) -> ControlSocket {
        let directory = path.lastIndex(of: "/").map { path[...$0] } ?? "./"
        do throws(Errno) { _ = try Directory.open(String(directory)) } catch {
            switch error {
            case .noSuchFile, .notADirectory: throw .noDirectory(path: path, directory: String(directory))
            default: throw .failed(path: path, error)
            }
        }
        try checkIsFree(path)
        // Under another name first, because permissions can be set only after it exists.
        let temporary = "\(directory).inkpanel.\(getpid()).sock"
        unlink(temporary)
        let socket: FileDescriptor
        do throws(Errno) { socket = try LocalSocket.bind(to: temporary) } catch {
            throw error == .nameTooLong ? .pathTooLong(path) : .failed(path: path, error)
        }
        do throws(ControlSocketError) {
            try share(temporary, group)
            do throws(Errno) {
                try LocalSocket.listen(socket, backlog: backlog)
                // Clients connect by this path.
                if path.utf8.count > 107 { throw .nameTooLong }
                try Directory.rename(temporary, to: path)
            } catch {
                throw error == .nameTooLong ? .pathTooLong(path) : .failed(path: path, error)
            }
        } catch {
            unlink(temporary)
            throw error
        }
        return ControlSocket(socket, file: file(at: path))
    }

    /// The socket that the service manager has passed to this process (sd_listen_fds(3)), if any. Removes its
    /// environment variables, so that child processes do not use them. To be called before other threads start.
    public static func inherited() throws(ControlSocketError) -> ControlSocket? {
        guard let process = getenv("LISTEN_PID").map({ String(cString: $0) }), let count = getenv("LISTEN_FDS")
        else { return nil }
        let text = String(cString: count)
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        guard process == "\(getpid())" else { return nil }
        guard text == "1" else { throw .inheritance("expected one, found \(text)") }
        let descriptor: FileDescriptor?
        do throws(Errno) { descriptor = try LocalSocket.inherited(inheritedNumber) } catch {
            throw .inheritance("\(error)")
        }
        guard let descriptor else { throw .inheritance("it is not a listening Unix stream socket") }
        return ControlSocket(descriptor, file: nil)
    }

    private static func checkIsFree(_ path: String) throws(ControlSocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
        do throws(Errno) {
            _ = try LocalSocket.connect(to: path, blocking: false)
        } catch {
            switch error {
            // No process listens, or it has just been removed.
            case .connectionRefused, .noSuchFile: return
            case .wouldBlock: break
            case .nameTooLong: throw .pathTooLong(path)
            default: throw .failed(path: path, error)
            }
        }
        throw .inUse(path)
    }

    private static func share(_ path: String, _ group: ControlGroup?) throws(ControlSocketError) {
        do throws(Errno) {
            try retryingOnInterrupt { chmod(path, 0o600) }
            guard let group else { return }
            // -1 keeps the owner.
            try retryingOnInterrupt { lchown(path, uid_t.max, group.number) }
            try retryingOnInterrupt { chmod(path, 0o660) }
        } catch {
            throw .cannotGive(path: path, error)
        }
    }

    private static func file(at path: String) -> File? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return File(path: path, device: status.st_dev, number: status.st_ino)
    }
}

/// Why there is no socket.
public enum ControlSocketError: Error, Equatable, Sendable, CustomStringConvertible {
    case noDirectory(path: String, directory: String)
    /// An address has 107 bytes for a path.
    case pathTooLong(String)
    /// The file is something else.
    case notASocket(String)
    /// Another program listens there.
    case inUse(String)
    case noSuchGroup(String)
    case noSuchUser(String)
    case cannotGive(path: String, Errno)
    case failed(path: String, Errno)
    /// The service manager has passed something else than a socket that listens.
    case inheritance(String)

    public var description: String {
        switch self {
        case .noDirectory(let path, let directory):
            "cannot create the socket \(path): there is no directory \(directory); create it, or have systemd "
                + "create it (RuntimeDirectory=), or name another --socket"
        case .pathTooLong(let path): "the path \(path) is too long for a socket; name a shorter --socket"
        case .notASocket(let path): "\(path) exists and is not a socket; remove it or name another --socket"
        case .inUse(let path): "another program listens on \(path): is inkpanel running already?"
        case .noSuchGroup(let name): "there is no group \(name); create it, or name another in the configuration"
        case .noSuchUser(let name): "there is no user \(name); create it, or name another in the configuration"
        case .cannotGive(let path, let error):
            "cannot give the socket \(path) to its group: \(error); the panel's user must be a member of the group"
        case .failed(let path, let error): "cannot create the socket \(path): \(error)"
        case .inheritance(let reason): "the socket from the service manager cannot be used: \(reason)"
        }
    }
}
