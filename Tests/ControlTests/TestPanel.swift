// SPDX-License-Identifier: Apache-2.0
@testable import Control
import ControlFixtures
import Glibc
import Linux
import Pad
import Store
import TestSupport

/// A server with a pad and a scripted person, in a directory that is removed with the value.
final class TestPanel {
    let directory: TemporaryDirectory
    let path: String
    let pad: PadFixture
    let store: CaptureStore
    private var server: ControlServer?
    private var thread: Linux.Thread?

    init(limits: ControlLimits = ControlLimits(), captions: (any CaptionPainter)? = nil) throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/panel.sock"
        store = try CaptureStore(at: directory.path + "/store")
        let link = try ControlLink()
        let pad = try PadFixture(link: link, store: store)
        self.pad = pad
        server = try ControlServer(
            socket: try ControlSocket.listen(path: path, group: nil), link: link, access: AccessRule(group: nil),
            clerk: ArchiveClerk(store: store, export: RecordExport(captions: captions)), info: ServiceInfo(version: "1"),
            limits: limits, log: Log(threshold: .error))
        thread = try Linux.Thread(name: "main") { try? pad.run() }
    }

    /// Ends both, as the program does.
    func stop() {
        pad.finish()
        thread.take()?.join()
        server.take()?.stop()
    }

    deinit {
        stop()
        for folder in ["/store/open", "/store/captures", "/store"] {
            for name in (try? Directory.names(of: directory.path + folder)) ?? [] {
                unlink(directory.path + folder + "/" + name)
            }
            rmdir(directory.path + folder)
        }
    }

    func host() throws -> RawHost { try RawHost(path: path) }

    /// Waits until the pad has received so many events from hosts.
    func events(_ count: Int) throws -> [PadEvent] {
        for _ in 0..<3000 {
            let events = pad.events
            if events.count >= count { return events }
            usleep(10_000)
        }
        throw TimedOut()
    }

    struct TimedOut: Error {}
}

/// A host that sends what it wants, byte by byte if need be.
final class RawHost {
    let socket: FileDescriptor
    private var received: [UInt8] = []

    init(path: String) throws {
        socket = try LocalSocket.connect(to: path)
        // Or a test that fails would wait for ever.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket.number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket.number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// With the ends that are in it.
    func send(bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let result: Result<Int, Errno> = rest.withUnsafeBytes { bytes in
                do throws(Errno) { return .success(try LocalSocket.send(bytes, to: socket)) } catch {
                    return .failure(error)
                }
            }
            rest = rest.dropFirst(try result.get())
        }
    }

    func send(_ messages: String...) throws { try send(bytes: messages.flatMap { Array($0.utf8) + [0] }) }

    func call(_ method: String, _ parameters: String = "{}", more: Bool = false, oneway: Bool = false) throws {
        try send(
            "{\"method\":\"org.inkpanel.Panel.\(method)\",\"parameters\":\(parameters),\"more\":\(more),"
                + "\"oneway\":\(oneway)}")
    }

    /// The next message; nil at the end of the connection.
    func next() throws -> String? {
        while true {
            if let end = received.firstIndex(of: 0) {
                defer { received.removeFirst(end + 1) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            var bytes = [UInt8](repeating: 0, count: 65536)
            let count = try socket.read(into: &bytes)
            if count == 0 { return nil }
            received += bytes[..<count]
        }
    }

    /// The next message that contains the text; skips others.
    func next(containing text: String) throws -> String? {
        while let message = try next() {
            if message.contains(text) { return message }
        }
        return nil
    }

    func endSending() throws { try LocalSocket.endWriting(to: socket) }
}
