// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import FlyingSocks
import Foundation
import Glibc
import Synchronization

/// Serves HTTP/1.1 (RFC 9112) and hands each request to the router. It is in place of the library's own server, which
/// reads byte by byte without limits; requests, responses and sockets are the library's.
struct Server: Sendable {
    /// For a request's head; for its body; for the next request of a connection.
    private static let headTime = Duration.seconds(10)
    private static let bodyTime = Duration.seconds(10)
    private static let idleTime = Duration.seconds(60)
    /// For the answer: longer than a client may wait with `Prefer: wait`.
    private static let answerTime = Duration.seconds(90)
    /// For a refused client to read why, and the bytes that it may go on sending.
    private static let lingerTime = Duration.seconds(2)
    private static let lingerLimit = 1 << 20
    /// Until the next attempt when there is no descriptor left.
    private static let pause = Duration.milliseconds(100)
    /// Bytes that are written at once.
    private static let portion = 64 << 10

    let router: Router
    let pool: any AsyncSocketPool

    /// Serves connections until the task is cancelled.
    /// - Parameter listener: listens.
    /// - Throws: if the pool cannot go on.
    func run(on listener: Socket) async throws {
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
                let request: HTTPRequest
                let method: String
                let isLast: Bool
                do throws(Refusal) {
                    guard let (next, head) = try await nextRequest(reader, within: wait) else { return }
                    (request, method, isLast) = (next, head.method, head.isLast)
                } catch {
                    let response = router.refusal(error.problem, of: error.headers)
                    try await write(response, to: socket, isLast: true)
                    return await linger(reader)
                }
                let response = await answer(request)
                if case .webSocket(let handler) = response.payload {
                    return try await serve(handler, response, reader)
                }
                try await write(response, to: socket, isLast: isLast, hasBody: method != "HEAD")
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

    /// - Returns: nil if the connection has ended, or nothing came for so long.
    private func nextRequest(
        _ reader: SocketReader, within wait: Duration
    ) async throws(Refusal) -> (HTTPRequest, RequestHead)? {
        var headers = HTTPHeaders()
        do {
            guard let head = try await nextHead(reader, within: wait) else { return nil }
            headers = head.headers
            if let problem = head.problem { throw problem }
            let body = try await within(Self.bodyTime, reader.socket) { try await self.body(of: head, reader) }
            let request = HTTPRequest(
                method: HTTPMethod(head.method), version: .http11, target: head.target, headers: headers,
                body: HTTPBodySequence(data: Data(body)),
                remoteAddress: (try? reader.socket.socket.remotePeer()).map(HTTPRequest.Address.make))
            return (request, head)
        } catch let problem as Problem {
            throw Refusal(problem: problem, headers: headers)
        } catch {
            return nil
        }
    }

    private func nextHead(_ reader: SocketReader, within wait: Duration) async throws -> RequestHead? {
        do {
            guard try await within(wait, reader.socket, { try await reader.hasMore() }) else { return nil }
        } catch is Problem {
            return nil
        }
        return try await within(Self.headTime, reader.socket) {
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
                    return try RequestHead(lines: lines)
                }
                // An empty line before a request is left out (RFC 9112, 2.2).
            }
        }
    }

    private func body(of head: RequestHead, _ reader: SocketReader) async throws -> [UInt8] {
        if case .length(let count) = head.body, count > Router.bodyLimit { throw Problem.tooLarge }
        if head.expectsContinue { try await reader.socket.write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
        switch head.body {
        case .length(0): return []
        case .length(let count): return Array(try await reader.bytes(count))
        case .chunked: return try await chunks(reader)
        }
    }

    /// RFC 9112, 7.1.
    private func chunks(_ reader: SocketReader) async throws -> [UInt8] {
        func line() async throws -> ArraySlice<UInt8> {
            let line = try await reader.line(
                atMost: RequestHead.valueLimit, else: .malformed("A chunk begins with a short line."))
            guard let line else { throw SocketError.disconnected }
            return line
        }
        var body: [UInt8] = []
        while true {
            // Extensions of chunks are ignored.
            let digits = String(decoding: try await line().prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
                .trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
            guard 1...8 ~= digits.utf8.count, digits.utf8.count == digits.count, digits.allSatisfy(\.isHexDigit),
                let count = Int(digits, radix: 16)
            else {
                throw Problem.malformed("A chunk begins with its length in hexadecimal.")
            }
            if count == 0 { break }
            guard count <= Router.bodyLimit - body.count else { throw Problem.tooLarge }
            body += try await reader.bytes(count)
            guard try await line().isEmpty else { throw Problem.malformed("A chunk is longer than it says.") }
        }
        // Trailers are ignored.
        var count = 0
        while case let trailer = try await line(), !trailer.isEmpty {
            count += trailer.count + 64
            guard count <= RequestHead.lineLimit else { throw Problem.headersTooLarge }
        }
        return body
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

    // MARK: time

    /// Reads for a limited time.
    /// - Throws: ``Problem/slowRequest`` afterwards.
    private func within<Value: Sendable>(
        _ time: Duration, _ socket: AsyncSocket, _ read: () async throws -> Value
    ) async throws -> Value {
        let deadline = Deadline(time, socket)
        do {
            let value = try await read()
            if deadline.end() { throw Problem.slowRequest }
            return value
        } catch {
            throw deadline.end() ? Problem.slowRequest : error
        }
    }

    /// Ends what comes from a client when its time is over: who reads it finds its end.
    private final class Deadline: Sendable {
        private enum State { case waiting, over, ended }

        // FlyingSocks has a type of this name, too.
        private let state = Synchronization.Mutex(State.waiting)
        private let task = Synchronization.Mutex<Task<Void, any Error>?>(nil)

        init(_ time: Duration, _ socket: AsyncSocket) {
            let task = Task {
                try await Task.sleep(for: time)
                // After the end, the descriptor may be another connection's.
                state.withLock { state in
                    guard state == .waiting else { return }
                    state = .over
                    _ = shutdown(socket.socket.file.rawValue, CInt(SHUT_RD))
                }
            }
            self.task.withLock { $0 = task }
        }

        /// - Returns: whether the time was over before.
        func end() -> Bool {
            task.withLock { $0?.cancel() }
            return state.withLock { state in
                if state == .waiting { state = .ended }
                return state == .over
            }
        }
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
        guard hasBody else { return try await socket.write(data) }
        for try await piece in body {
            data += piece
            // Events go at once.
            if body.count == nil || data.count >= Self.portion {
                try await socket.write(data)
                data = Data()
            }
        }
        try await socket.write(data)
    }

    private func head(_ status: HTTPStatusCode, _ headers: HTTPHeaders) -> Data {
        let lines = headers.map { "\($0.key.rawValue): \($0.value)" }.sorted()
        return Data((["HTTP/1.1 \(status.code) \(status.phrase)"] + lines + ["\r\n"]).joined(separator: "\r\n").utf8)
    }

    /// Lets a refused client read the answer: an end with unread bytes would take it away (RFC 9112, 9.6).
    private func linger(_ reader: SocketReader) async {
        _ = shutdown(reader.socket.socket.file.rawValue, CInt(SHUT_WR))
        _ = try? await within(Self.lingerTime, reader.socket) {
            var count = 0
            while count < Self.lingerLimit, let more = try await reader.portion() { count += more.count }
        }
    }

    private func serve(_ handler: any WSHandler, _ response: HTTPResponse, _ reader: SocketReader) async throws {
        let frames = WebSocketFrames(reader)
        let outgoing = try await handler.makeFrames(for: AsyncThrowingStream { try await frames.next() })
        try await reader.socket.write(head(response.statusCode, response.headers))
        for await frame in outgoing { try await reader.socket.write(WebSocketFrames.encoded(frame)) }
        await linger(reader)
    }
}
