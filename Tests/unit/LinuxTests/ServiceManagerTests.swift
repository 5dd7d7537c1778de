// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import TestSupport
import Testing

/// A datagram socket plays the service manager; `service-peer` (Tests/programs/ServicePeer), built beside the tests, is
/// the service.
@Suite("Service manager")
struct ServiceManagerTests {
    @Test("the manager receives every message, each as a datagram")
    func messages() throws {
        let manager = try ManagerSocket()
        let said = try run(
            ["ready", "waiting for a display", "ping", "stopping"], ["NOTIFY_SOCKET=\(manager.path)"])
        #expect(said == "watchdog none\n")
        #expect(try manager.received() == ["READY=1", "STATUS=waiting for a display", "WATCHDOG=1", "STOPPING=1"])
    }

    @Test("a status with line breaks is one message")
    func brokenStatus() throws {
        let manager = try ManagerSocket()
        _ = try run(["a\nWATCHDOG=trigger\r\nb"], ["NOTIFY_SOCKET=\(manager.path)"])
        #expect(try manager.received() == ["STATUS=a WATCHDOG=trigger b"])
    }

    @Test("without a manager messages are dropped silently")
    func nobody() throws {
        #expect(try run(["ready", "ping"], []) == "watchdog none\n")
    }

    @Test("an unreachable manager is a warning, not an error")
    func gone() throws {
        let said = try run(["ready"], ["NOTIFY_SOCKET=/nonexistent/socket"])
        #expect(said.contains("cannot send READY=1 to the service manager: No such file or directory"))
    }

    @Test("the watchdog's interval applies if it is meant for this process")
    func watchdog() throws {
        #expect(try run([], ["WATCHDOG_USEC=10000000"]) == "watchdog 10\n")
        // Meant for the test's own process.
        #expect(try run([], ["WATCHDOG_USEC=10000000", "WATCHDOG_PID=\(getpid())"]) == "watchdog none\n")
        #expect(try run([], ["WATCHDOG_USEC=18446744073709551614"]) == "watchdog none\n")
        let said = try run([], ["WATCHDOG_USEC=soon"])
        #expect(said.contains("no watchdog messages are sent"))
        #expect(said.contains("watchdog none"))
    }

    /// Runs the service and returns its output.
    private func run(_ arguments: [String], _ environment: [String]) throws -> String {
        let result = try ChildProgram.run(
            [try ChildProgram.path(of: "service-peer")] + arguments, environment: environment)
        #expect(result.status == 0, "\(result.output)")
        return result.output
    }
}

/// A socket that receives as systemd's does.
private final class ManagerSocket {
    private let directory: TemporaryDirectory
    private let socket: FileDescriptor
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/notify"
        let number = try retryingOnInterrupt { Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0) }
        socket = FileDescriptor(owning: number)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if result != 0 { throw Errno.current }
    }

    /// All waiting datagrams.
    func received() throws -> [String] {
        var messages: [String] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(socket.number, &buffer, buffer.count, CInt(MSG_DONTWAIT))
            if count < 0 { return messages }
            messages.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
    }
}
