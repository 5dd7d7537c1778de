// SPDX-License-Identifier: Apache-2.0
package import FlyingFox
package import Foundation
package import JSON

/// Not FlyingFox's type of this name.
package typealias JSONValue = JSON.JSONValue

extension Encodable {
    /// The value as JSON in UTF-8, with the members of objects in order.
    package var json: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Infinite numbers alone cannot be encoded, and JSON has none.
        return (try? encoder.encode(self)) ?? Data("null".utf8)
    }
}

extension HTTPResponse {
    /// - Parameter json: a literal is a ``JSONValue``.
    package init(_ status: HTTPStatusCode = .ok, json: JSONValue, headers: HTTPHeaders = [:]) {
        self.init(status, document: json, headers: headers)
    }

    package init(_ status: HTTPStatusCode = .ok, document: some Encodable, headers: HTTPHeaders = [:]) {
        self.init(statusCode: status, headers: headers, body: document.json)
        self.headers[.contentType] = "application/json"
    }

    /// The client has the version with this tag (RFC 9110, 15.4.5).
    package static func notModified(_ tag: String) -> HTTPResponse {
        var response = HTTPResponse(statusCode: .notModified)
        response.headers[.eTag] = tag
        return response
    }
}
