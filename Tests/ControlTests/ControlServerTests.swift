// SPDX-License-Identifier: Apache-2.0
@testable import Control
import ControlFixtures
import Glibc
import Linux
import Pad
import Record
import Store
import Testing
import TestSupport


/// Real sockets, a panel that is scripted.
@Suite("The service", .timeLimit(.minutes(2)))
struct ControlServerTests {
    @Test("what the service is")
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

    @Test("a capture from its call to its record, told on the way")
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
        // The connection goes on.
        try host.call("List")
        let list = try #require(try host.next())
        #expect(list.contains(#""prompt":["Bitte"]"#) && list.contains(#""unreadable":[]"#))
        #expect(try panel.store.count() == 1)
    }

    @Test("a host that does not ask for more is told the end only")
    func quiet() throws {
        let panel = try TestPanel()
        let host = try panel.host()
        try host.call("Capture", #"{"reason":"accept"}"#)
        let message = try #require(try host.next())
        #expect(message.contains(#""state":"ended""#) && !message.contains("continues"))
    }

    @Test("one capture at a time: the second is told which runs, or waits")
    func busy() throws {
        let panel = try TestPanel()
        let (first, second, third) = (try panel.host(), try panel.host(), try panel.host())
        try first.call("Capture", more: true)
        let started = try #require(try first.next())
        let id = String(started.components(of: "\"id\":\"").last!.prefix { $0 != "\"" })
        try second.call("Capture")
        #expect(try second.next() == "{\"error\":\"org.inkpanel.Panel.Busy\",\"parameters\":{\"id\":\"\(id)\"}}")
        try third.call("Capture", #"{"wait":true,"reason":"cancel"}"#, more: true)
        #expect(try third.next()?.contains("waiting") == true)
        try second.call("Cancel", "{\"id\":\"\(id)\"}")
        #expect(try second.next() == #"{"parameters":{}}"#)
        #expect(try first.next()?.contains(#""outcome":{"by":"host","result":"cancelled"}"#) == true)
        #expect(try third.next()?.contains("signing") == true)
        #expect(try third.next()?.contains(#""by":"person""#) == true)
    }

    @Test("the panel's refusals have their errors")
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

    @Test("calls that are sent ahead are answered in their order, however they are cut")
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
                // No answer at all.
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
        // A host that has said its last word gets its answers, and then the end.
        #expect(try host.next() == nil)
    }

    @Test("a host that goes during its capture takes it along; one that only stops sending does not")
    func gone() throws {
        let panel = try TestPanel()
        do {
            let host = try panel.host()
            try host.call("Capture", more: true)
            _ = try host.next()
        }
        let events = try panel.events(2)
        guard case .call(let call, .capture) = events[0] else { throw TestPanel.TimedOut() }
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

    @Test("a call without an answer is done, also when its host has gone at once")
    func oneway() throws {
        let panel = try TestPanel()
        let signing = try panel.host()
        try signing.call("Capture", more: true)
        _ = try signing.next()
        do {
            let host = try panel.host()
            try host.call("Cancel", oneway: true)
        }
        #expect(try signing.next()?.contains("cancelled") == true)
    }

    @Test(
        "what is no call is answered with an error, and ends that connection only",
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

    @Test("a message without an end is refused when it is too long, and its sender hears why")
    func endless() throws {
        let panel = try TestPanel()
        let host = try panel.host()
        let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 50_000)
        // Longer than any buffer between us: what comes after the refusal is read, and thrown away.
        for _ in 0..<40 { try? host.send(bytes: chunk) }
        #expect(try host.next()?.contains("more than 65536 bytes") == true)
        let other = try panel.host()
        try other.call("Status")
        #expect(try other.next()?.contains("Test Pad") == true)
    }

    @Test("a host that follows and does not read is left, and the capture goes with it")
    func slowReader() throws {
        let panel = try TestPanel()
        let slow = try panel.host()
        try slow.call("Capture", #"{"reason":"scribble"}"#, more: true)
        let other = try panel.host()
        var call: CallID?
        for _ in 0..<3000 {
            // Others are answered meanwhile.
            try other.call("Status")
            #expect(try other.next()?.contains("Test Pad") == true)
            let events = panel.pad.events
            if case .call(let id, .capture)? = events.first, events.contains(.hostGone(id)) {
                call = id
                break
            }
            usleep(10_000)
        }
        #expect(call != nil)
        // What it was sent before is there, and has no end.
        var messages = 0
        while let message = try? slow.next() {
            messages += 1
            #expect(message.contains("\"continues\":true"))
        }
        #expect(messages > 100)
        try other.call("Capture", #"{"reason":"accept"}"#)
        #expect(try other.next()?.contains("accepted") == true)
    }

    @Test("a host that takes nothing of its answer is left after a while, and others get theirs")
    func stalledReader() throws {
        var limits = ControlLimits()
        limits.stall = 300
        let panel = try TestPanel(limits: limits)
        let maker = try panel.host()
        try maker.call("Capture", #"{"reason":"accept","prompt":["\#(String(repeating: "x", count: 4000))"],"#
                + #""shows":{"prompt":false}}"#)
        let ended = try #require(try maker.next())
        let id = String(ended.components(of: "\"id\":\"").last!.prefix { $0 != "\"" })
        let slow = try panel.host()
        // More than sockets hold, in answers that come one after the other.
        let get = #"{"method":"org.inkpanel.Panel.Get","parameters":{"id":"\#(id)","format":"png","dpi":1200}}"#
        try slow.send(bytes: (0..<200).flatMap { _ in Array(get.utf8) + [0] })
        var answers = 0
        while true {
            try maker.call("List")
            if try maker.next()?.contains(id) == true { answers += 1 }
            if answers == 3 { break }
        }
        // The end of the connection, which is seen without reading anything.
        var request = pollfd(fd: slow.socket.number, events: 0, revents: 0)
        #expect(poll(&request, 1, 30_000) == 1)
        var got = 0
        while let _ = try? slow.next() { got += 1 }
        #expect(got < 200)
    }

    @Test("status and cancel do not wait for a file that is being made")
    func notBehindFiles() throws {
        let painter = try TestPainter(waits: true)
        // A panel does not end before its files are made.
        defer { painter.release() }
        let panel = try TestPanel(painter: painter)
        let file = try panel.callForFile()
        let (waiting, host, signing) = (try panel.host(), try panel.host(), try panel.host())
        try waiting.call(file.method, file.parameters)
        painter.waitForStart()
        try signing.call("Capture", more: true)
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

    @Test("list and status do not wait for hosts that do not take their files")
    func notBehindReaders() throws {
        var limits = ControlLimits()
        limits.userReplyBytes = 0
        let panel = try TestPanel(limits: limits, painter: try TestPainter(byteCount: 1 << 20))
        let file = try panel.callForFile()
        let (slow, host) = (try panel.host(), try panel.host())
        try slow.call(file.method, file.parameters)
        // Its answer has begun to come.
        var request = pollfd(fd: slow.socket.number, events: Int16(POLLIN), revents: 0)
        #expect(poll(&request, 1, 30_000) == 1)
        for method in ["List", "Status"] {
            try host.call(method)
            #expect(try host.next()?.hasPrefix("{\"parameters\"") == true)
        }
        // Of the same user is a file, which is made when the other one was taken.
        try host.call(file.method, file.parameters)
        #expect(try slow.next()?.contains("base64") == true)
        #expect(try host.next()?.contains("base64") == true)
    }

    @Test("a host that takes its answer slowly is left, though it never stops taking")
    func slowFileReader() throws {
        var limits = ControlLimits()
        limits.stall = 300
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

    @Test("a connection on which nothing is called ends after a while; one that follows does not")
    func silence() throws {
        var limits = ControlLimits()
        limits.silence = 300
        let panel = try TestPanel(limits: limits)
        let (watcher, caller) = (try panel.host(), try panel.host())
        try watcher.call("Watch", more: true)
        _ = try watcher.next()
        try caller.call("Status")
        _ = try caller.next()
        let (silent, half) = (try panel.host(), try panel.host())
        #expect(try silent.next() == nil)
        // A part of a call is none.
        try? half.send(bytes: Array("{".utf8))
        #expect((try? half.next()) == nil)
        try caller.call("Capture", #"{"reason":"accept"}"#)
        #expect(try caller.next()?.contains("accepted") == true)
        #expect(try watcher.next(containing: "\"page\":\"signing\"") != nil)
    }

    @Test("a connection is kept between calls, and not for ever")
    func idle() throws {
        var limits = ControlLimits()
        limits.idle = 300
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

    @Test("the connection that is idle longest makes room for another of its user")
    func room() throws {
        var limits = ControlLimits()
        limits.userConnections = 3
        limits.spare = 0
        let panel = try TestPanel(limits: limits)
        var hosts: [RawHost] = []
        for method in ["Watch", "Status", "Status"] {
            let host = try panel.host()
            try host.call(method, more: true)
            _ = try host.next()
            hosts.append(host)
            // So that one is idle longer.
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

    @Test("as many connections as are allowed, and a reason for those that are not")
    func many() throws {
        let panel = try TestPanel()
        var hosts: [RawHost] = []
        var (answered, refused, closed) = (0, 0, 0)
        for _ in 0..<100 {
            let host = try panel.host()
            hosts.append(host)
            // One that was closed without a word may be found so at any of these.
            try? host.send(#"{"method":"org.varlink.service.GetInfo"}"#)
            switch try? host.next() {
            case let message? where message.contains("TooManyConnections"): refused += 1
            case let message? where message.contains("inkpanel"): answered += 1
            default: closed += 1
            }
        }
        // All are of one user.
        #expect(answered == 16)
        #expect(refused >= 16 && refused + closed == 84)
        hosts.removeLast(hosts.count - 10)
        // There is room again as soon as the ends were noticed.
        for _ in 0..<1000 {
            let host = try panel.host()
            try? host.send(#"{"method":"org.varlink.service.GetInfo"}"#)
            if let message = try? host.next(), message.contains("vendor") { return }
            usleep(10_000)
        }
        Issue.record("nobody is let in any more")
    }

    @Test("to watch is to be told at once and at each change")
    func watch() throws {
        let panel = try TestPanel()
        let (watcher, host) = (try panel.host(), try panel.host())
        try watcher.call("Watch", more: true)
        let first = try #require(try watcher.next())
        #expect(first.contains("\"continues\":true") && first.contains("\"page\":\"idle\""))
        #expect(first.contains("\"captures\":0") && !first.contains("fault"))
        try host.call("Capture", #"{"reason":"accept"}"#)
        // First that the page is being laid out, then each stroke, too.
        for page in ["idle", "signing", "signing", "signing", "saving", "thanks"] {
            #expect(try watcher.next()?.contains("\"page\":\"\(page)\"") == true, "\(page)")
        }
        let last = try #require(try watcher.next())
        #expect(last.contains("\"page\":\"idle\"") && last.contains("\"captures\":1"))
    }

    @Test("the end of the panel is the end of all connections, after what was answered before")
    func stop() throws {
        let panel = try TestPanel()
        let (idle, signing) = (try panel.host(), try panel.host())
        try signing.call("Capture", more: true)
        _ = try signing.next()
        panel.stop()
        #expect(try idle.next() == nil)
        #expect(try signing.next() == nil)
        var refusal: ControlClientError?
        do throws(ControlClientError) { _ = try ControlClient(path: panel.path) } catch { refusal = error }
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
