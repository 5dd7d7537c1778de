// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Control

@Suite("Messages cut out of a stream")
struct MessageFramerTests {
    private func messages(_ framer: inout MessageFramer) throws -> [[UInt8]] {
        var all: [[UInt8]] = []
        while let message = try framer.next() { all.append(Array(message)) }
        return all
    }

    @Test("whatever the pieces, the messages are those that were sent")
    func pieces() throws {
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let sent = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                (0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8.random(in: 1...255, using: &random) }
            }
            var stream: ArraySlice<UInt8> = Array(sent.map { $0 + [0] }.joined())[...]
            var framer = MessageFramer(limit: 20)
            var received: [[UInt8]] = []
            while !stream.isEmpty {
                let count = Int.random(in: 1...30, using: &random)
                framer.append(stream.prefix(count))
                stream = stream.dropFirst(count)
                // Sometimes nobody looks for a while.
                if Bool.random(using: &random) { received += try messages(&framer) }
            }
            received += try messages(&framer)
            #expect(received == sent, "seed \(seed)")
            #expect(framer.isEmpty)
        }
    }

    @Test("a message of the limit is one; a longer one is refused with and without its end")
    func limit() throws {
        var framer = MessageFramer(limit: 4)
        framer.append([1, 2, 3, 4, 0, 1, 2])
        #expect(try messages(&framer) == [[1, 2, 3, 4]])
        framer.append([3, 4])
        #expect(try framer.next() == nil)
        framer.append([5])
        let error = thrownError { try framer.next() }
        #expect(error as? MalformedMessage == .tooLong(limit: 4))
        var ended = MessageFramer(limit: 4)
        ended.append([1, 2, 3, 4, 5, 0])
        let endedError = thrownError { try ended.next() }
        #expect(endedError as? MalformedMessage == .tooLong(limit: 4))
    }
}
