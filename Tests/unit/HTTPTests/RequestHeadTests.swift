// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import Testing

@testable import HTTP

@Suite("The head of a request")
struct RequestHeadTests {
    /// - Parameter text: lines, as one literal.
    private func head(_ text: String) throws -> RequestHead {
        try RequestHead(lines: text.split(separator: "\n").map { Array($0.utf8)[...] })
    }

    /// The name of the problem for which a request is refused, whether or not its headers can be read.
    private func refusal(_ text: String) -> String? {
        do { return try head(text).problem?.name.rawValue } catch { return (error as? Problem)?.name.rawValue }
    }

    @Test("method, address, query and headers are read as they were sent")
    func request() throws {
        let head = try head("POST /v1/captures/a%2Fb?x=1?2 HTTP/1.1\nHost: pad\nPrefer: a\nPREFER:\tb \nX-Other: 1")
        #expect(head.method == "POST")
        #expect(head.target.path() == "/v1/captures/a%2Fb")
        #expect(head.target.query() == "x=1?2")
        #expect(head.headers.values(for: HTTPHeader("prefer")) == ["a", "b"])
        #expect(head.headers[HTTPHeader("x-other")] == nil)
        #expect(head.problem == nil)
        #expect(!head.isLast)
        #expect(head.body == .length(0))
    }

