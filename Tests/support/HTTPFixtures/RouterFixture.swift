// SPDX-License-Identifier: Apache-2.0
import Configuration
package import FlyingFox
import Foundation
package import HTTP
package import JSON
import Linux

/// Not FlyingFox's type of this name.
package typealias JSONValue = JSON.JSONValue

/// A router in front of a few routes, with tokens that are not in a file.
package struct RouterFixture {
    package static let till = "https://till.example"

    /// Has the scope `capture`.
    package static let token = Token.make(name: "till", scopes: [.capture], expires: nil, now: Date())

    private let router: Router

    /// - Parameter bearer: the one known token.
    package init(_ routes: [Route], bearer: Token = Self.token.token, isBehindServer: Bool = false) throws {
        try self.init(bearer: bearer, isBehindServer: isBehindServer) { _, _ in routes }
    }

    package init(
        bearer: Token = Self.token.token, isBehindServer: Bool = false, routes: (Bearers, WebAddress) -> [Route]
    ) throws {
        let log = Log(identifier: "test")
        let address = WebAddress(names: ["pad"], origins: [try WebOrigin(Self.till)])
        let bearers = Bearers(file: nil, visitor: bearer, log: log)
        router = Router(
            routes: routes(bearers, address), address: address, bearers: bearers, isBehindServer: isBehindServer,
            log: log)
    }

    /// - Parameter headers: in place of Host, or besides.
    package func response(
        _ method: String, _ address: String, token: String? = Self.token.text, _ headers: [String: String] = [:],
        body: String = ""
    ) async -> HTTPResponse {
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var all = HTTPHeaders(["Host": "pad"].merging(headers) { $1 }.map { (HTTPHeader($0), $1) })
        if let token, all[.authorization] == nil { all[.authorization] = "Bearer " + token }
        return await router.response(
            to: HTTPRequest(
                method: HTTPMethod(method), version: .http11,
                target: HTTPRequest.Target(path: parts[0], query: parts.count > 1 ? parts[1] : ""), headers: all,
                body: HTTPBodySequence(data: Data(body.utf8))))
    }
}

extension HTTPHeaders {
    fileprivate init(_ values: [(HTTPHeader, String)]) {
        self.init()
        for (header, value) in values { self[header] = value }
    }
}

extension HTTPResponse {
    package var status: Int { statusCode.code }

    package var text: String {
        get async throws { String(decoding: try await bodyData, as: UTF8.self) }
    }

    /// The body's members.
    package var object: [String: JSONValue] {
        get async throws { try JSONValue(try await bodyData).object ?? [:] }
    }

    /// The name of the problem that it describes; nil for none.
    package var problem: String? {
        get async throws {
            guard headers[.contentType] == "application/problem+json", let type = try await object["type"]?.text else {
                return nil
            }
            return type.hasPrefix("urn:inkpanel:problem:") ? String(type.dropFirst(21)) : nil
        }
    }
}
