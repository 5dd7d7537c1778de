// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import Gateway
import HTTP

/// Messages of a page over a WebSocket in another pad's protocol, and the answers.
protocol PadProtocol: Actor {
    /// - Parameter end: tells when the page's right has ended.
    init(_ pad: CompatiblePad, _ end: BearerEnd, _ queue: FrameQueue)

    /// Answers a message, before the next one is read.
    func receive(_ message: Data) async

    /// Cancels what the page has begun, because it is gone.
    func leave() async
}

/// The WebSocket of one page.
struct CompatibleSocket<Spoken: PadProtocol>: WSHandler, LongMessages {
    /// The longest message in bytes: like a body, it becomes a call to the panel.
    var messageLimit: Int { Router.bodyLimit }
    /// Frames that are read in a second. A page sends a few in all.
    private static var rate: Int { 100 }

    let pad: CompatiblePad
    let end: BearerEnd
    let sockets: OpenSockets
    let queue = FrameQueue()
    /// The socket's number in ``OpenSockets``.
    let number: Int

    /// - Throws: ``Problem`` if there are too many connections.
    init(_ pad: CompatiblePad, _ end: BearerEnd, _ sockets: OpenSockets) async throws {
        (self.pad, self.end, self.sockets) = (pad, end, sockets)
        number = try await sockets.enter(end.bearer.owner, queue)
    }

    func makeFrames(for page: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
        let reading = Task {
            // Calls to the panel take turns by token.
            await Router.$caller.withValue(end.bearer.owner) { await read(page) }
        }
        let expiring = Task { [queue, bearers = pad.bearers, bearer = end.bearer] in
            guard var expires = bearer.expires else { return }
            while expires.timeIntervalSinceNow > 0 {
                try await Task.sleep(for: .seconds(expires.timeIntervalSinceNow))
                // The session may have been renewed meanwhile.
                expires = await bearers.expiry(of: bearer) ?? expires
            }
            await queue.close(.tokenEnded)
        }
        let ending = Ending { [queue] in
            reading.cancel()
            expiring.cancel()
            Task { await queue.abandon() }
        }
        return AsyncStream { [queue] in
            defer { withExtendedLifetime(ending) {} }
            return await queue.next()
        }
    }

    /// Calls a closure when the server has dropped the frames.
    private final class Ending: Sendable {
        private let ended: @Sendable () -> Void

        init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }

        deinit { ended() }
    }

    private func read(_ page: AsyncThrowingStream<WSFrame, any Error>) async {
        let spoken = Spoken(pad, end, queue)
        await queue.close(await receiveAll(of: page, spoken))
        await sockets.leave(number)
        // The reading may have been cancelled, and this must not be.
        let leaving = Task { await spoken.leave() }
        await leaving.value
    }

    /// - Returns: why the connection ends.
    private func receiveAll(of page: AsyncThrowingStream<WSFrame, any Error>, _ spoken: Spoken) async -> WSCloseCode {
        var (second, count) = (ContinuousClock.now, 0)
        do {
            for try await frame in page {
                await sockets.hear(number)
                if .now - second > .seconds(1) { (second, count) = (.now, 0) }
                count += 1
                if count > Self.rate { try await Task.sleep(until: second + .seconds(1)) }
                switch frame.opcode {
                case .text:
                    if await end.hasCome { return .tokenEnded }
                    await spoken.receive(frame.payload)
                case .ping: await queue.offer(.pong, frame.payload)
                case .pong: break
                case .close: return .normalClosure
                default: return .notText
                }
            }
            return .normalClosure
        } catch let fault as WebSocketFrames.Fault {
            return fault.code
        } catch {
            return .normalClosure
        }
    }
}

extension WSCloseCode {
    static let notText = WSCloseCode(1003, reason: "only text messages are expected")
    static let pageGone = WSCloseCode(1001, reason: "the page does not answer pings")
}
