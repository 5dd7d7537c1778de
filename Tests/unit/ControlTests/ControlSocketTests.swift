// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import TestSupport
import Testing

@testable import Control

@Suite("The socket and its access rule")
struct ControlSocketTests {
    private func error(_ path: String, group: ControlGroup? = nil) -> ControlSocketError? {
        thrownError { try ControlSocket.listen(path: path, group: group) } as? ControlSocketError
    }

    private func permissions(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test("the socket has the permissions of owner or group, and is removed at the end")
    func permissions() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/p.sock"
        do {
            let socket = try ControlSocket.listen(path: path, group: nil)
            #expect(permissions(path) == 0o600)
            #expect(try directory.names() == ["p.sock"])
            withExtendedLifetime(socket) {}
        }
        #expect(try directory.names() == [])
        let socket = try ControlSocket.listen(path: path, group: ControlGroup(number: getegid()))
        #expect(permissions(path) == 0o660)
        withExtendedLifetime(socket) {}
    }

    @Test("a stale socket is replaced; one in use is not")
    func stale() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/p.sock"
        do {
            // The file of a socket stays when it is closed.
            let dead = try LocalSocket.bind(to: path)
            try LocalSocket.listen(dead, backlog: 1)
        }
        #expect(try directory.names() == ["p.sock"])
        let socket = try ControlSocket.listen(path: path, group: nil)
        #expect(error(path) == .inUse(path))
        _ = try LocalSocket.connect(to: path)
        withExtendedLifetime(socket) {}
    }

    @Test("a file that replaced the socket is not removed at the end")
    func replaced() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/p.sock"
        do {
            let socket = try ControlSocket.listen(path: path, group: nil)
            unlink(path)
            try AtomicFile.write([1], to: path)
            withExtendedLifetime(socket) {}
        }
        #expect(try directory.names() == ["p.sock"])
    }

    @Test("impossible paths are errors, and leave no files")
    func impossible() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/file"
        try AtomicFile.write([1], to: file)
        #expect(error(file) == .notASocket(file))
        let below = directory.path + "/none/p.sock"
        #expect(error(below) == .noDirectory(path: below, directory: directory.path + "/none/"))
        #expect(error(file + "/p.sock") == .noDirectory(path: file + "/p.sock", directory: file + "/"))
        let long = directory.path + "/" + String(repeating: "p", count: 108 - directory.path.utf8.count - 1)
        #expect(error(long) == .pathTooLong(long))
        _ = try ControlSocket.listen(path: String(long.dropLast()), group: nil)
        #expect(try directory.names() == ["file"])
    }

    @Test("the peer is the kernel's")
    func peer() throws {
        let directory = try TemporaryDirectory()
        let socket = try ControlSocket.listen(path: directory.path + "/p.sock", group: nil)
        let client = try LocalSocket.connect(to: directory.path + "/p.sock")
        let server = try LocalSocket.accept(on: socket.descriptor)
        let peer = try LocalSocket.peer(of: server)
        var groups = [gid_t](repeating: 0, count: 65536)
        let count = getgroups(CInt(groups.count), &groups)
        #expect(peer == .init(process: getpid(), user: geteuid(), groups: Set(groups.prefix(Int(count)) + [getegid()])))
        withExtendedLifetime(client.number) {}
    }

    @Test("accept does not block without a connection")
    func nobody() throws {
        let directory = try TemporaryDirectory()
        let socket = try ControlSocket.listen(path: directory.path + "/p.sock", group: nil)
        var caught: Errno?
        do throws(Errno) { _ = try LocalSocket.accept(on: socket.descriptor) } catch { caught = error }
        #expect(caught == .wouldBlock)
    }
}
