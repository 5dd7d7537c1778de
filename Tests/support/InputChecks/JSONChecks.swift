// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import JSON

/// Checks that what is read as JSON is read as the same when it is written again.
enum JSONChecks {
    static func check(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let value: JSONValue
        do throws(JSONFault) { value = try JSONValue(bytes) } catch {
            try require(error.line >= 1 && error.column >= 1 && !error.reason.isEmpty, "a fault without a place")
            return false
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        guard let written = try? encoder.encode(value) else { throw CheckedInput.Fault("a value that is not written") }
        // A double such as 5.0 is written as 5.
        try require(
            (try? JSONValue(written)).map { numbers(of: $0) } == numbers(of: value), "another value when read again")
        return true
    }

    /// The value with one form of numbers.
    private static func numbers(of value: JSONValue) -> JSONValue {
        switch value {
        case .number(let number): Int64(exactly: number).map { .integer($0) } ?? value
        case .list(let list): .list(list.map { numbers(of: $0) })
        case .object(let members): .object(members.mapValues { numbers(of: $0) })
        default: value
        }
    }
}
