// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import Testing

@testable import HTTP

@Suite("The body of a request")
struct RequestBodyTests {
    private func read(
        _ header: String, _ bytes: some Sequence<UInt8>, _ rule: BodyRule = .call
    ) async throws -> String {
        let head = try RequestHead(lines: ["POST / HTTP/1.1", header].map { Array($0.utf8)[...] })
        let body = RequestBody(of: head, try reader(of: Array(bytes)), rule)
        var data = Data()
        for try await part in body.sequence { data += part }
        #expect(body.isRead)
        return String(decoding: data, as: UTF8.self)
    }

    private func chunks(_ text: String) async throws -> String {
        try await read("Transfer-Encoding: chunked", text.replacing("\n", with: "\r\n").utf8)
    }

    @Test("a body has the length that the head says")
    func length() async throws {
        #expect(try await read("Content-Length: 3", "abcGET".utf8) == "abc")
        #expect(try await read("Content-Length: 0", "abc".utf8) == "")
        await #expect(throws: Problem.malformed("The body ends early.")) {
            try await read("Content-Length: 4", "abc".utf8)
        }
    }

    @Test("chunks are joined; extensions and trailers are ignored")
    func chunked() async throws {
        #expect(try await chunks("3\nabc\n0\n\n") == "abc")
        #expect(
            try await chunks("0a ;name=value\n0123456789\n1\n\u{7f}\n000\nTrailer: x\nOther: y\n\n")
                == "0123456789\u{7f}")
        #expect(try await chunks("0\n\n") == "")
    }

    @Test(
        "chunks that two readers could cut differently are refused",
        arguments: [
            "xyz\nabc\n", "+2\n{}\n0\n\n", "0x2\n{}\n0\n\n", "\n\n", "-0\n\n", "1\n{}\n0\n\n", "3\nab\n0\n\n",
            "123456789\n", "\u{0662}\n{}\n0\n\n", "2\n{}\n", "2",
        ])
    func malformed(_ text: String) async {
        do {
            _ = try await chunks(text)
            Issue.record("it was read")
        } catch { #expect((error as? Problem)?.name == .badRequest) }
    }

    @Test("a streamed body comes in pieces, whatever its chunks are")
    func streamed() async throws {
        let rule = BodyRule(
            limit: 100_000, time: .seconds(10), isStreamed: true, tooLarge: .tooLarge)
        let text = String(repeating: "0123456789", count: 10_000)
        let head = try RequestHead(lines: ["POST / HTTP/1.1", "Content-Length: 100000"].map { Array($0.utf8)[...] })
        let body = RequestBody(of: head, try reader(of: Array((text + "GET").utf8)), rule)
        var pieces: [Data] = []
        for try await piece in body.sequence { pieces.append(piece) }
        #expect(body.isRead && pieces.count > 2 && pieces.allSatisfy { $0.count <= 32 << 10 })
        #expect(String(decoding: pieces.reduce(Data(), +), as: UTF8.self) == text)
        let chunks = String(repeating: "3e8\r\n\(text.prefix(1000))\r\n", count: 96)
        #expect(try await read("Transfer-Encoding: chunked", (chunks + "0\r\n\r\n").utf8, rule).utf8.count == 96_000)
        await #expect(throws: rule.tooLarge) {
            try await read("Transfer-Encoding: chunked", "186a1\r\n".utf8, rule)
        }
        await #expect(throws: Problem.malformed("A body has fewer than 97 chunks.")) {
            try await read("Transfer-Encoding: chunked", (chunks + "1\r\na\r\n0\r\n\r\n").utf8, rule)
        }
        await #expect(throws: Problem.malformed("The body ends early.")) {
            try await read("Content-Length: 4", "abc".utf8, rule)
        }
    }

    @Test("lines of chunks end with CR and LF")
    func lineEnds() async {
        await #expect(throws: Problem.malformed("Lines end with CR and LF.")) {
            try await read("Transfer-Encoding: chunked", "2\n{}\n0\n\n".utf8)
        }
    }

    @Test("a body, its chunks and its trailers have limits")
    func limits() async throws {
        let whole = String(repeating: "a", count: Router.bodyLimit)
        #expect(try await chunks("10000\n\(whole)\n0\n\n") == whole)
        await #expect(throws: Problem.tooLarge) { try await chunks("ffffffff\n") }
        await #expect(throws: Problem.tooLarge) { try await chunks("1\na\n10000\n\(whole)\n0\n\n") }
        let many = String(repeating: "1\na\n", count: 1023)
        #expect(try await chunks(many + "0\n\n").count == 1023)
        await #expect(throws: Problem.malformed("A body has fewer than 1024 chunks.")) {
            try await chunks(many + "1\na\n0\n\n")
        }
        let trailers = String(repeating: "A: 1\n", count: 200)
        await #expect(throws: Problem.headersTooLarge) { try await chunks("0\n\(trailers)\n") }
    }
}
