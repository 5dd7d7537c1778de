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
