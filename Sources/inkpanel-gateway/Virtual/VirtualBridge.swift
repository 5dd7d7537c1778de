// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import FlyingSocks
import Foundation

/// Passes messages between a page and a virtual panel (docs/virtual-panel.md), one in each binary frame of a WebSocket.
/// Nothing queues up here: the panel sends a frame only when the page has acknowledged the one before.
struct VirtualBridge: WSHandler {
    /// Bytes of a message from the page: 256 samples.
    private static let pageLimit = 8 + 256 * 24
    /// Bytes of a message from the panel: a whole picture of 8192x8192.
    private static let panelLimit = 1 << 28
    /// Close codes of RFC 6455, 7.4.1.
    private static let restart: UInt16 = 1012
    private static let violation: UInt16 = 1008

    /// Path of the socket.
    let socket: String
    let pool: any AsyncSocketPool

    func makeFrames(for page: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
        let panel = try? await AsyncSocket.connected(to: .unix(path: socket), pool: pool)
        return AsyncStream { frames in
            let task = Task {
                defer { frames.finish() }
                guard let panel else {
                    frames.yield(Self.close(Self.restart))
                    return
                }
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await Self.passFrames(of: panel, to: frames) }
                    group.addTask { await Self.passSamples(of: page, to: panel, frames) }
                    // When one direction has ended, so has the connection.
                    await group.next()
                    group.cancelAll()
                }
                try? panel.close()
            }
            frames.onTermination = { _ in task.cancel() }
        }
    }

    /// Passes hello and frames until the panel ends the connection, which pages take as: try again.
    private static func passFrames(of panel: AsyncSocket, to frames: AsyncStream<WSFrame>.Continuation) async {
        while !Task.isCancelled {
            do {
                let head = Data(try await panel.read(bytes: 8))
                let count = Int(littleEndian(head, at: 4))
                guard count <= panelLimit else { break }
                frames.yield(WSFrame(fin: true, opcode: .binary, mask: nil, payload: head + (try await panel.read(bytes: count))))
            } catch {
                break
            }
        }
        frames.yield(close(restart))
    }

    private static func passSamples(
        of page: AsyncThrowingStream<WSFrame, any Error>, to panel: AsyncSocket,
        _ frames: AsyncStream<WSFrame>.Continuation
    ) async {
        do {
            for try await frame in page {
                switch frame.opcode {
                case .binary:
                    let message = Data(frame.payload)
                    guard frame.fin, 8...pageLimit ~= message.count,
                        Int(littleEndian(message, at: 4)) == message.count - 8
                    else {
                        frames.yield(close(violation))
                        return
                    }
                    try await panel.write(message)
                case .ping: frames.yield(WSFrame(fin: true, opcode: .pong, mask: nil, payload: frame.payload))
                case .pong: break
                default: return
                }
            }
        } catch {
            // The page is gone, or the panel, and the other direction says which.
        }
    }

    private static func littleEndian(_ data: Data, at offset: Int) -> UInt32 {
        data.dropFirst(offset).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func close(_ code: UInt16) -> WSFrame {
        WSFrame(fin: true, opcode: .close, mask: nil, payload: Data([UInt8(code >> 8), UInt8(code & 0xFF)]))
    }
}

extension Route {
    /// The virtual panel's pixels and samples.
    static func virtual(_ bridge: VirtualBridge) -> [Route] {
        [
            Route("GET", "/v1/virtual", .scope(.virtual)) { call in
                var response = try await WebSocketHTTPHandler(handler: bridge).handleRequest(call.request)
                // Of the subprotocols that the page offers, never the one with the token.
                response.headers[HTTPHeader("Sec-WebSocket-Protocol")] = "inkpanel.v1"
                return response
            }
        ]
    }
}
