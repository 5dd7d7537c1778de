// SPDX-License-Identifier: Apache-2.0
import ControlFixtures
import Formats
import Glibc
import HostAPI
import Linux
import Pad
import Record
import Store
import TestSupport

@testable import Control

/// A server with a pad and a scripted person, in a directory that is removed with the value.
final class TestPanel {
    let directory: TemporaryDirectory
    let path: String
    let pad: PadFixture
    let store: CaptureStore
    private var server: ControlServer?
    private var thread: Linux.Thread?

    init(limits: ControlLimits = ControlLimits(), painter: TestPainter? = nil) throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/panel.sock"
        store = try CaptureStore(at: directory.path + "/store")
        let link = try ControlLink()
        let pad = try PadFixture(link: link, store: store)
        self.pad = pad
        server = try ControlServer(
            socket: try ControlSocket.listen(path: path, group: nil), link: link, access: AccessRule(group: nil),
            worker: ArchiveWorker(store: store, export: RecordExport(captions: painter.map { $0.png })),
            info: ServiceInfo(version: "1"), limits: limits, log: Log(threshold: .error))
        thread = try Linux.Thread(name: "main") { try? pad.run() }
    }

    /// Ends pad and server, as the program does.
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

    /// Waits until the pad has received at least `count` events from hosts.
    func events(_ count: Int) throws -> [PadEvent] {
        for _ in 0..<3000 {
            let events = pad.events
            if events.count >= count { return events }
            usleep(10_000)
        }
        throw TimedOut()
    }

    struct TimedOut: Error {}

    /// Has the person sign.
    /// - Returns: the call for the file that the painter makes of the record.
    func callForFile() throws -> (method: String, parameters: String) {
        var client = try PanelClient(path: path)
        let call = CaptureCall(request: CaptureRequest(reason: "accept"), follows: true)
        let id = try client.capture(call) { _ in }.id
        return ("Get", "{\"id\":\"\(id)\",\"format\":\"png\",\"caption\":true}")
    }
}

/// Paints captions: files of any size that take as long as a test wants.
final class TestPainter: Sendable {
    private let byteCount: Int
    private let gate: EventSignal?
    private let started: EventSignal

    /// - Parameter waits: each file waits for one ``release()``.
    init(byteCount: Int = 1, waits: Bool = false) throws {
        self.byteCount = byteCount
        gate = waits ? try EventSignal(blocking: true) : nil
        started = try EventSignal(blocking: true)
    }

    @Sendable func png(
        _ picture: CapturePicture, _ record: CaptureRecord, _ isTransparent: Bool
    ) throws(CaptionError) -> [UInt8] {
        started.signal()
        gate?.wait()
        return [UInt8](repeating: 1, count: byteCount)
    }

    /// Waits until a file is being made.
    func waitForStart() { started.wait() }

    func release() { gate?.signal() }
}

/// A host that can send anything, also byte by byte.
final class RawHost {
    let socket: FileDescriptor
    private var received: [UInt8] = []

    init(path: String) throws {
        socket = try LocalSocket.connect(to: path)
        // So that a test fails instead of blocking.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket.number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket.number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// - Parameter bytes: with their terminators.
    func send(bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            rest = rest.dropFirst(try LocalSocket.send(rest, to: socket))
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
