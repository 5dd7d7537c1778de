// SPDX-License-Identifier: Apache-2.0
import FlyingFox
package import FlyingSocks
import Foundation
import Glibc
import HostAPI

/// Serves HTTP/1.1 (RFC 9112) and hands each request to the router. It is in place of the library's own server, which
/// reads byte by byte without limits; requests, responses and sockets are the library's.
package struct Server: Sendable {
    /// The time for a request's head, and for the next request of a connection.
    private static let headTime = Duration.seconds(10)
    private static let idleTime = Duration.seconds(60)
    /// The time for the answer: longer than a client may wait with `Prefer: wait`.
    private static let answerTime = Duration.seconds(90)
    /// The time for a refused client to read why, and the bytes that it may go on sending.
    private static let lingerTime = Duration.seconds(2)
    private static let lingerLimit = 1 << 20
    /// The time until the next attempt when there is no descriptor left.
    private static let pause = Duration.milliseconds(100)
    /// Bytes that are written at once, and the time for them: who takes them byte by byte does not hold a connection.
    private static let portion = 64 << 10
    private static let writeTime = Duration.seconds(60)

    let router: Router
    let pool: any AsyncSocketPool

    package init(router: Router, pool: any AsyncSocketPool) {
        self.router = router
        self.pool = pool
    }

    /// Serves connections until the task is cancelled.
    /// - Parameter listener: listens.
    /// - Throws: if the pool cannot go on.
    package func run(on listener: Socket) async throws {
        let listener = try AsyncSocket(socket: listener, pool: pool)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run() }
            group.addTask { await accept(on: listener) }
            try await group.next()
            group.cancelAll()
        }
    }

    private func accept(on listener: AsyncSocket) async {
        await withDiscardingTaskGroup { connections in
            while !Task.isCancelled {
                do {
                    let socket = try await listener.accept()
                    connections.addTask { await serve(socket) }
                } catch {
                    try? await Task.sleep(for: Self.pause)
                }
            }
        }
    }

    private func serve(_ socket: AsyncSocket) async {
        defer { try? socket.close() }
        let reader = SocketReader(socket, pool: pool)
        do {
            var wait = Self.headTime
            while true {
                let head: RequestHead
                do throws(Refusal) {
                    guard let next = try await nextHead(reader, within: wait) else { return }
                    head = next
                } catch {
                    let response = router.refusal(error.problem, of: error.headers)
                    try await write(response, to: socket, isLast: true)
                    return await linger(reader)
                }
                let body = RequestBody(of: head, reader, router.bodyRule(of: head))
                let response = await answer(request(head, body, socket))
                if case .webSocket(let handler) = response.payload {
                    return try await serve(handler, response, reader)
                }
                // The start of the next request is unknown before the body is read.
                let isLast = head.isLast || !body.isRead
                try await write(response, to: socket, isLast: isLast, hasBody: head.method != "HEAD")
                if !body.isRead { return await linger(reader) }
                if isLast { return }
                wait = Self.idleTime
            }
        } catch {
            // The client has gone, or the file that it was getting has ended early.
        }
    }

    private struct Refusal: Error {
        let problem: Problem
        let headers: HTTPHeaders
    }

    // MARK: requests

    /// - Returns: nil if the connection has ended, or nothing came in time.
    private func nextHead(_ reader: SocketReader, within wait: Duration) async throws(Refusal) -> RequestHead? {
        var headers = HTTPHeaders()
        do {
            guard let lines = try await lines(reader, within: wait) else { return nil }
            let head = try RequestHead(lines: lines)
            headers = head.headers
            if let problem = head.problem { throw problem }
            let rule = router.bodyRule(of: head)
            if case .length(let count) = head.body, count > rule.limit { throw rule.tooLarge }
            return head
        } catch let problem as Problem {
            throw Refusal(problem: problem, headers: headers)
        } catch {
            return nil
        }
    }

    private func request(_ head: RequestHead, _ body: RequestBody, _ socket: AsyncSocket) -> HTTPRequest {
        HTTPRequest(
            method: HTTPMethod(head.method), version: .http11, target: head.target, headers: head.headers,
            body: body.sequence, remoteAddress: (try? socket.socket.remotePeer()).map(HTTPRequest.Address.make))
    }

    /// The lines of a request's head.
    private func lines(_ reader: SocketReader, within wait: Duration) async throws -> [ArraySlice<UInt8>]? {
        do {
            guard try await reader.socket.within(wait, { try await reader.hasMore() }) else { return nil }
        } catch is Problem {
            return nil
        }
        return try await reader.socket.within(Self.headTime) {
            var lines: [ArraySlice<UInt8>] = []
            var count = 0
            while true {
                guard
                    let line = try await reader.line(
                        atMost: RequestHead.lineLimit, else: lines.isEmpty ? .addressTooLong : .headersTooLarge)
                else { throw SocketError.disconnected }
                // A line takes memory, however short it is.
                count += line.count + 64
                guard count <= RequestHead.limit else { throw Problem.headersTooLarge }
                if !line.isEmpty {
                    lines.append(line)
                } else if !lines.isEmpty {
                    return lines
                }
                // An empty line before a request is left out (RFC 9112, 2.2).
            }
        }
    }

    private func answer(_ request: HTTPRequest) async -> HTTPResponse {
        let work = Task { await router.response(to: request) }
        let limit = Task {
            try await Task.sleep(for: Self.answerTime)
            work.cancel()
        }
        defer { limit.cancel() }
        return await work.value
    }

    // MARK: responses

    /// - Parameter hasBody: false for the answer to HEAD.
    private func write(
        _ response: HTTPResponse, to socket: AsyncSocket, isLast: Bool, hasBody: Bool = true
    ) async throws {
        guard case .httpBody(let body) = response.payload else { return }
        var headers = response.headers
        // RFC 9110, 8.6.
        if let count = body.count {
            if ![204, 304].contains(response.statusCode.code) { headers[.contentLength] = "\(count)" }
        } else {
            headers[.transferEncoding] = "chunked"
        }
        if isLast { headers[.connection] = "close" }
        var data = head(response.statusCode, headers)
        guard hasBody else { return try await send(data, to: socket) }
        for try await piece in body {
            data += piece
            // Events go at once.
            if body.count == nil || data.count >= Self.portion {
                try await send(data, to: socket)
                data = Data()
            }
        }
        try await send(data, to: socket)
    }

    private func send(_ data: Data, to socket: AsyncSocket) async throws {
        var rest = data
        while !rest.isEmpty {
            let piece = rest.prefix(Self.portion)
            rest = rest.dropFirst(Self.portion)
            try await socket.within(Self.writeTime, ending: SHUT_RDWR) { try await socket.write(piece) }
        }
    }

    private func head(_ status: HTTPStatusCode, _ headers: HTTPHeaders) -> Data {
        let lines = headers.map { "\($0.key.rawValue): \($0.value)" }.sorted()
        return Data((["HTTP/1.1 \(status.code) \(status.phrase)"] + lines + ["\r\n"]).joined(separator: "\r\n").utf8)
    }

    /// Lets a refused client read the answer: an end with unread bytes would take it away (RFC 9112, 9.6).
    private func linger(_ reader: SocketReader) async {
        _ = shutdown(reader.socket.socket.file.rawValue, CInt(SHUT_WR))
        _ = try? await reader.socket.within(Self.lingerTime) {
            var count = 0
            while count < Self.lingerLimit, let more = try await reader.portion() { count += more.count }
        }
    }

    private func serve(_ handler: any WSHandler, _ response: HTTPResponse, _ reader: SocketReader) async throws {
        let limit = (handler as? any LongMessages)?.messageLimit ?? WebSocketFrames.messageLimit
        let frames = WebSocketFrames(reader, limit: limit)
        let outgoing = try await handler.makeFrames(for: AsyncThrowingStream { try await frames.next() })
        try await send(head(response.statusCode, response.headers), to: reader.socket)
        for await frame in outgoing { try await send(WebSocketFrames.encoded(frame), to: reader.socket) }
        await linger(reader)
    }
}

/// A WebSocket whose messages may be longer than ``WebSocketFrames/messageLimit``.
package protocol LongMessages {
    /// Bytes.
    var messageLimit: Int { get }
}
