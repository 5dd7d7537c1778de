// SPDX-License-Identifier: Apache-2.0
import JSON

/// A structure that decodes from an object with these members only.
package protocol StrictMembers: Codable, Sendable {
    associatedtype CodingKeys: CodingKey & CaseIterable
}

/// Decodes the value, and fails if the object has other members: a misspelt name would have no effect otherwise.
struct Strict<Value: StrictMembers>: Codable, Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }

    init(from decoder: any Decoder) throws {
        _ = try decoder.strictContainer(keyedBy: Value.CodingKeys.self)
        value = try Value(from: decoder)
    }

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension Strict: Equatable where Value: Equatable {}

/// A whole number. The decoder's own error for a fraction or a number beyond 64 bits does not say where it is.
struct Whole: Codable, Equatable, Sendable {
    var value: Int64

    init(_ value: Int64) { self.value = value }

    init(from decoder: any Decoder) throws {
        do {
            value = try decoder.singleValueContainer().decode(Int64.self)
        } catch {
            throw Expectation.failure("a 64-bit integer", at: decoder.codingPath)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

private struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int? = nil
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
}

extension Decoder {
    /// The members of an object that has no others.
    func strictContainer<Key: CodingKey & CaseIterable>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        let container = try self.container(keyedBy: AnyKey.self)
        let names = Key.allCases.map(\.stringValue)
        // Sorted, so that the same call always gets the same error.
        let unknown = container.allKeys.filter { !names.contains($0.stringValue) }
        if let key = unknown.min(by: { $0.stringValue < $1.stringValue }) {
            throw Expectation.failure(
                names.isEmpty ? "no parameters" : "one of the names \(names.joined(separator: ", "))",
                at: container.codingPath + [key])
        }
        return try self.container(keyedBy: type)
    }
}

extension KeyedDecodingContainer {
    /// An object as ``Swift/Decoder/strictContainer(keyedBy:)``; nil if it is missing or null.
    func strictContainerIfPresent<Member: CodingKey & CaseIterable>(
        keyedBy type: Member.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Member>? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try superDecoder(forKey: key).strictContainer(keyedBy: type)
    }

    /// - Parameter items: what the array is of, for the message.
    func decodeListIfPresent<Item: Decodable>(
        _ type: Item.Type, forKey key: Key, of items: String
    ) throws -> [Item]? {
        do {
            return try decodeIfPresent([Item].self, forKey: key)
        } catch DecodingError.typeMismatch(let type, let context)
            where type is [JSONValue].Type && context.codingPath.count == codingPath.count + 1
        {
            throw Expectation.failure("an array of \(items)", at: codingPath + [key])
        }
    }

    func decodeWholeIfPresent(forKey key: Key) throws -> Int64? {
        try decodeIfPresent(Whole.self, forKey: key)?.value
    }

    func decodeMicrosecondsIfPresent(forKey key: Key) throws -> Duration? {
        try decodeWholeIfPresent(forKey: key).map { .microseconds($0) }
    }
}

// MARK: errors

/// A requirement that a value does not meet; fits after "expected". The decoder passes it on as an underlying error.
struct Expectation: Error {
    let text: String

    static func failure(_ text: String, at path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(.init(codingPath: path, debugDescription: text, underlyingError: Expectation(text: text)))
    }
}

extension DecodingError {
    /// The requirement that the value does not meet; fits after "expected". nil if the error does not say.
    var expectation: String? {
        switch self {
        case .typeMismatch(let type, _), .valueNotFound(let type, _):
            switch type {
            case is String.Type: "a text"
            case is Bool.Type: "true or false"
            case is Double.Type: "a number"
            case is [JSONValue].Type: "an array"
            case is [String: JSONValue].Type: "an object"
            default: nil
            }
        case .keyNotFound: "a value, but it is missing"
        case .dataCorrupted(let context): (context.underlyingError as? Expectation)?.text
        @unknown default: nil
        }
    }
}
