// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import JSON

extension Route {
    /// The panel's status.
    static func panel(_ panel: Panel) -> [Route] {
        [
            Route("GET", "/v1/panel", .scope(.panel)) { call in
                try call.checkQuery()
                return HTTPResponse(json: try await panel.call("Status")["status"] ?? [:])
            }
        ]
    }
}

extension HTTPResponse {
    init(_ status: HTTPStatusCode = .ok, json: JSONValue, headers: HTTPHeaders = [:]) {
        self.init(statusCode: status, headers: headers, body: json.json)
        self.headers[.contentType] = "application/json"
    }

    /// The client has the version with this tag (RFC 9110, 15.4.5).
    static func notModified(_ tag: String) -> HTTPResponse {
        var response = HTTPResponse(statusCode: .notModified)
        response.headers[.eTag] = tag
        return response
    }
}
