// SPDX-License-Identifier: Apache-2.0
package import FlyingFox
import FlyingSocks
import Foundation

/// Frames of a WebSocket (RFC 6455), refused by their headers, before their content is read.
package actor WebSocketFrames {
    /// Bytes of a message, as the virtual panel itself accepts them.
    package static let messageLimit = 16 << 10
    private static let controlLimit = 125

    /// Why a connection must end.
    package struct Fault: Error {
        package let code: WSCloseCode

        static func violation(_ reason: String) -> Fault { Fault(code: WSCloseCode(1002, reason: reason)) }
    }

    private struct Header {
        let opcode: WSFrame.Opcode
        let isLast: Bool
        let length: Int

        var isControl: Bool { opcode.rawValue & 8 != 0 }
    }

    private let reader: SocketReader
    /// Bytes of a message.
    private let limit: Int
    /// The message whose last frame has not come.
    private var message: WSFrame?

    package init(_ reader: SocketReader, limit: Int = WebSocketFrames.messageLimit) {
        (self.reader, self.limit) = (reader, limit)
    }

    /// Waits for a message, whole, or a control frame.
    /// - Returns: nil if the connection has ended.
    /// - Throws: ``Fault``.
    package func next() async throws -> WSFrame? {
        do {
            while true {
                let header = try await header()
                let mask = Array(try await reader.bytes(4))
                var payload = Data(try await reader.bytes(header.length))
                for index in payload.indices { payload[index] ^= mask[index % 4] }
                if header.isControl { return try control(header, payload) }
                if header.opcode == .continuation {
                    message?.payload += payload
                } else {
                    message = WSFrame(fin: true, opcode: header.opcode, mask: nil, payload: payload)
                }
                if header.isLast {
                    defer { message = nil }
                    return message
                }
            }
        } catch is SocketError {
            return nil
        }
    }

    private func header() async throws -> Header {
        let bytes = Array(try await reader.bytes(2))
        guard bytes[0] & 0x70 == 0 else { throw Fault.violation("no extension was agreed on") }
        guard bytes[1] & 0x80 != 0 else { throw Fault.violation("frames of clients are masked") }
        let opcode = WSFrame.Opcode(bytes[0] & 15)
        guard [.continuation, .text, .binary, .close, .ping, .pong].contains(opcode) else {
            throw Fault.violation("there is no opcode \(opcode.rawValue)")
        }
        let header = Header(opcode: opcode, isLast: bytes[0] & 0x80 != 0, length: try await length(bytes[1] & 0x7F))
        if header.isControl {
            guard header.isLast, header.length <= Self.controlLimit else {
                throw Fault.violation("control frames are whole and short")
            }
        } else {
            guard (message != nil) == (opcode == .continuation) else {
                throw Fault.violation("a message goes on with continuation frames")
            }
            guard header.length <= limit - (message?.payload.count ?? 0) else {
                throw Fault(code: .tooLongMessage(limit: limit))
            }
        }
        return header
    }

    private func length(_ short: UInt8) async throws -> Int {
        if short < 126 { return Int(short) }
        let bytes = try await reader.bytes(short == 126 ? 2 : 8)
        let length = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length >= (short == 126 ? 126 : 65536), let length = Int(exactly: length) else {
            throw Fault.violation("lengths are as short as they can be")
        }
        return length
    }

    private func control(_ header: Header, _ payload: Data) throws -> WSFrame {
        if header.opcode == .close, !payload.isEmpty {
            let code = payload.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            let codes = [1000...1003, 1007...1014, 3000...4999]
            guard payload.count >= 2, codes.contains(where: { $0.contains(code) }) else {
                throw Fault.violation("there is no such code")
            }
            guard String(validating: payload.dropFirst(2), as: UTF8.self) != nil else {
                throw Fault(code: WSCloseCode(1007, reason: "the reason is not UTF-8"))
            }
        }
        return WSFrame(fin: true, opcode: header.opcode, mask: nil, payload: payload)
    }

    /// A frame as servers send it.
    static func encoded(_ frame: WSFrame) -> Data {
        var data = Data([0x80 | frame.opcode.rawValue])
        let length = frame.payload.count
        switch length {
        case ..<126: data.append(UInt8(length))
        case ..<65536: data += [126, UInt8(length >> 8), UInt8(length & 255)]
        default: data += [127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        }
        return data + frame.payload
    }
}

extension WSCloseCode {
    /// The page is not to try again with this token.
    package static let tokenEnded = WSCloseCode(4003, reason: "the token was removed or changed, or has expired")
    static func tooLongMessage(limit: Int) -> WSCloseCode {
        WSCloseCode(1009, reason: "a message is longer than \(limit) bytes")
    }
}
