// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A JSON value. The gateway passes most values between hosts and the panel as they are; the panel checks them.
enum JSONValue: Equatable, Sendable {
    case null
    case flag(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    /// Levels of nesting that ``init(json:)`` accepts, as the panel does.
    private static let deepest = 16

    /// - Returns: nil if the text is not one JSON value of at most 16 levels.
    init?(json: Data) {
        guard Self.depth(of: json) <= Self.deepest,
            let value = try? JSONDecoder().decode(JSONValue.self, from: json)
        else { return nil }
        self = value
    }

    /// In UTF-8, with the members of objects in order.
    var json: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Infinite numbers alone cannot be encoded, and JSON has none.
        return (try? encoder.encode(self)) ?? Data("null".utf8)
    }

    subscript(member: String) -> JSONValue? {
        if case .object(let members) = self { members[member] } else { nil }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
    var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
    var list: [JSONValue]? { if case .list(let list) = self { list } else { nil } }
    var object: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }

    /// The number, whether it is written with decimals or not.
    var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }

    /// Deepest nesting of brackets outside of strings.
    private static func depth(of json: Data) -> Int {
        var (depth, deepest, isInString, isEscaped) = (0, 0, false, false)
        for byte in json {
            if isEscaped {
                isEscaped = false
            } else if isInString {
                isEscaped = byte == UInt8(ascii: "\\")
                if byte == UInt8(ascii: "\"") { isInString = false }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
                deepest = max(deepest, depth)
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                depth -= 1
            }
        }
        return deepest
    }
}

extension JSONValue: Codable {
    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: MemberName.self) {
            var values: [String: JSONValue] = [:]
            for name in members.allKeys { values[name.stringValue] = try members.decode(JSONValue.self, forKey: name) }
            self = .object(values)
        } else if var list = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !list.isAtEnd { values.append(try list.decode(JSONValue.self)) }
            self = .list(values)
        } else {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                self = .null
            } else if let flag = try? value.decode(Bool.self) {
                self = .flag(flag)
            } else if let integer = try? value.decode(Int64.self) {
                self = .integer(integer)
            } else if let number = try? value.decode(Double.self) {
                self = .number(number)
            } else {
                self = .text(try value.decode(String.self))
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let values):
            var members = encoder.container(keyedBy: MemberName.self)
            for (name, value) in values { try members.encode(value, forKey: MemberName(stringValue: name)) }
        case .list(let values):
            var list = encoder.unkeyedContainer()
            for value in values { try list.encode(value) }
        case .null:
            var value = encoder.singleValueContainer()
            try value.encodeNil()
        case .flag(let flag):
            var value = encoder.singleValueContainer()
            try value.encode(flag)
        case .integer(let integer):
            var value = encoder.singleValueContainer()
            try value.encode(integer)
        case .number(let number):
            var value = encoder.singleValueContainer()
            try value.encode(number)
        case .text(let text):
            var value = encoder.singleValueContainer()
            try value.encode(text)
        }
    }

    private struct MemberName: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
    init(stringLiteral text: String) { self = .text(text) }
    init(integerLiteral integer: Int64) { self = .integer(integer) }
    init(booleanLiteral flag: Bool) { self = .flag(flag) }
    init(arrayLiteral values: JSONValue...) { self = .list(values) }
    init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(members) { _, last in last })
    }
}
