// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Linux

/// What commands print for programs: JSON as the interface has it, a member a line.
enum JSONText {
    /// A terminal may be sent it: what could steer one is escaped, which is the same to a program.
    static func encode(_ value: some Encodable) throws(CommandError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        guard let data = try? encoder.encode(value) else {
            throw .unusableInput("what the panel says holds a number that cannot be written as JSON")
        }
        // Outside of strings there are none but line feeds. The encoder escapes those below U+0020 alone.
        var text = ""
        for scalar in String(decoding: data, as: UTF8.self).unicodeScalars {
            if scalar.steersTerminal, scalar != "\n" {
                text += scalar.escape
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text + "\n"
    }
}
