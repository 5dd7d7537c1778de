// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import HTTPFixtures
import Linux
import Testing

@testable import HTTP

@Suite("Streams of events")
struct EventStreamTests {
    private let end = BearerEnd(
        of: RouterFixture.token.token,
        in: Bearers(file: nil, visitor: RouterFixture.token.token, log: Log(identifier: "test")))

    /// What a follower gets before the end of its connection.
    private func received(_ stream: EventStream) async throws -> String {
        guard case .httpBody(let body) = stream.response(ended: {}).payload else { return "" }
        var data = Data()
        for try await part in body { data += part }
        // The library has encoded it in chunks.
        var (events, rest) = (Data(), data)
        while let line = rest.firstRange(of: Data("\r\n".utf8)),
            let count = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16)
        {
            let chunk = rest[line.upperBound...]
            events += chunk.prefix(count)
            rest = chunk.dropFirst(count + 2)
        }
        return String(decoding: events, as: UTF8.self)
    }

    @Test("events have names, ids and one line of data")
    func events() async throws {
        let stream = EventStream(until: end)
        #expect(stream.send("state", id: 7, ["text": "a\nb"]))
        #expect(stream.send("ink", id: nil, [1, 2]))
        stream.end()
        #expect(
            try await received(stream)
                == "retry: 2000\n\nid: 7\nevent: state\ndata: {\"text\":\"a\\nb\"}\n\nevent: ink\ndata: [1,2]\n\n")
    }

    @Test("the answer is one that no cache keeps")
    func headers() {
        let response = EventStream(until: end).response {}
        #expect(response.headers[.contentType] == "text/event-stream")
        #expect(response.headers[.cacheControl] == "no-store")
        #expect(response.status == 200)
    }

    @Test("a follower that takes nothing has at most 256 events that wait, and one that takes them none")
    func count() async throws {
        let stream = EventStream(until: end)
        // The first place is that of the time for connecting anew.
        for number in 1..<256 { #expect(stream.send("state", id: number, 0, endsIfFull: false)) }
        #expect(stream.waitingCount == 255)
        #expect(!stream.send("state", id: 256, 0, endsIfFull: false))
        stream.end()
        #expect(try await received(stream).hasSuffix("id: 255\nevent: state\ndata: 0\n\n"))
        #expect(stream.waitingCount <= 1)
    }

    @Test("a follower that takes nothing has at most 256 KiB that wait, apart from one event")
    func bytes() {
        let stream = EventStream(until: end)
        #expect(stream.send("png", id: nil, String(repeating: "a", count: 1 << 20), endsIfFull: false))
        #expect(!stream.send("state", id: nil, 0, endsIfFull: false))
        let other = EventStream(until: end)
        var count = 0
        while other.send("ink", id: nil, String(repeating: "a", count: 1000), endsIfFull: false) { count += 1 }
        #expect(count == (256 << 10) / 1027)
    }

    @Test("the connection of a follower that is too slow ends")
    func tooSlow() async throws {
        let stream = EventStream(until: end)
        #expect(stream.send("a", id: nil, String(repeating: "a", count: 1 << 20)))
        #expect(!stream.send("b", id: nil, 0))
        #expect(!stream.send("c", id: nil, 0))
        let text = try await received(stream)
        #expect(text.contains("event: a\n") && !text.contains("event: b\n"))
    }

    @Test("no event is sent after the end of the bearer's right")
    func right() async throws {
        let stream = EventStream(until: end)
        stream.send("state", id: 1, 0)
        end.end()
        #expect(try await received(stream) == "")
        let late = EventStream(until: end)
        #expect(!late.send("state", id: 1, 0))
    }

    @Test("who serves a stream hears that its connection has ended")
    func ended() async {
        await confirmation { confirm in
            let stream = EventStream(until: end)
            _ = stream.response { confirm() }
        }
    }
}
