// SPDX-License-Identifier: Apache-2.0

/// A whole number, whose errors say where it is: for one with a fraction or beyond 64 bits the decoder's own do not.
struct Whole: Codable, Sendable {
    var value: Int64

    init(_ value: Int64) { self.value = value }

    init(from decoder: any Decoder) throws {
        do {
            value = try decoder.singleValueContainer().decode(Int64.self)
        } catch {
            throw Expectation.failure("a whole number of 64 bits", at: decoder.codingPath)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
