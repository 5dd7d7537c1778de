// SPDX-License-Identifier: Apache-2.0

/// A JSON value (RFC 8259), read by ``init(_:)``.
public enum JSONValue: Equatable, Sendable {
    case null
    case flag(Bool)
    /// A number that is written without fraction and exponent.
    case integer(Int64)
    /// Any other number. It is finite.
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    public subscript(member: String) -> JSONValue? {
        if case .object(let members) = self { members[member] } else { nil }
    }

    public var text: String? { if case .text(let text) = self { text } else { nil } }
    public var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
    public var list: [JSONValue]? { if case .list(let list) = self { list } else { nil } }
    public var object: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }

    /// The whole number, also if it is written as `30.0` or `3e1`. Beyond 2^53 a double does not tell neighbours apart.
    public var integer: Int64? {
        switch self {
        case .integer(let integer): integer
        case .number(let number) where abs(number) <= Self.largestExact && !number.isMinusZero: Int64(exactly: number)
        default: nil
        }
    }

    /// The number, unless it is a whole one that no double holds.
    public var number: Double? {
        switch self {
        case .integer(let integer): Double(exactly: integer)
        case .number(let number): number
        default: nil
        }
    }

    /// All whole numbers up to here have a double of their own.
    private static let largestExact = 0x1p53
}

extension Double {
    fileprivate var isMinusZero: Bool { self == 0 && sign == .minus }
}

extension JSONValue: Encodable {
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let values):
            var members = encoder.container(keyedBy: JSONKey.self)
            for (name, value) in values { try members.encode(value, forKey: JSONKey(stringValue: name)) }
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
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
    public init(stringLiteral text: String) { self = .text(text) }
    public init(integerLiteral integer: Int64) { self = .integer(integer) }
    public init(booleanLiteral flag: Bool) { self = .flag(flag) }
    public init(arrayLiteral values: JSONValue...) { self = .list(values) }
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(members) { _, last in last })
    }
}
