// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Encodes replies as messages, with their terminators.
package enum ReplyEncoder {
    private struct Reply<Parameters: Encodable>: Encodable {
        var parameters: Parameters
        var continues: Bool?
    }

    /// - Parameter continues: another reply to the same call follows.
    package static func message(_ parameters: some Encodable, continues: Bool = false) -> [UInt8] {
        encode(Reply(parameters: parameters, continues: continues ? true : nil))
    }

    package static func message(_ error: PanelError) -> [UInt8] {
        encode(ErrorMessage(error))
    }

    private static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // JSON escapes zero bytes in texts, so the only one is the terminator.
        if let data = try? encoder.encode(value) { return Array(data) + [0] }
        // An infinity or NaN. Errors have no numbers, so this does not recur.
        return message(PanelError.unavailable(reason: "the answer contains a number that JSON cannot represent"))
    }
}
