// SPDX-License-Identifier: Apache-2.0
import Evidence
import HostAPI
import JSON
import Testing

@testable import Fleet

@Suite("Topics and payloads")
struct TopicTests {
    private let panel = FleetName("panel-1")!
    private let host = FleetName("host-erp")!

    @Test("a name has 1 to 64 lower-case letters, digits and -")
    func names() {
        for text in ["a", "panel-1", "0", String(repeating: "x", count: 64)] {
            #expect(FleetName(text)?.description == text)
        }
        for text in ["", "Panel", "a/b", "+", "#", "a b", "ä", "a.b", String(repeating: "x", count: 65)] {
            #expect(FleetName(text) == nil, "\(text)")
        }
    }

    @Test("topics are those of docs/fleet.md")
    func texts() {
        #expect(Topic.status.text(of: panel) == "inkpanel/v1/panel-1/status")
        #expect(Topic.info.text(of: panel) == "inkpanel/v1/panel-1/info")
        #expect(Topic.delivery.text(of: panel) == "inkpanel/v1/panel-1/delivery")
        #expect(Topic.response(host).text(of: panel) == "inkpanel/v1/panel-1/response/host-erp")
        #expect(Topic.captureEvent.text(of: panel) == "inkpanel/v1/panel-1/event/capture")
        #expect(Topic.requests(to: panel) == "inkpanel/v1/panel-1/request/+")
        #expect(Topic.method("inkpanel/v1/panel-1/request/cancel", of: panel) == .cancel)
        for other in ["inkpanel/v1/panel-2/request/cancel", "inkpanel/v1/panel-1/request/delete", "request/cancel", ""]
        {
            #expect(Topic.method(other, of: panel) == nil)
        }
    }

    @Test("an answer goes to a response topic of this panel only")
    func responses() {
        #expect(Topic.host(ofResponses: "inkpanel/v1/panel-1/response/host-erp", of: panel) == host)
        for other in [
            "inkpanel/v1/panel-2/response/host-erp", "inkpanel/v1/panel-1/status", "inkpanel/v1/panel-1/response/",
            "inkpanel/v1/panel-1/response/a/b", "inkpanel/v1/panel-1/response/+", "inkpanel/v1/panel-1/response/#",
            "$SYS/x", "",
        ] {
            #expect(Topic.host(ofResponses: other, of: panel) == nil, "\(other)")
        }
    }

    @Test("a request has a key, a time and parameters, and its digest is the same for the same parameters")
    func request() throws {
        func read(_ text: String) throws -> FleetRequest { try FleetRequest(Array(text.utf8), from: host) }
        let one = try read(#"{"key":"order-4711","until":5,"parameters":{"signer":"A","prompt":["x"]}}"#)
        #expect(one.key == RequestKey(host, "order-4711") && one.until == 5)
        let other = try read(#"{"until":6.0,"parameters":{"prompt":["x"],"signer":"A"},"key":"order-4711"}"#)
        #expect(one.digest == other.digest && other.until == 6)
        let third = try read(#"{"until":6,"parameters":{"prompt":["y"],"signer":"A"},"key":"order-4711"}"#)
        #expect(one.digest != third.digest)
        #expect(try read(#"{"until":6,"key":"order-4711"}"#).parameters == [:])
    }

    @Test(
        "a wrong payload is refused with what is wrong",
        arguments: [
            ("", "MalformedMessage"), ("[]", "MalformedMessage"), ("{", "MalformedMessage"),
            ("\u{FEFF}{}", "MalformedMessage"), (#"{"until":1}"#, "key"), (#"{"key":"short","until":1}"#, "key"),
            (#"{"key":"with space","until":1}"#, "key"), (#"{"key":"line\nbreak","until":1}"#, "key"),
            (#"{"key":12345678,"until":1}"#, "key"), (#"{"key":"order-4711"}"#, "until"),
            (#"{"key":"order-4711","until":"1"}"#, "until"), (#"{"key":"order-4711","until":-1}"#, "until"),
            (#"{"key":"order-4711","until":1.5}"#, "until"),
            (#"{"key":"order-4711","until":9223372036854775807}"#, "until"),
            (#"{"key":"order-4711","until":1,"parameters":[]}"#, "parameters"),
            (#"{"key":"order-4711","until":1,"extra":1}"#, "extra"),
        ])
    func wrong(payload: String, named: String) {
        do throws(PanelError) {
            _ = try FleetRequest(Array(payload.utf8), from: host)
            Issue.record("accepted \(payload)")
        } catch {
            switch error {
            case .malformedMessage: #expect(named == "MalformedMessage", "\(payload): \(error)")
            case .invalidParameter(let name, _): #expect(name == named, "\(payload)")
            default: Issue.record("\(error)")
            }
        }
    }
}
