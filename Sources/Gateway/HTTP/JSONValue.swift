// SPDX-License-Identifier: Apache-2.0
import Foundation
import JSON

/// Not FlyingFox's type of this name.
typealias JSONValue = JSON.JSONValue

extension Encodable {
    /// The value as JSON in UTF-8, with the members of objects in order.
    var json: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Infinite numbers alone cannot be encoded, and JSON has none.
        return (try? encoder.encode(self)) ?? Data("null".utf8)
    }
}