    @Test(
        "what two readers could take for different requests is refused",
        arguments: [
            "get / HTTP/1.1", "GET /", "GET  / HTTP/1.1", "GET / HTTP/1.1 ", "GET\t/ HTTP/1.1", " GET / HTTP/1.1",
            "GET / http/1.1", "G-T / HTTP/1.1", "GET http://localhost/ HTTP/1.1", "GET /a#b HTTP/1.1",
            "GET /%zz HTTP/1.1", "GET /%4 HTTP/1.1", "GET /a\\b HTTP/1.1", "GET /\u{e4} HTTP/1.1", "PRI * HTTP/2.0",
            "GET / HTTP/1.1\n Host: a", "GET / HTTP/1.1\nHost : a", "GET / HTTP/1.1\n: a", "GET / HTTP/1.1\nnonsense",
            "GET / HTTP/1.1\nX A: 1", "GET / HTTP/1.1\nX-A: 1\rX-B: 2", "GET / HTTP/1.1\nX-A: a\u{0}b",
            "GET / HTTP/1.1\nX-A: a\u{7f}", "GET / HTTP/1.1\nContent-Length: 1\nContent-Length: 1",
            "GET / HTTP/1.1\nAuthorization: a\nauthorization: a",
        ])
    func malformed(_ text: String) { #expect(refusal(text) == "bad-request") }

    @Test(
        "a body has one length that all readers understand",
        arguments: [
            ("Content-Length: 12", nil), ("Content-Length: 0", nil), ("Transfer-Encoding: CHUNKED", nil),
            ("Content-Length: +2", "bad-request"), ("Content-Length: -2", "bad-request"),
            ("Content-Length: 2, 2", "bad-request"), ("Content-Length:", "bad-request"),
            ("Content-Length: 0x2", "bad-request"), ("Content-Length: \u{0662}", "bad-request"),
            ("Content-Length: 9999999999999999999", "bad-request"),
            ("Content-Length: 2\nTransfer-Encoding: chunked", "bad-request"),
            ("Transfer-Encoding: gzip, chunked", "not-implemented"), ("Transfer-Encoding: cow", "not-implemented"),
            ("Transfer-Encoding: chunked\nTransfer-Encoding: chunked", "bad-request"),
            ("Expect: 200-maybe\nContent-Length: 2", "unknown-expectation"),
        ] as [(String, String?)])
    func framing(_ headers: String, _ problem: String?) { #expect(refusal("POST / HTTP/1.1\n" + headers) == problem) }

    @Test("lengths, codings, expectations and the end of the connection are understood")
    func framingValues() throws {
        #expect(try head("POST / HTTP/1.1\nContent-Length: 0012").body == .length(12))
        #expect(try head("POST / HTTP/1.1\nTransfer-Encoding: chunked").body == .chunked)
        #expect(try head("POST / HTTP/1.1\nExpect: 100-Continue\nContent-Length: 2").expectsContinue)
        #expect(try !head("POST / HTTP/1.1\nExpect: 100-continue").expectsContinue, "nothing would come")
        #expect(try head("GET / HTTP/1.1\nConnection: keep-alive\t, Close").isLast)
    }

    @Test(
        "the only version is HTTP/1.1", arguments: ["HTTP/1.0", "HTTP/9.9", "HTTP/1.1.1", "HTTP/11"])
    func version(_ version: String) throws { #expect(try head("GET / \(version)").problem == .wrongVersion) }

    @Test("addresses and headers of the API have limits, and headers that it does not have none of these")
    func limits() throws {
        func long(_ count: Int) -> String { String(repeating: "a", count: count) }
        #expect(try head("GET /\(long(1023)) HTTP/1.1").problem == nil)
        #expect(try head("GET /\(long(1024)) HTTP/1.1").problem == .addressTooLong)
        #expect(try head("GET / HTTP/1.1\nAuthorization: \(long(2048))").problem == nil)
        #expect(try head("GET / HTTP/1.1\nAuthorization: \(long(2049))").problem == .headersTooLarge)
        #expect(try head("GET / HTTP/1.1\nX-Other: \(long(8000))").problem == nil)
        let items = String(repeating: "a,", count: 60)
        #expect(try head("GET / HTTP/1.1\nPrefer: \(items)").problem == nil)
        #expect(try head("GET / HTTP/1.1\nPrefer: \(items)\nConnection: \(items)").problem == .headersTooLarge)
    }

    @Test("a refused request keeps the headers that say who may read the refusal")
    func refusedHeaders() throws {
        let head = try head("GET / HTTP/1.0\nHost: pad\nOrigin: https://till.example")
        #expect(head.headers[HTTPHeader("Origin")] == "https://till.example")
        let empty = [Array("GET / HTTP/1.1".utf8)[...], Array("Host:\t ".utf8)[...]]
        #expect(try RequestHead(lines: empty).headers.values(for: .host) == [""])
    }
}

@Suite("What a client prefers")
struct PreferencesTests {
    @Test(
        "a wait is honoured",
        arguments: [
            "wait=\"20\"", "Wait = 20", "respond-async, wait=20", "wait=20;foo=bar", "wait=20, wait=0",
            "a=\"b, wait=0\", wait=20", "a=\"\\\", wait=0\"\t,\twait=20", ", ,wait=20", "a=b,wait=20",
        ])
    func wait(_ header: String) { #expect(Preferences(header).wait(atMost: 60) == 20) }

    @Test(
        "a wait that cannot be honoured is none",
        arguments: [
            "", "wait=0", "wait=-1", "wait=x", "wait", "wait=", "wait=\"\"", "wait=1.5", "wait=+9", "a; wait=9",
            "a=\"b, wait=9\"", "wait=0, wait=9", "return=minimal", "\"wait=9", "=", "wait=\u{0669}",
        ])
    func noWait(_ header: String) { #expect(Preferences(header).wait(atMost: 60) == nil) }

    @Test("a wait is never longer than the gateway's limit")
    func longest() {
        #expect(Preferences("wait=61").wait(atMost: 60) == 60)
        #expect(Preferences("wait=99999999999999999999").wait(atMost: 60) == 60)
    }

    @Test("values keep their case and lose their quotes")
    func values() {
        let preferences = Preferences("Return = \"A \\\"b\\\" \\\\\"; x, empty")
        #expect(preferences["return"] == "A \"b\" \\")
        #expect(preferences["empty"] == "")
        #expect(preferences["x"] == nil)
    }
}
