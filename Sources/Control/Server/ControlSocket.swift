// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux

/// The socket that hosts connect to; removed when the value ends, unless the service manager has made it.
public final class ControlSocket: Sendable {
    /// Where it is when nobody says anything else.
    public static let defaultPath = "/run/inkpanel/panel.sock"
    /// More than connections are taken, so that a host that is one too many is told so.
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

    deinit {
        // By now it may be that of another program.
        if let file, Self.file(at: file.path) == file { try? Directory.remove(file.path) }
    }

    /// A socket at `path`, which only its owner and the group may connect to (0660). One that a program has left there
    /// that is no more is replaced. It appears under its name when it is ready.
    /// - Parameter group: nil: the owner only (0600).
    public static func listen(path: String, group: ControlGroup?) throws(ControlSocketError) -> ControlSocket {
        let directory = path.lastIndex(of: "/").map { path[...$0] } ?? "./"
        do throws(Errno) { _ = try Directory.open(String(directory)) } catch {
            switch error {
            case .noSuchFile, .notADirectory: throw .noDirectory(path: path, directory: String(directory))
            default: throw .failed(path: path, error)
            }
        }
        try refuseWhatIsThere(path)
        // A new one under another name, because a socket has its permissions only after it is there.
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
                // Whoever connects says so by the path.
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

    /// The socket that the service manager has made and passed to this process (sd_listen_fds(3)); nil when it has
    /// passed none. What it says is taken out of the environment, as it is not for processes started from here. Before
    /// any other thread.
    public static func inherited() throws(ControlSocketError) -> ControlSocket? {
        guard let process = getenv("LISTEN_PID").map({ String(cString: $0) }), let count = getenv("LISTEN_FDS")
        else { return nil }
        let text = String(cString: count)
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        guard process == "\(getpid())" else { return nil }
        guard text == "1" else { throw .inheritance("there are \(text) of them; one is wanted") }
        let descriptor: FileDescriptor?
        do throws(Errno) { descriptor = try LocalSocket.inherited(inheritedNumber) } catch {
            throw .inheritance("\(error)")
        }
        guard let descriptor else { throw .inheritance("it is no listening Unix stream socket") }
        return ControlSocket(descriptor, file: nil)
    }

    private static func refuseWhatIsThere(_ path: String) throws(ControlSocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
        do throws(Errno) {
            _ = try LocalSocket.connect(to: path, blocking: false)
        } catch {
            switch error {
            // Nobody listens any more, or it is gone by now.
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
            // -1: the owner stays.
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
