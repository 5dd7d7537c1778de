// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import FlyingSocks
package import Foundation
import HTTP
import HostAPI

/// A file that the panel makes of a record.
package struct PanelFile: Sendable {
    /// Longer ones are passed on while they come.
    private static let limit = 128 << 10

    let mediaType: String
    package let body: Body
    /// The metadata of the record, in place of a file.
    let metadata: RecordMetadata?

    package enum Body: Sendable {
        case whole(Data)
        case stream(Stream)
    }

    /// - Throws: ``Problem``.
    package init(_ reply: LongReply) async throws {
        let stream = Stream(reply)
        var content = Data()
        while content.count <= Self.limit, let piece = try await stream.next() { content += piece }
        let parameters = try await reply.parameters(GetReply.self)
        (mediaType, metadata) = (parameters.mediaType, parameters.metadata)
        if content.count > Self.limit {
            await stream.putBack(content)
            await reply.passOn()
            body = .stream(stream)
        } else {
            body = .whole(content)
        }
    }

    /// The bytes of a file.
    package actor Stream: AsyncBufferedSequence {
        package typealias Element = UInt8

        private let reply: LongReply
        private var first: Data?
        private var base64: [UInt8] = []

        init(_ reply: LongReply) { self.reply = reply }

        func putBack(_ content: Data) { first = content }

        /// - Returns: nil at the end.
        /// - Throws: ``Problem``. A client must not take what it has got for the file then.
        func next() async throws -> Data? {
            if let first {
                self.first = nil
                return first
            }
            while let pieces = try await reply.portion() {
                let isEncoded = await reply.textName == "base64"
                let content = isEncoded ? try decode(pieces.text) : Data(pieces.text)
                if !content.isEmpty { return content }
            }
            guard base64.isEmpty else { throw Problem.panelFailed("it is not base64") }
            return nil
        }

        private func decode(_ text: [UInt8]) throws -> Data {
            base64 += text
            // Four characters are three bytes.
            let whole = base64.count / 4 * 4
            guard let content = Data(base64Encoded: Data(base64[..<whole])) else {
                throw Problem.panelFailed("it is not base64")
            }
            base64.removeFirst(whole)
            return content
        }

        package nonisolated func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

        package struct Iterator: AsyncBufferedIteratorProtocol {
            let stream: Stream

            package mutating func nextBuffer(suggested count: Int) async throws -> Data? { try await stream.next() }

            package mutating func next() async throws -> UInt8? {
                preconditionFailure("the server reads bodies by buffers")
            }
        }
    }
}

/// A file that is passed on while the panel makes it, until its bearer's right ends.
struct CutFile: AsyncBufferedSequence {
    typealias Element = UInt8

    let file: PanelFile.Stream
    let end: BearerEnd

    func makeAsyncIterator() -> Iterator { Iterator(file: file, end: end) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        let file: PanelFile.Stream
        let end: BearerEnd

        mutating func nextBuffer(suggested count: Int) async throws -> Data? {
            let piece = try await file.next()
            if await end.hasCome { throw CancellationError() }
            return piece
        }

        mutating func next() async throws -> UInt8? {
            preconditionFailure("the server reads bodies by buffers")
        }
    }
}
