// SPDX-License-Identifier: Apache-2.0
import Configuration
import Pad

/// Checks files that owners of a panel write.
enum SettingChecks {
    static func check(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Configuration(document: bytes, path: "fuzzed")
        } catch {
            try require(!error.description.isEmpty, "an error without words")
            return false
        }
        let written = try? Configuration(document: Array(configuration.text.utf8), path: "written")
        try require(written == configuration, "another configuration when written and read")
        return true
    }

    static func checkMessages(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        let table: MessageTable
        do throws(MessageError) {
            table = try MessageTable(parsing: text, fallback: MessageTable(.english))
        } catch {
            try require(!error.description.isEmpty, "an error without words")
            return false
        }
        for message in Message.allCases { try require(!table[message].isEmpty, "a message without words") }
        for format in [table.dateFormat, table.timeFormat] {
            let text = format.text(year: 2026, month: 1, day: 2, hour: 3, minute: 4)
            try require(!text.isEmpty, "a date without words")
        }
        return true
    }
}
