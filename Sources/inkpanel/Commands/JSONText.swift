// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// What commands print for programs: JSON as the interface has it, a member a line.
enum JSONText {
    static func encode(_ value: some Encodable) throws(CommandError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        guard let data = try? encoder.encode(value) else {
            throw .unusableInput("what the panel says holds a number that cannot be written as JSON")
        }
        return Array(data) + [UInt8(ascii: "\n")]
    }
}
