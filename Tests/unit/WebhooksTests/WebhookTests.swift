// SPDX-License-Identifier: Apache-2.0
import Configuration
import Foundation
import HostAPI
import JSON
import Linux
import TestSupport
import Testing

@testable import Webhooks

@Suite("Messages of webhooks, and their queue")
struct WebhookTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("a signature is that of the example of Standard Webhooks; each secret signs")
    func signature() {
        // https://www.standardwebhooks.com, the example of its libraries.
        let secret = [UInt8](Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")!)
        let body = Array(#"{"test": 2432232314}"#.utf8)
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        func signed(_ secrets: [[UInt8]]) -> String {
            WebhookMessage.signatures(
                id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: body, secrets: secrets)
        }
        #expect(signed([secret]) == expected)
        let both = signed([Array(repeating: 1, count: 24), secret]).split(separator: " ")
        #expect(both.count == 2 && both[1] == expected && both[0].hasPrefix("v1,") && both[0] != expected)
    }

    @Test("the messages of a capture have one subject, those of the panel another")
    func subjects() {
        let id = "20261127-080627-2fc94d3fe209ca2e"
        #expect(WebhookMessage.subject(ofID: "msg_ended-" + id) == WebhookMessage.subject(ofID: "msg_stored-" + id))
        #expect(WebhookMessage.subject(ofID: "msg_ended-" + id) == id)
        #expect(
            WebhookMessage.subject(ofID: "msg_fault-x-1") == WebhookMessage.subject(ofID: "msg_recovered-x-2"))
    }

    @Test("an accepted capture becomes the same messages from its event and from its record")
    func same() throws {
        let id = try #require(CaptureID("a-1"))
        var event = PanelEvent(number: 1, time: 2_000_000, kind: .ended)
        (event.id, event.outcome, event.data) = (id, .accepted, ["order": "1"])
        event.request = SignedRequest(CaptureRequest(prompt: ["p"], signer: "s"))
        let record = RecordSummary(
            id: id, outcome: .accepted, startedAt: 1, endedAt: 2_000_000,
            request: CaptureRequest(prompt: ["p"], signer: "s", data: ["order": "1"]), byteCount: 1, seal: nil,
            encrypted: nil)
        let (told, found) = (
            WebhookMessage.messages(of: event, panel: "n"), WebhookMessage.messages(of: record, panel: "n")
        )
        #expect(told.map(\.id) == found.map(\.id) && told.map(\.body) == found.map(\.body))
        #expect(told.map(\.fullBody) == found.map(\.fullBody) && told.map(\.event) == [.stored, .ended])
        #expect(!String(decoding: told[0].body, as: UTF8.self).contains("\"s\""))
        #expect(String(decoding: told[0].fullBody, as: UTF8.self).contains("\"signer\":\"s\""))
        let json = try JSONValue(told[1].body)
        #expect(json["type"]?.text == "capture.ended" && json["timestamp"]?.text == "1970-01-01T00:00:02Z")
    }

    @Test("a file's name says what it is, and other files are left out")
    func names() throws {
        let item = WebhookQueue.Item(number: 7, queuedAt: 9, id: "msg_ended-a-1")
        #expect(item.name == "000000000007.9.msg_ended-a-1.json" && WebhookQueue.Item(item.name) == item)
        for name in [
            "", "x", ".inkpanel.1.part", "1.2.msg_a-1", "1.2.msg_a-1.jsonx", "-1.2.msg_a-1.json", "1.x.msg_a-1.json",
            "1.2.a.json", "1.2.msg_a/b.json", "9223372036854775807.2.msg_a-1.json",
        ] {
            #expect(WebhookQueue.Item(name) == nil, "\(name)")
        }
        let queue = WebhookQueue(state: directory.path, name: "erp")
        try queue.make(in: directory.path)
        try queue.add(item, [1, 2])
        try queue.add(WebhookQueue.Item(number: 3, queuedAt: 9, id: "msg_ended-a-2"), [3])
        try directory.write("queues/erp/waiting/junk", [1])
        #expect(try queue.items(.waiting).map(\.number) == [3, 7])
        #expect(try queue.body(of: item) == [1, 2])
        try queue.move(item, to: .failed)
        #expect(try queue.items(.waiting).map(\.number) == [3] && queue.items(.failed) == [item])
        let again = try queue.requeue("msg_ended-a-1") { WebhookQueue.Item(number: 9, queuedAt: 10, id: $0) }
        #expect(again?.number == 9)
        #expect(try queue.items(.failed) == [])
        #expect(try queue.requeue("msg_other") { WebhookQueue.Item(number: 10, queuedAt: 10, id: $0) } == nil)
    }

    @Test("2xx is delivered, 410 ends, some statuses mean that nobody is there")
    func statuses() {
        #expect([200, 204, 299].allSatisfy { WebhookPost.result(of: $0) == .delivered })
        #expect(WebhookPost.result(of: 410) == .gone)
        for status in [0, 100, 301, 307, 400, 404, 500] {
            #expect(WebhookPost.result(of: status) == .refused(status: status))
        }
        for status in [429, 502, 503, 504] {
            guard case .unreachable = WebhookPost.result(of: status) else {
                Issue.record("\(status)")
                continue
            }
        }
    }

    @Test("a receiver says when to come again, in seconds or as a date; what is neither says nothing")
    func retryAfter() {
        func seconds(_ text: String) -> Double { WebhookPost.seconds(ofRetryAfter: text, now: 784_111_777) }
        #expect(seconds("120") == 120 && seconds("0") == 0)
        #expect(seconds("Sun, 06 Nov 1994 08:50:37 GMT") == 60)
        #expect(seconds("Sun, 06 Nov 1994 08:49:00 GMT") == 0)
        for text in ["", " ", "-1", "1e9", "inf", "nan", "0x10", "soon", "Sun, 06 Nov 1994", "%header{retry-after}"] {
            #expect(seconds(text) == 0, "\(text)")
        }
    }

    @Test("the clock of a queue goes on where it was, and survives a damaged file")
    func clock() throws {
        let path = directory.path
        try directory.write("clock", Array("5000".utf8))
        let clock = WebhookClock(state: path, haste: 1)
        #expect(5000...5005 ~= clock.seconds)
        clock.keep()
        #expect(5000...5010 ~= WebhookClock(state: path, haste: 1).seconds)
        for text in ["", "x", "-5", "99999999999999999999"] {
            try directory.write("clock", Array(text.utf8))
            #expect(WebhookClock(state: path, haste: 1).seconds >= 0)
        }
    }

    @Test("a command is a file, which is taken once; others stay")
    func requests() throws {
        let path = directory.path
        #expect(WebhookRequest.take(in: path).isEmpty)
        try PrivateFile.makeDirectory(WebhookRequest.folder(in: path))
        try WebhookRequest(id: "msg_ended-a-1", webhook: "erp").put(in: path)
        try WebhookRequest(id: "msg_ended-a-2", webhook: nil).put(in: path)
        try WebhookRequest(id: nil, webhook: "erp").put(in: path)
        try directory.write("requests/send.no", [])
        let taken = WebhookRequest.take(in: path)
        #expect(taken.map(\.id) == [nil, "msg_ended-a-1", "msg_ended-a-2"])
        #expect(taken.map(\.webhook) == ["erp", "erp", nil])
        #expect(WebhookRequest.take(in: path).isEmpty)
        #expect(try Directory.names(of: WebhookRequest.folder(in: path)) == ["send.no"])
    }
}
