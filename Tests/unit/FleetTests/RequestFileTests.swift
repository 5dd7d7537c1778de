// SPDX-License-Identifier: Apache-2.0
import Evidence
import Glibc
import HostAPI
import JSON
import Linux
import TestSupport
import Testing

@testable import Fleet

@Suite("Requests on disk")
struct RequestFileTests {
    private let fixture: SessionFixture
    private var path: String { fixture.directory.path + "/requests" }

    init() throws { fixture = try SessionFixture() }

    private func write(_ text: String) throws {
        try fixture.directory.write("requests", Array(text.utf8))
        chmod(path, 0o600)
    }

    @Test("damaged lines are left out, others are used")
    func damaged() throws {
        let digest = try FleetRequest(
            Array(#"{"key":"order-4711","until":1,"parameters":{"prompt":["x"]}}"#.utf8), from: FleetName("host-erp")!
        ).digest
        try write(
            """
            ask host-erp order-4711 \(digest) \(SessionFixture.start)
            end host-erp order-4711 {"state":"ended", "x":1}
            ask host-erp order-4712 zz 1
            began host-erp order-4711
            end HOST order-4711 {}
            ask host-erp order-4713 \(digest) -9223372036854775808
            nonsense
            began host-erp order-0000 \(SessionFixture.capture)
            ask host-erp order-torn
            """)
        fixture.restart()
        #expect(fixture.ask("order-4711").answers == [["state": "ended", "x": 1]])
        #expect(fixture.ask("order-4712").calls.count == 1)
    }

    @Test("a file that cannot be used stays as it is, and requests are refused with the reason")
    func unusable() throws {
        try write("x")
        chmod(path, 0o666)
        fixture.restart()
        let refused = fixture.ask()
        #expect(refused.error == "NotKept" && refused.answers[0]["parameters"]?["reason"]?.text?.contains(path) == true)
        #expect(try InputFile.read(path, maximumByteCount: 100) == Array("x".utf8))
    }

    @Test("a key that cannot be written shows no page")
    func full() throws {
        try Directory.removeEmpty(fixture.directory.path)
        #expect(fixture.ask().error == "NotKept")
        #expect(fixture.ask().calls.isEmpty)
    }

    @Test("a host whose requests the panel refuses does not fill the file")
    func refused() throws {
        for number in 0..<1500 { _ = fixture.refuse(fixture.ask("order-\(number)").call, .busy(with: nil)) }
        let lines = try #require(try InputFile.read(path, maximumByteCount: 1 << 20)).count { $0 == UInt8(ascii: "\n") }
        #expect(lines < 2100, "\(lines)")
    }

    @Test("requests that are cancelled at once, under invented names, keep no other host out, also after a restart")
    func invented() throws {
        let limit = 100
        fixture.restart(limit: limit)
        func end(_ number: Int, _ outcome: CaptureOutcome, host: String) throws {
            fixture.pass(1)
            let call = fixture.ask("request-\(number)", host: host).call
            try #require(call >= 0, "\(number)")
            _ = try fixture.answer(call, CaptureReply(id: SessionFixture.capture, state: .ended(outcome)))
        }
        for number in 0..<10 { try end(number, .accepted, host: "host-erp") }
        for number in 0..<limit + 50 {
            try end(number, [.cancelled(by: .host), .timedOut(.total)][number % 2], host: "host-x\(number)")
        }
        for round in 0..<2 {
            // What a person has signed is known, and so is what was cancelled last; others have lost their places.
            #expect(fixture.ask("request-9", host: "host-erp").answers.first?["outcome"]?["result"]?.text == "accepted")
            #expect(fixture.ask("request-149", host: "host-x149").answers.count == 1)
            #expect(fixture.ask("request-\(round)", host: "host-x\(round)").calls.count == 1)
            #expect(fixture.ask("request-1\(round)", host: "host-erp").calls.count == 1)
            fixture.restart(limit: limit)
        }
        // Those that were signed hold theirs.
        for number in 10..<limit {
            let call = fixture.ask("another-\(number)", host: "host-erp").call
            if call < 0 {
                #expect(number > limit / 3)
                #expect(fixture.ask("another-\(number)", host: "host-crm").calls.count == 1)
                return
            }
            _ = try fixture.answer(call, CaptureReply(id: SessionFixture.capture, state: .ended(.accepted)))
        }
        Issue.record("a host has all places")
    }

    @Test("hosts that the configuration does not name are not served")
    func named() throws {
        fixture.restart(hosts: [FleetName("host-erp")!])
        #expect(fixture.ask("order-4711", host: "host-x").isEmpty)
        #expect(fixture.receive("status", [:], host: "host-x").isEmpty)
        #expect(fixture.session.counts.ignored == 2)
        #expect(fixture.ask("order-4711", host: "host-erp").calls.count == 1)
    }

    @Test("the file stays short, and a day later its keys are forgotten")
    func short() throws {
        for round in 0..<3 {
            for number in 0..<200 {
                let call = fixture.ask("order-\(round)-\(number)").call
                let reply = CaptureReply(id: SessionFixture.capture, state: .ended(.cancelled(by: .person)))
                _ = try fixture.answer(call, reply)
            }
            fixture.pass(86_401)
        }
        let lines = try #require(try InputFile.read(path, maximumByteCount: 1 << 20)).count { $0 == UInt8(ascii: "\n") }
        #expect(lines < 1300, "\(lines)")
        #expect(fixture.ask("order-0-0").calls.count == 1)
    }
}
