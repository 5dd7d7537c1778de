// SPDX-License-Identifier: Apache-2.0
import ControlFixtures
import Geometry
import Glibc
import HostAPI
import Linux
import PNG
import Pad
import Raster
import Record
import Store
import TestSupport
import Testing

@testable import Control

/// Real sockets, and the real pad with a scripted person.
@Suite("The server")
struct ControlServerTests {
    @Test("GetInfo and GetInterfaceDescription")
    func info() throws {
        let panel = try TestPanel()
        let host = try panel.host()
        try host.send(#"{"method":"org.varlink.service.GetInfo"}"#)
        #expect(
            try host.next()
                == #"{"parameters":{"interfaces":["org.varlink.service","org.inkpanel.Panel"],"product":"inkpanel","#
                + #""url":"","vendor":"Inkpanel","version":"1"}}"#)
        try host.send(#"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"a.b"}}"#)
        #expect(
            try host.next()
                == #"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":"a.b"}}"#)
    }

    @Test("a capture with progress leaves a record")
    func capture() throws {
        let panel = try TestPanel()
        let host = try panel.host()
        try host.call("Capture", #"{"prompt":["Bitte"],"reason":"accept"}"#, more: true)
        var states: [String] = []
        var last = ""
        while let message = try host.next() {
            last = message
            states.append(String(message.components(of: "\"state\":\"").last!.prefix { $0 != "\"" }))
            if !message.contains("\"continues\":true") { break }
        }
        #expect(states == ["signing", "signing", "signing", "saving", "ended"])
        #expect(last.contains(#""outcome":{"result":"accepted"}"#))
        // The connection can be used again.
        try host.call("List")
        let list = try #require(try host.next())
        #expect(list.contains(#""prompt":["Bitte"]"#) && list.contains(#""unreadable":[]"#))
        #expect(try panel.store.count() == 1)
    }

    @Test("without more only the end is sent")
    func quiet() throws {
        let panel = try TestPanel()
        let host = try panel.host()
        try host.call("Capture", #"{"reason":"accept"}"#)
        let message = try #require(try host.next())
        #expect(message.contains(#""state":"ended""#) && !message.contains("continues"))
    }

    @Test("a second capture is Busy, or waits")
    func busy() throws {
        let panel = try TestPanel()
        let (first, second, third) = (try panel.host(), try panel.host(), try panel.host())
        try first.call("Capture", #"{"prompt":["Sign"]}"#, more: true)
        let started = try #require(try first.next())
        let id = String(started.components(of: "\"id\":\"").last!.prefix { $0 != "\"" })
        try second.call("Capture", #"{"prompt":["Sign"]}"#)
        #expect(try second.next() == "{\"error\":\"org.inkpanel.Panel.Busy\",\"parameters\":{\"id\":\"\(id)\"}}")
        try third.call("Capture", #"{"wait":true,"reason":"cancel"}"#, more: true)
        #expect(try third.next()?.contains("waiting") == true)
        try second.call("Cancel", "{\"id\":\"\(id)\"}")
        #expect(try second.next() == #"{"parameters":{}}"#)
        #expect(try first.next()?.contains(#""outcome":{"by":"host","result":"cancelled"}"#) == true)
        #expect(try third.next()?.contains("signing") == true)
        #expect(try third.next()?.contains(#""by":"person""#) == true)
    }

    @Test("failed calls have the errors of the interface")
    func refusals() throws {
        let panel = try TestPanel()
        let host = try panel.host()
        try host.call("Capture", #"{"reason":"tiny"}"#)
        #expect(try host.next() == #"{"error":"org.inkpanel.Panel.TooSmallScreen","parameters":{"field":"reason"}}"#)
        try host.call("Accept")
        #expect(try host.next() == #"{"error":"org.inkpanel.Panel.NotRunning","parameters":{}}"#)
        try host.call("Get", #"{"id":"a","format":"png"}"#)
        #expect(try host.next() == #"{"error":"org.inkpanel.Panel.NoSuchCapture","parameters":{"id":"a"}}"#)
        try host.call("Delete", #"{"id":"a"}"#)
        #expect(try host.next() == #"{"error":"org.inkpanel.Panel.NoSuchCapture","parameters":{"id":"a"}}"#)
        try host.call("Watch")
        #expect(try host.next() == #"{"error":"org.varlink.service.ExpectedMore","parameters":{}}"#)
    }

    @Test("pipelined calls get their replies in order, however they are cut")
    func pipelined() throws {
        let panel = try TestPanel()
        let host = try panel.host()
        var sent: [UInt8] = []
        for number in 0..<300 {
            let call =
                switch number % 4 {
                case 0: "{\"method\":\"org.inkpanel.Panel.Cancel\"}"
                case 1:
                    #"{"method":"org.inkpanel.Panel.Get","parameters":{"id":"n\#(number)","format":"csv"}}"#
                case 2: "{\"method\":\"none.M\(number)\"}"
                // Gets no reply.
                default: "{\"method\":\"org.inkpanel.Panel.Status\",\"oneway\":true}"
                }
            sent += Array(call.utf8) + [0]
        }
        var random = SeededGenerator(seed: 3)
        while !sent.isEmpty {
            let count = min(sent.count, Int.random(in: 1...400, using: &random))
            try host.send(bytes: Array(sent[..<count]))
            sent.removeFirst(count)
        }
        try host.endSending()
        for number in 0..<300 where number % 4 != 3 {
            let answer = try #require(try host.next())
            switch number % 4 {
            case 0: #expect(answer.contains("NotRunning"))
            case 1: #expect(answer.contains("\"n\(number)\""))
            default: #expect(answer.contains("InterfaceNotFound"))
            }
        }
        // The host has ended sending, and gets its replies before the connection ends.
        #expect(try host.next() == nil)
    }

    @Test("a capture is cancelled when its host disconnects, but not when it only stops sending")
    func gone() throws {
        let panel = try TestPanel()
        do {
            let host = try panel.host()
            try host.call("Capture", #"{"prompt":["Sign"]}"#, more: true)
            _ = try host.next()
        }
        let events = try panel.events(2)
        guard case .call(let call, .capture, _) = events[0] else { throw TestPanel.TimedOut() }
        #expect(events[1] == .hostGone(call))
        let host = try panel.host()
        try host.call("Capture", #"{"reason":"sign"}"#, more: true)
        try host.endSending()
        _ = try host.next(containing: #""strokes":2"#)
        let other = try panel.host()
        try other.call("Accept")
        #expect(try other.next() == #"{"parameters":{}}"#)
        #expect(try host.next()?.contains("saving") == true)
        #expect(try host.next()?.contains("accepted") == true)
        #expect(try host.next() == nil)
        #expect(panel.pad.events.count == 4)
    }

    @Test("a oneway call is carried out, also if its host disconnects at once")
    func oneway() throws {
        let panel = try TestPanel()
        let signing = try panel.host()
        try signing.call("Capture", #"{"prompt":["Sign"]}"#, more: true)
        _ = try signing.next()
        do {
            let host = try panel.host()
            try host.call("Cancel", oneway: true)
        }
        #expect(try signing.next()?.contains("cancelled") == true)
    }

    @Test(
        "a malformed message gets an error and ends that connection only",
        arguments: ["", "{", "[]", "GET / HTTP/1.1\r\n", "{\"method\":1}", "\u{1}"])
    func malformed(text: String) throws {
        let panel = try TestPanel()
        let (host, other) = (try panel.host(), try panel.host())
        try host.send(text, #"{"method":"org.varlink.service.GetInfo"}"#)
        #expect(try host.next()?.contains("org.inkpanel.Panel.MalformedMessage") == true)
        #expect(try host.next() == nil)
        try other.send(#"{"method":"org.varlink.service.GetInfo"}"#)
        #expect(try other.next()?.contains("inkpanel") == true)
    }

    @Test("a message that is too long is refused before its terminator, with a reason")
    func endless() throws {
        let panel = try TestPanel()
        let host = try panel.host()
        let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 50_000)
        // More than all buffers: the server must read and discard what follows the refusal.
        for _ in 0..<40 { try? host.send(bytes: chunk) }
        #expect(try host.next()?.contains("more than 65536 bytes") == true)
        let other = try panel.host()
        try other.call("Status")
        #expect(try other.next()?.contains("Test Pad") == true)
    }

    @Test("a host that does not read progress is disconnected, and its capture cancelled")
    func slowReader() throws {
        let panel = try TestPanel()
        let slow = try panel.host()
        try slow.call("Capture", #"{"reason":"scribble"}"#, more: true)
        let other = try panel.host()
        var call: CallID?
        for _ in 0..<3000 {
            // Meanwhile others get replies.
            try other.call("Status")
            #expect(try other.next()?.contains("Test Pad") == true)
            let events = panel.pad.events
            if case .call(let id, .capture, _)? = events.first, events.contains(.hostGone(id)) {
                call = id
                break
            }
            usleep(10_000)
        }
        #expect(call != nil)
        // The messages that were sent before can be read; none is final.
        var messages = 0
        while let message = try? slow.next() {
            messages += 1
            #expect(message.contains("\"continues\":true"))
        }
        #expect(messages > 100)
        try other.call("Capture", #"{"reason":"accept"}"#)
        #expect(try other.next()?.contains("accepted") == true)
    }

    @Test("a host that does not read its reply is disconnected, and others get theirs")
    func stalledReader() throws {
        var limits = ControlLimits()
        limits.stall = .milliseconds(300)
        let panel = try TestPanel(limits: limits)
        let maker = try panel.host()
        try maker.call(
            "Capture",
            #"{"reason":"accept","prompt":["\#(String(repeating: "x", count: 4000))"],"#
                + #""shows":{"prompt":false}}"#)
        let ended = try #require(try maker.next())
        let id = String(ended.components(of: "\"id\":\"").last!.prefix { $0 != "\"" })
        let slow = try panel.host()
        // The replies exceed the socket's buffer.
        let get = #"{"method":"org.inkpanel.Panel.Get","parameters":{"id":"\#(id)","format":"png","dpi":1200}}"#
        try slow.send(bytes: (0..<200).flatMap { _ in Array(get.utf8) + [0] })
        var answers = 0
        while true {
            try maker.call("List")
            if try maker.next()?.contains(id) == true { answers += 1 }
            if answers == 3 { break }
        }
        // POLLHUP is seen without reading.
        var request = pollfd(fd: slow.socket.number, events: 0, revents: 0)
        #expect(poll(&request, 1, 30_000) == 1)
        var got = 0
        while (try? slow.next()) != nil { got += 1 }
        #expect(got < 200)
    }

    @Test("Status and Cancel do not wait for an export")
    func notBehindFiles() throws {
        let painter = try TestPainter(waits: true)
        // The server's end waits for the export.
        defer { painter.release() }
        let panel = try TestPanel(painter: painter)
        let file = try panel.callForFile()
        let (waiting, host, signing) = (try panel.host(), try panel.host(), try panel.host())
        try waiting.call(file.method, file.parameters)
        painter.waitForStart()
        try signing.call("Capture", #"{"prompt":["Sign"]}"#, more: true)
        #expect(try signing.next()?.contains("signing") == true)
        try host.call("Status")
        let status = try #require(try host.next())
        #expect(status.contains("\"page\":\"signing\"") && status.contains("\"captures\":1"))
        try host.call("Cancel")
        #expect(try host.next() == #"{"parameters":{}}"#)
        #expect(try signing.next()?.contains("cancelled") == true)
        painter.release()
        #expect(try waiting.next()?.contains("base64") == true)
    }

    @Test("List and Status do not wait for hosts that do not read their files")
    func notBehindReaders() throws {
        var limits = ControlLimits()
        limits.userReplyBytes = 0
        let panel = try TestPanel(limits: limits, painter: try TestPainter(byteCount: 1 << 20))
        let file = try panel.callForFile()
        let (slow, host) = (try panel.host(), try panel.host())
        try slow.call(file.method, file.parameters)
        // The first part of its reply has come.
        var request = pollfd(fd: slow.socket.number, events: Int16(POLLIN), revents: 0)
        #expect(poll(&request, 1, 30_000) == 1)
        for method in ["List", "Status"] {
            try host.call(method)
            #expect(try host.next()?.hasPrefix("{\"parameters\"") == true)
        }
        // The same user's next export is made when the first one was read.
        try host.call(file.method, file.parameters)
        #expect(try slow.next()?.contains("base64") == true)
        #expect(try host.next()?.contains("base64") == true)
    }

    @Test("a host that reads its reply too slowly is disconnected, although it never stops")
    func slowFileReader() throws {
        var limits = ControlLimits()
        limits.stall = .milliseconds(300)
        limits.rate = 1 << 40
        let panel = try TestPanel(limits: limits, painter: try TestPainter(byteCount: 16 << 20))
        let file = try panel.callForFile()
        let slow = try panel.host()
        try slow.call(file.method, file.parameters)
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var total = 0
        while let count = try? slow.socket.read(into: &bytes), count > 0 {
            total += count
            usleep(20_000)
        }
        #expect(total > 1 << 16 && total < 16 << 20)
    }

    @Test("a connection without a call is closed; one that watches is not")
    func silence() throws {
        var limits = ControlLimits()
        limits.silence = .milliseconds(300)
        let panel = try TestPanel(limits: limits)
        let (watcher, caller) = (try panel.host(), try panel.host())
        try watcher.call("Watch", more: true)
        _ = try watcher.next()
        try caller.call("Status")
        _ = try caller.next()
        let (silent, half) = (try panel.host(), try panel.host())
        #expect(try silent.next() == nil)
        // An incomplete call does not count.
        try? half.send(bytes: Array("{".utf8))
        #expect((try? half.next()) == nil)
        try caller.call("Capture", #"{"reason":"accept"}"#)
        #expect(try caller.next()?.contains("accepted") == true)
        #expect(try watcher.next(containing: "\"page\":\"signing\"") != nil)
    }

    @Test("a connection that is idle after a call is closed later")
    func idle() throws {
        var limits = ControlLimits()
        limits.idle = .milliseconds(300)
        let panel = try TestPanel(limits: limits)
        let (watcher, caller) = (try panel.host(), try panel.host())
        try watcher.call("Watch", more: true)
        _ = try watcher.next()
        try caller.call("Status")
        _ = try caller.next()
        #expect(try caller.next() == nil)
        let other = try panel.host()
        try other.call("Capture", #"{"reason":"accept"}"#)
        #expect(try other.next()?.contains("accepted") == true)
        #expect(try watcher.next(containing: "\"page\":\"signing\"") != nil)
    }

    @Test("the longest idle connection makes room for another of its user")
    func room() throws {
        var limits = ControlLimits()
        limits.userConnections = 3
        limits.spare = .zero
        let panel = try TestPanel(limits: limits)
        var hosts: [RawHost] = []
        for method in ["Watch", "Status", "Status"] {
            let host = try panel.host()
            try host.call(method, more: true)
            _ = try host.next()
            hosts.append(host)
            // One is idle longer.
            usleep(5000)
        }
        let late = try panel.host()
        try late.call("Status")
        #expect(try late.next()?.contains("Test Pad") == true)
        #expect(try hosts[1].next() == nil)
        try hosts[2].call("Capture", #"{"reason":"accept"}"#)
        #expect(try hosts[2].next()?.contains("accepted") == true)
        #expect(try hosts[0].next(containing: "\"page\":\"signing\"") != nil)
    }

    @Test("connections are limited, and refused ones get a reason")
    func many() throws {
        let panel = try TestPanel()
        var hosts: [RawHost] = []
        var (answered, refused, closed) = (0, 0, 0)
        for _ in 0..<100 {
            let host = try panel.host()
            hosts.append(host)
            // This may fail for a connection that is closed already. Its reason is there to read.
            try? host.send(#"{"method":"org.varlink.service.GetInfo"}"#)
            switch try? host.next() {
            case let message? where message.contains("TooManyConnections"): refused += 1
            case let message? where message.contains("inkpanel"): answered += 1
            default: closed += 1
            }
        }
        // All belong to one user.
        #expect(answered == 16)
        #expect(refused == 84 && closed == 0, "even when more than 16 are being refused")
        hosts.removeLast(hosts.count - 10)
        // There is room again when the server has seen the ends.
        for _ in 0..<1000 {
            let host = try panel.host()
            try? host.send(#"{"method":"org.varlink.service.GetInfo"}"#)
            if let message = try? host.next(), message.contains("vendor") { return }
            usleep(10_000)
        }
        Issue.record("nobody is let in any more")
    }

    @Test("Screenshots are taken one after the other; a host that leaves delays no other")
    func screenshots() throws {
        let panel = try TestPanel()
        var hosts = try (0..<12).map { _ in try panel.host() }
        for host in hosts { try host.call("Screenshot") }
        // The first one and others.
        for index in [0, 2, 7] { hosts[index] = try panel.host() }
        for index in [0, 2, 7] { try hosts[index].call("Screenshot") }
        for host in hosts {
            let reply = try #require(try host.next())
            #expect(reply.hasPrefix(#"{"parameters":{"mediaType":"image/png","base64":"iVBORw0KGgo"#))
        }
        // One for each reply, and at most one for each host that left.
        let taken = panel.pad.events.count { if case .call(_, .screenshot, _) = $0 { true } else { false } }
        #expect(12...15 ~= taken)
        var client = try PanelClient(path: panel.path)
        let picture = try PNGDecoder.decode(try client.screenshot())
        #expect(picture.size == PixelSize(width: 800, height: 480) && Set(picture.pixels) == [0xFFFF_FFFF])
    }

    @Test("Watch replies at once and at each change")
    func watch() throws {
        let panel = try TestPanel()
        let (watcher, host) = (try panel.host(), try panel.host())
        try watcher.call("Watch", more: true)
        let first = try #require(try watcher.next())
        #expect(first.contains("\"continues\":true") && first.contains("\"page\":\"idle\""))
        #expect(first.contains("\"captures\":0") && !first.contains("fault"))
        try host.call("Capture", #"{"reason":"accept"}"#)
        // The layout of the page is the first change; each stroke is one, too.
        for page in ["idle", "signing", "signing", "signing", "saving", "thanks"] {
            #expect(try watcher.next()?.contains("\"page\":\"\(page)\"") == true, "\(page)")
        }
        let last = try #require(try watcher.next())
        #expect(last.contains("\"page\":\"idle\"") && last.contains("\"captures\":1"))
    }

    @Test("stop closes all connections after the replies that wait")
    func stop() throws {
        let panel = try TestPanel()
        let (idle, signing) = (try panel.host(), try panel.host())
        try signing.call("Capture", #"{"prompt":["Sign"]}"#, more: true)
        _ = try signing.next()
        panel.stop()
        #expect(try idle.next() == nil)
        #expect(try signing.next() == nil)
        var refusal: PanelClientError?
        do throws(PanelClientError) { _ = try PanelClient(path: panel.path) } catch { refusal = error }
        #expect(refusal == .notRunning(path: panel.path))
    }
}

extension String {
    fileprivate func components(of separator: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        return parts + [rest]
    }
}
