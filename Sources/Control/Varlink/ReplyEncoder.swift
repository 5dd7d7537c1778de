// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Answers as messages, their end included.
package enum ReplyEncoder {
    private struct Reply<Parameters: Encodable>: Encodable {
        var parameters: Parameters
        var continues: Bool?
    }

    private struct Failure: Encodable {
        var error: String
        var parameters: ErrorParameters
    }

    /// - Parameter continues: another answer to the same call follows.
    static func message(_ parameters: some Encodable, continues: Bool = false) -> [UInt8] {
        encode(Reply(parameters: parameters, continues: continues ? true : nil))
    }

    package static func message(_ error: CallError) -> [UInt8] {
        let (name, parameters) = error.wire
        return encode(Failure(error: name, parameters: parameters))
    }

    private static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // JSON escapes zero bytes in texts, so that the only one is the end.
        if let data = try? encoder.encode(value) { return Array(data) + [0] }
        // A number that is none, which whoever answered should not have said; an error holds texts only.
        return message(CallError.unavailable(reason: "the answer holds a number that cannot be written as JSON"))
    }
}
