// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import Testing

@testable import HTTP

@Suite("Frames of a WebSocket")
struct WebSocketFramesTests {
    /// A frame of a client.
    /// - Parameter first: opcode, and the bit that says whether it is the last of a message.
    private func frame(_ first: UInt8, _ payload: some Collection<UInt8>, mask: [UInt8] = [1, 2, 3, 4]) -> [UInt8] {
        let length: [UInt8] =
            switch payload.count {
            case ..<126: [0x80 | UInt8(payload.count)]
            case ..<65536: [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
            default: [0x80 | 127, 0, 0, 0, 0] + [24, 16, 8, 0].map { UInt8(payload.count >> $0 & 255) }
            }
        return [first] + length + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    /// The messages that come, or the code with which the connection ends.
    private func read(_ bytes: [UInt8]) async throws -> (messages: [WSFrame], fault: UInt16?) {
        let frames = WebSocketFrames(try reader(of: bytes))
        var messages: [WSFrame] = []
        do {
            while let message = try await frames.next() { messages.append(message) }
            return (messages, nil)
        } catch let fault as WebSocketFrames.Fault {
            return (messages, fault.code.code)
        }
    }

    @Test("a message is put together of its frames, with control frames between them")
    func messages() async throws {
        let bytes = frame(0x01, Array("Hal".utf8)) + frame(0x89, [7]) + frame(0x00, []) + frame(0x80, Array("lo".utf8))
        let (messages, fault) = try await read(bytes + frame(0x82, [0, 255], mask: [0, 0, 0, 0]))
        #expect(fault == nil)
        #expect(messages.map(\.opcode) == [.ping, .text, .binary])
        #expect(messages.map(\.payload) == [Data([7]), Data("Hallo".utf8), Data([0, 255])])
    }

    @Test("lengths of one, three and nine bytes are read and written", arguments: [0, 125, 126, 1000, 16384])
    func lengths(_ count: Int) async throws {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        #expect(try await read(frame(0x82, payload)).messages.map(\.payload) == [Data(payload)])
        let encoded = WebSocketFrames.encoded(WSFrame(fin: true, opcode: .binary, mask: nil, payload: Data(payload)))
        let head: [UInt8] = count < 126 ? [0x82, UInt8(count)] : [0x82, 126, UInt8(count >> 8), UInt8(count & 255)]
        #expect(Array(encoded) == head + payload)
    }

    @Test("a picture of a screen is one frame")
    func longFrame() {
        let encoded = WebSocketFrames.encoded(
            WSFrame(fin: true, opcode: .binary, mask: nil, payload: Data(count: 65536)))
        #expect(Array(encoded.prefix(10)) == [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0])
        #expect(encoded.count == 65546)
    }

    @Test("too long a message is refused by its header")
    func tooLong() async throws {
        #expect(try await read([0x82, 0xFE, 0x40, 0x01]).fault == 1009)
        #expect(try await read([0x82, 0xFF, 0, 0, 0, 0, 0xFF, 0, 0, 0]).fault == 1009)
        let half = [UInt8](repeating: 0, count: 9000)
        #expect(try await read(frame(0x02, half) + frame(0x80, half)).fault == 1009)
    }

    @Test(
        "frames that break the protocol end the connection",
        arguments: [
            [0x81, 0x01, 65], [0xC1, 0x80, 0, 0, 0, 0], [0x83, 0x80, 0, 0, 0, 0], [0x8B, 0x80, 0, 0, 0, 0],
            [0x80, 0x80, 0, 0, 0, 0], [0x09, 0x80, 0, 0, 0, 0], [0x89, 0xFE, 0, 126], [0x82, 0xFE, 0, 125],
            [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0x40, 0], [0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0],
        ] as [[UInt8]])
    func violations(_ bytes: [UInt8]) async throws { #expect(try await read(bytes).fault == 1002) }

    @Test("a message inside of a message breaks the protocol")
    func nested() async throws {
        #expect(try await read(frame(0x01, [65]) + frame(0x81, [66])).fault == 1002)
    }

    @Test("a close frame has a code and a reason, or nothing")
    func close() async throws {
        func fault(_ payload: [UInt8]) async throws -> UInt16? { try await read(frame(0x88, payload)).fault }
        #expect(try await fault([]) == nil)
        #expect(try await fault([0x03, 0xE8] + Array("bye".utf8)) == nil)
        #expect(try await fault([0x0F, 0xA0]) == nil)
        for code: UInt16 in [0, 999, 1004, 1005, 1006, 1015, 2999, 5000] {
            #expect(try await fault([UInt8(code >> 8), UInt8(code & 255)]) == 1002, "\(code)")
        }
        #expect(try await fault([0x03]) == 1002)
        #expect(try await fault([0x03, 0xE8, 0xFF]) == 1007)
    }

    @Test("a connection that ends in a frame has ended")
    func end() async throws {
        let whole = frame(0x81, Array("abc".utf8))
        for count in 0..<whole.count {
            let (messages, fault) = try await read(Array(whole.prefix(count)))
            #expect(messages.isEmpty && fault == nil)
        }
    }
}
