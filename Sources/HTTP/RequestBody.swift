// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// The limits of a request's body.
package struct BodyRule: Sendable {
    /// Bytes.
    package let limit: Int
    /// The time for a whole body.
    let time: Duration
    /// Whether it is handed on in pieces while it comes, and never in memory as a whole.
    let isStreamed: Bool
    /// The answer to a longer one.
    let tooLarge: Problem

    package init(limit: Int, time: Duration, isStreamed: Bool, tooLarge: Problem) {
        self.limit = limit
        self.time = time
        self.isStreamed = isStreamed
        self.tooLarge = tooLarge
    }

    /// The limit of calls that state none of their own.
    static let call = BodyRule(limit: Router.bodyLimit, time: .seconds(10), isStreamed: false, tooLarge: .tooLarge)
}

/// The body of a request, which comes when somebody asks for it. The router does so when it has looked at the token, so
/// strangers cannot have bodies waited for and read.
final class RequestBody: Sendable {
    /// A chunk costs as much as a kibibyte.
    private static let chunkBytes = 1024

    private let head: RequestHead
    private let reader: SocketReader
    private let rule: BodyRule
    // FlyingSocks has a type of this name, too.
    private let hasCome: Synchronization.Mutex<Bool>

    init(of head: RequestHead, _ reader: SocketReader, _ rule: BodyRule = .call) {
        self.head = head
        self.reader = reader
        self.rule = rule
        hasCome = Synchronization.Mutex(head.body == .length(0))
    }

    /// Whether nothing of it is left to read.
    var isRead: Bool { hasCome.withLock { $0 } }

    /// The body for a request of the library.
    var sequence: HTTPBodySequence {
        switch head.body {
        case .length(0): HTTPBodySequence(data: Data())
        case .length(let count): HTTPBodySequence(from: Bytes(body: self), count: count)
        // The library would encode chunks of a body without a count.
        case .chunked: HTTPBodySequence(from: Bytes(body: self), count: rule.limit)
        }
    }

    /// How far a body was read.
    private struct Progress {
        var end: ContinuousClock.Instant?
        /// Bytes that have come.
        var count = 0
        /// Bytes left of the body, or of the present chunk.
        var left = 0
        var chunkCount = 0
    }

    /// - Returns: the next piece; nil at the end.
    private func next(_ progress: inout Progress) async throws -> ArraySlice<UInt8>? {
        if isRead { return nil }
        let end = progress.end ?? .now + rule.time
        let isFirst = progress.end == nil
        progress.end = end
        do {
            let (rest, next) = try await reader.socket.within(end - .now) { [progress] in
                var rest = progress
                if isFirst, head.expectsContinue {
                    try await reader.socket.write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
                }
                let next = try await piece(&rest, isFirst: isFirst)
                return (rest, next)
            }
            progress = rest
            if next == nil || head.body == .length(rest.count) { hasCome.withLock { $0 = true } }
            return next
        } catch is SocketError {
            // Nobody reads that.
            throw Problem.malformed("The body ends early.")
        }
    }

    private func piece(_ progress: inout Progress, isFirst: Bool) async throws -> ArraySlice<UInt8>? {
        if progress.left == 0 {
            switch head.body {
            case .length(let count): progress.left = count
            case .chunked:
                if !isFirst, try await !line().isEmpty { throw Problem.malformed("A chunk is longer than it says.") }
                guard try await beginChunk(&progress) else { return nil }
            }
        }
        guard let piece = try await reader.portion(atMost: progress.left) else { throw SocketError.disconnected }
        progress.left -= piece.count
        progress.count += piece.count
        return piece
    }

    /// RFC 9112, 7.1.
    /// - Returns: false after the last chunk.
    private func beginChunk(_ progress: inout Progress) async throws -> Bool {
        let limit = max(1, rule.limit / Self.chunkBytes) * (rule.isStreamed ? 1 : 16)
        guard progress.chunkCount < limit else { throw Problem.malformed("A body has fewer than \(limit) chunks.") }
        progress.chunkCount += 1
        progress.left = try await chunkLength()
        if progress.left == 0 {
            try await skipTrailers()
            return false
        }
        guard progress.left <= rule.limit - progress.count else { throw rule.tooLarge }
        return true
    }

    private func chunkLength() async throws -> Int {
        // Extensions of chunks are ignored.
        let digits = String(decoding: try await line().prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self).withoutSpace
        guard 1...8 ~= digits.utf8.count, digits.utf8.count == digits.count, digits.allSatisfy(\.isHexDigit),
            let count = Int(digits, radix: 16)
        else { throw Problem.malformed("A chunk begins with its length in hexadecimal.") }
        return count
    }

    /// Trailers are ignored.
    private func skipTrailers() async throws {
        var count = 0
        while case let trailer = try await line(), !trailer.isEmpty {
            count += trailer.count + 64
            guard count <= RequestHead.lineLimit else { throw Problem.headersTooLarge }
        }
    }

    private func line() async throws -> ArraySlice<UInt8> {
        let line = try await reader.line(
            atMost: RequestHead.valueLimit, else: .malformed("A chunk begins with a short line."))
        guard let line else { throw SocketError.disconnected }
        return line
    }

    private struct Bytes: AsyncBufferedSequence {
        typealias Element = UInt8

        let body: RequestBody

        func makeAsyncIterator() -> Iterator { Iterator(body: body) }

        struct Iterator: AsyncBufferedIteratorProtocol {
            let body: RequestBody
            private var progress = Progress()

            init(body: RequestBody) { self.body = body }

            mutating func nextBuffer(suggested count: Int) async throws -> Data? {
                guard let first = try await body.next(&progress) else { return nil }
                var data = Data(first)
                if body.rule.isStreamed { return data }
                while let piece = try await body.next(&progress) { data += piece }
                return data
            }

            mutating func next() async throws -> UInt8? {
                preconditionFailure("bodies are read by buffers")
            }
        }
    }
}
