// SPDX-License-Identifier: Apache-2.0
import Configuration
import FlyingFox
import Foundation
import HTTP
import JSON

extension Route {
    /// Seconds.
    private static let lifetimeRange: ClosedRange<Int64> = 10...900
    private static let captureRange: ClosedRange<Int64> = 1...100

    /// Short tokens, which a host's back end makes for one web page.
    static func sessions(_ bearers: Bearers, _ address: WebAddress) -> [Route] {
        [
            Route("POST", "/v1/sessions", nil) { call, end in
                try call.checkQuery()
                let parent = end.bearer
                let members = try call.object()
                try check(members, ["origin", "captures", "lifetime", "scopes"])
                let origin = try origin(members["origin"], of: parent, address, call)
                let scopes = try scopes(members["scopes"], of: parent)
                let (token, text) = try await bearers.addSession(
                    of: parent, origin: origin, scopes: scopes, captures: try captures(members),
                    seconds: try lifetime(members))
                return response(.created, token, text)
            },
            // Pages that stay open need this: their address, or their connection, has the token of the session.
            Route("POST", "/v1/sessions/renew", nil) { call, end in
                try call.checkQuery()
                let members = try call.object()
                try check(members, ["session", "captures", "lifetime"])
                let (count, seconds) = (try captures(members), try lifetime(members))
                guard let text = members["session"]?.text,
                    let token = await bearers.renewSession(text, of: end.bearer, captures: count, seconds: seconds)
                else {
                    throw Problem.invalid("/session", "a session of this token that has not ended; make a new one")
                }
                return response(.ok, token, text)
            },
        ]
    }

    private static func check(_ members: [String: JSONValue], _ known: [String]) throws {
        guard let other = members.keys.sorted().first(where: { !known.contains($0) }) else { return }
        throw Problem.invalid(
            "/" + other, known.dropLast().joined(separator: ", ") + " and " + (known.last ?? "") + " only")
    }

    private static func captures(_ members: [String: JSONValue]) throws -> Int {
        Int(try number(members, "captures", captureRange, usual: 1))
    }

    private static func lifetime(_ members: [String: JSONValue]) throws -> TimeInterval {
        TimeInterval(try number(members, "lifetime", lifetimeRange, usual: lifetimeRange.upperBound))
    }

    private static func number(
        _ members: [String: JSONValue], _ name: String, _ range: ClosedRange<Int64>, usual: Int64
    ) throws -> Int64 {
        guard let value = members[name] else { return usual }
        guard let number = value.integer, range.contains(number) else {
            throw Problem.invalid("/" + name, "\(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func response(_ status: HTTPStatusCode, _ token: Token, _ text: String) -> HTTPResponse {
        let expires = token.expires?.formatted(.iso8601) ?? ""
        return HTTPResponse(status, json: ["token": .text(text), "expires": .text(expires)])
    }

    private static func origin(
        _ value: JSONValue?, of parent: Token, _ address: WebAddress, _ call: RoutedRequest
    ) throws -> String {
        let expected = "the origin of the web page, such as https://till.example"
        guard let text = value?.text else { throw Problem.invalid("/origin", expected) }
        let obstacle: String?
        do throws(WebOriginError) {
            // The back end calls the gateway by its address, and pages do by the same.
            obstacle = address.obstacle(
                for: try WebOrigin(text), scheme: call.scheme, host: call[header: "Host"] ?? "")
        } catch {
            throw Problem.invalid("/origin", "\(expected); \(error)")
        }
        if let obstacle { throw Problem.invalid("/origin", "\(expected); \(obstacle)") }
        if !parent.origins.isEmpty, !parent.origins.contains(text) {
            throw Problem.invalid("/origin", "\(expected); the calling token is not for \(text)")
        }
        return text
    }

    private static func scopes(_ value: JSONValue?, of parent: Token) throws -> Set<Scope> {
        let usual = Set([Scope.capture, .record].filter(parent.allows))
        guard let value else {
            guard !usual.isEmpty else {
                throw Problem.invalid(
                    "/scopes", "an array of scopes, because the calling token has no capture or record")
            }
            return usual
        }
        let scopes = value.list?.map { $0.text.flatMap(Scope.init(rawValue:)) } ?? [nil]
        guard !scopes.isEmpty, scopes.allSatisfy({ $0.map { $0 != .admin && parent.allows($0) } ?? false }) else {
            throw Problem.invalid("/scopes", "an array of scopes that the calling token has, without admin")
        }
        return Set(scopes.compactMap { $0 })
    }
}
