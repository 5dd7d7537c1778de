// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// The body of a request, which comes when somebody asks for it. The router does so when it has looked at the token, so
/// strangers cannot have bodies waited for and read.
final class RequestBody: Sendable {
    /// The time for a whole body.
    private static let time = Duration.seconds(10)
    /// A chunk costs as much as a kibibyte.
    private static let chunkLimit = 1024

    private let head: RequestHead
    private let reader: SocketReader
    // FlyingSocks has a type of this name, too.
    private let hasCome: Synchronization.Mutex<Bool>

    init(of head: RequestHead, _ reader: SocketReader) {
        self.head = head
        self.reader = reader
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
        case .chunked: HTTPBodySequence(from: Bytes(body: self), count: Router.bodyLimit)
        }
    }

    private func read() async throws -> [UInt8] {
        do {
            let body = try await reader.socket.within(Self.time) {
                if head.expectsContinue { try await reader.socket.write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
                return switch head.body {
                case .length(let count): Array(try await reader.bytes(count))
                case .chunked: try await chunks()
                }
            }
            hasCome.withLock { $0 = true }
            return body
        } catch is SocketError {
            // Nobody reads that.
            throw Problem.malformed("The body ends early.")
        }
    }

    /// RFC 9112, 7.1.
    private func chunks() async throws -> [UInt8] {
        var body: [UInt8] = []
        for _ in 0..<Self.chunkLimit {
            let count = try await chunkLength()
            if count == 0 {
                try await skipTrailers()
                return body
            }
            guard count <= Router.bodyLimit - body.count else { throw Problem.tooLarge }
            body += try await reader.bytes(count)
            guard try await line().isEmpty else { throw Problem.malformed("A chunk is longer than it says.") }
        }
        throw Problem.malformed("A body has fewer than \(Self.chunkLimit) chunks.")
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

            mutating func nextBuffer(suggested count: Int) async throws -> Data? {
                body.isRead ? nil : Data(try await body.read())
            }

            mutating func next() async throws -> UInt8? {
                preconditionFailure("bodies are read by buffers")
            }
        }
    }
}
