// SPDX-License-Identifier: Apache-2.0

/// A structure that says which members it has.
protocol StrictMembers: Codable, Sendable {
    associatedtype CodingKeys: CodingKey & CaseIterable
}

/// A structure in which no other members are taken than its own: a misspelt name would otherwise do nothing, silently.
struct Strict<Value: StrictMembers>: Codable, Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }

    private struct AnyKey: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        let known = Set(Value.CodingKeys.allCases.map(\.stringValue))
        // In the order of names, so that the same call gets the same error.
        let unknown = container.allKeys.filter { !known.contains($0.stringValue) }
        if let key = unknown.min(by: { $0.stringValue < $1.stringValue }) {
            let names = Value.CodingKeys.allCases.map(\.stringValue)
            throw Expectation.failure(
                names.isEmpty ? "no parameters" : "one of the names \(names.joined(separator: ", "))",
                at: container.codingPath + [key])
        }
        value = try Value(from: decoder)
    }

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension Strict: Equatable where Value: Equatable {}
