// SPDX-License-Identifier: Apache-2.0
package import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// One follower's stream of server-sent events (HTML Standard, 9.2).
package struct EventStream: Sendable {
    /// Events that wait for a slow follower, and their bytes, before its connection ends. One event may be longer.
    private static let waitingLimit = 256
    private static let byteLimit = 256 << 10
    /// Comments keep proxies from closing an idle stream, and show that the follower is gone.
    private static let heartbeat = Duration.seconds(15)
    /// Time after which browsers connect anew.
    private static let retryMilliseconds = 2000

    private let stream: AsyncStream<Data>
    private let continuation: AsyncStream<Data>.Continuation
    private let counter = Counter()
    private let bearerEnd: BearerEnd

    /// The number of events that the follower's connection has not taken yet.
    package var waitingCount: Int { counter.waiting.withLock { $0.events } }

    private final class Counter: Sendable {
        // FlyingSocks has a type of this name, too.
        let waiting = Synchronization.Mutex((events: 0, bytes: 0))
    }

    /// - Parameter end: of the follower's right, which ends the stream.
    package init(until end: BearerEnd) {
        bearerEnd = end
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.waitingLimit))
        continuation.yield(Data("retry: \(Self.retryMilliseconds)\n\n".utf8))
        let heartbeat = Task { [continuation] in
            while !Task.isCancelled {
                try await Task.sleep(for: Self.heartbeat)
                continuation.yield(Data(":\n\n".utf8))
            }
        }
        continuation.onTermination = { _ in heartbeat.cancel() }
        end.then { [continuation] in continuation.finish() }
    }

    /// - Parameters:
    ///   - id: what a follower sends as `Last-Event-ID` to go on after this event.
    ///   - endsIfFull: whether the connection of a follower that is too slow ends.
    /// - Returns: false if the follower is gone or too slow, and does not get the event.
    @discardableResult
    package func send(_ event: String, id: Int?, _ data: some Encodable, endsIfFull: Bool = true) -> Bool {
        var text = id.map { "id: \($0)\n" } ?? ""
        text += "event: \(event)\ndata: "
        let message = Data(text.utf8) + data.json + Data("\n\n".utf8)
        let fits = counter.waiting.withLock { waiting in
            guard waiting.bytes == 0 || waiting.bytes + message.count <= Self.byteLimit else { return false }
            waiting.events += 1
            waiting.bytes += message.count
            return true
        }
        if fits, case .enqueued = continuation.yield(message) { return true }
        if fits || endsIfFull { continuation.finish() }
        return false
    }

    /// Ends the connection after the events that wait.
    package func end() { continuation.finish() }

    /// - Parameter ended: called when the connection has ended.
    package func response(ended: @escaping @Sendable () -> Void) -> HTTPResponse {
        let body = Body(stream: stream, counter: counter, end: bearerEnd, ended: Ending(ended))
        return HTTPResponse(
            statusCode: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: HTTPBodySequence(from: body))
    }

    /// Calls a closure when the server has dropped the response.
    private final class Ending: Sendable {
        private let ended: @Sendable () -> Void

        init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }

        deinit { ended() }
    }

    /// Hands over each event at once; the server's own sequences wait for a whole buffer.
    private struct Body: AsyncBufferedSequence {
        typealias Element = UInt8

        let stream: AsyncStream<Data>
        let counter: Counter
        let end: BearerEnd
        let ended: Ending

        func makeAsyncIterator() -> Iterator {
            Iterator(events: stream.makeAsyncIterator(), counter: counter, end: end, ended: ended)
        }

        struct Iterator: AsyncBufferedIteratorProtocol {
            var events: AsyncStream<Data>.AsyncIterator
            let counter: Counter
            let end: BearerEnd
            let ended: Ending

            mutating func nextBuffer(suggested count: Int) async throws -> Data? {
                let event = await events.next()
                // Events that still wait are not for this bearer any more.
                if await end.hasCome { return nil }
                // Comments are not counted.
                if let event, event.first == UInt8(ascii: "e") || event.first == UInt8(ascii: "i") {
                    counter.waiting.withLock { $0 = ($0.events - 1, $0.bytes - event.count) }
                }
                return event
            }

            mutating func next() async throws -> UInt8? {
                preconditionFailure("the server reads bodies by buffers")
            }
        }
    }
}
