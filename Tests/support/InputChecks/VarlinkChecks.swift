// SPDX-License-Identifier: Apache-2.0
import Control
import HostAPI
import Pad
import Record

/// Checks bytes from a host in pieces of any size: each message is a call, or gets an error of one message.
enum VarlinkChecks {
    /// The message limit: smaller than ``ControlLimits``, so that the fuzzer reaches it.
    private static let limit = 2048

    static func check(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        // The messages must not depend on the pieces.
        let (whole, pieces) = (try messages([bytes[...]]), try messages(Self.pieces(of: bytes)))
        try require(whole == pieces, "other messages in pieces")
        var isValid = false
        for message in whole {
            let call: VarlinkCall
            do throws(MalformedMessage) { call = try VarlinkCall(message[...]) } catch {
                try checkReply(.malformedMessage(reason: error.description))
                continue
            }
            do throws(PanelError) {
                _ = try HostCall(call, by: .operator)
                isValid = true
            } catch {
                try checkReply(error)
            }
        }
        return isValid
    }

    private static func checkReply(_ error: PanelError) throws(CheckedInput.Fault) {
        let reply = ReplyEncoder.message(error)
        try require(reply.firstIndex(of: 0) == reply.count - 1, "not one message: \(error)")
        try require((try? VarlinkCall(reply.dropLast())) == nil, "an error that is a call")
    }

    /// The length of each piece is its first byte, plus one.
    private static func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while let length = rest.first {
            pieces.append(rest.prefix(Int(length) + 1))
            rest = rest.dropFirst(Int(length) + 1)
        }
        return pieces
    }

    /// All messages until the connection would end.
    private static func messages(_ pieces: [ArraySlice<UInt8>]) throws(CheckedInput.Fault) -> [[UInt8]] {
        var framer = MessageFramer(limit: limit)
        var messages: [[UInt8]] = []
        for piece in pieces {
            framer.append(piece)
            while true {
                let message: ArraySlice<UInt8>?
                do throws(MalformedMessage) { message = try framer.next() } catch { return messages }
                guard let message else { break }
                try require(message.count <= limit && !message.contains(0), "a message of \(message.count) bytes")
                messages.append(Array(message))
            }
        }
        return messages
    }
}
