// SPDX-License-Identifier: Apache-2.0
package import FlyingFox
package import Foundation
package import HostAPI
import JSON
package import Linux

/// A request that has passed all checks.
package struct RoutedRequest: Sendable {
    package let request: HTTPRequest
    /// Values of the pattern's parts in braces, such as `id`.
    package let parameters: [String: String]
    /// The address that the request came from.
    package let client: String
    /// Origin of the page that calls, if it is not the gateway's.
    package let origin: String?
    /// The scheme of the gateway's own pages.
    package let scheme: String
    /// At most ``Router/bodyLimit`` bytes.
    package let body: Data

    package subscript(header name: String) -> String? { request.headers[HTTPHeader(name)] }

    /// Whether the client has the version with this tag. Servers in between make tags weak when they compress, so the
    /// comparison is weak (RFC 9110, 13.1.2).
    package func hasVersion(_ tag: String) -> Bool {
        (self[header: "If-None-Match"] ?? "").split(separator: ",").contains { item in
            let item = item.withoutSpace
            return item == "*" || item == tag || item == "W/" + tag
        }
    }

    /// The capture that the path names.
    /// - Throws: ``Problem`` with status 404.
    package func captureID() throws -> CaptureID {
        guard let id = parameters["id"].flatMap(CaptureID.init) else {
            throw Problem.notFound("There is no such capture.")
        }
        return id
    }

    /// The media type of the body, in lower case; nil if the client does not say it.
    /// - Throws: ``Problem`` with status 415 for a body that is compressed (RFC 9110, 8.4).
    package func bodyType() throws -> String? {
        if let encoding = self[header: "Content-Encoding"]?.withoutSpace.lowercased(), encoding != "identity" {
            throw Problem(
                name: .wrongContentType, status: 415, detail: "Send the body as it is, without Content-Encoding.")
        }
        return self[header: "Content-Type"]?.prefix { $0 != ";" }.withoutSpace.lowercased()
    }

    /// The body as JSON object; an empty body is one without members.
    /// - Throws: ``Problem`` with status 400 or 415.
    package func object() throws -> [String: JSONValue] {
        if body.isEmpty { return [:] }
        guard try bodyType() == "application/json" else {
            throw Problem(name: .wrongContentType, status: 415, detail: "Content-Type must be application/json.")
        }
        func notJSON(_ reason: String) -> Problem {
            Problem(name: .notJSON, status: 400, detail: "The body is not a JSON object: \(reason).")
        }
        let value: JSONValue
        do throws(JSONFault) { value = try JSONValue(body) } catch { throw notJSON(error.description) }
        guard let members = value.object else { throw notJSON("it is another value") }
        return members
    }

    /// A query parameter. An unknown one is an error, see ``checkQuery(_:)``.
    package func query(_ name: String) -> String? { request.query.first { $0.name == name }?.value }

    /// - Throws: ``Problem`` if the query has other parameters, or one twice.
    package func checkQuery(_ known: String...) throws {
        var seen: Set<String> = []
        for item in request.query {
            guard known.contains(item.name) else {
                throw Problem.invalid(
                    item.name, known.isEmpty ? "no query parameters" : "one of " + known.joined(separator: ", "))
            }
            guard seen.insert(item.name).inserted else { throw Problem.invalid(item.name, "one value") }
        }
    }
}

/// An operation of the API.
package struct Route: Sendable {
    enum Access: Sendable {
        /// Everybody may call.
        case open(@Sendable (RoutedRequest) async throws -> HTTPResponse)
        /// Tokens with the scope may call, or any if it is nil. The answer gets the caller, and when its right ends.
        case token(Scope?, @Sendable (RoutedRequest, BearerEnd) async throws -> HTTPResponse)
        /// Sessions with the scope may call. The address has the session as ``Route/sessionPart``: pages that speak
        /// another pad's protocol can change their address only. The handler itself must watch for the end of the
        /// session's right.
        case session(Scope, @Sendable (RoutedRequest, BearerEnd) async throws -> HTTPResponse)
    }

    /// The name of the part of a path that is a session.
    static let sessionPart = "session"

    let method: String
    /// Parts of the path; `{name}` is any one, `{name...}` at the end all that follow.
    let path: [Substring]
    let access: Access
    /// The body of a route with a streamed one is not in ``RoutedRequest/body``.
    package var body = BodyRule.call

    /// Makes a route for everybody.
    package init(
        open method: String, _ path: String, answer: @escaping @Sendable (RoutedRequest) async throws -> HTTPResponse
    ) {
        self.init(method, path, .open(answer))
    }

    /// - Parameter scope: of the tokens; nil for any.
    package init(
        _ method: String, _ path: String, _ scope: Scope?,
        answer: @escaping @Sendable (RoutedRequest, BearerEnd) async throws -> HTTPResponse
    ) {
        self.init(method, path, .token(scope, answer))
    }

    /// Makes a route for the session in its path.
    package init(
        _ method: String, session path: String, _ scope: Scope,
        answer: @escaping @Sendable (RoutedRequest, BearerEnd) async throws -> HTTPResponse
    ) {
        self.init(method, path, .session(scope, answer))
    }

    private init(_ method: String, _ path: String, _ access: Access) {
        self.method = method
        self.path = path.split(separator: "/", omittingEmptySubsequences: false)
        self.access = access
    }

    /// - Returns: the values of the parts in braces; nil if the path is not this route's.
    func parameters(of parts: [Substring]) -> [String: String]? {
        let takesRest = path.last?.hasSuffix("...}") == true
        guard parts.count == path.count || takesRest && parts.count > path.count else { return nil }
        var values: [String: String] = [:]
        for (pattern, part) in zip(path, parts) {
            if pattern.hasSuffix("...}") {
                values[String(pattern.dropFirst().dropLast(4))] = parts[(path.count - 1)...].joined(separator: "/")
            } else if pattern.hasPrefix("{") {
                guard !part.isEmpty else { return nil }
                values[String(pattern.dropFirst().dropLast())] = String(part)
            } else if pattern != part {
                return nil
            }
        }
        return values
    }
}

/// Checks every request (host, origin, route, token, scope), in this order, and hands it to its route.
package struct Router: Sendable {
    /// Id of the token that a request comes from.
    @TaskLocal package static var caller = ""

    /// The longest body in bytes, also of a call to the panel (docs/host-api.md, Limits).
    package static let bodyLimit = 64 << 10
    /// The longest body of a call without a token: reading JSON costs more than refusing a stranger may.
    private static let openBodyLimit = 1 << 10
    private static let allowedHeaders =
        "authorization, content-type, idempotency-key, if-none-match, last-event-id, prefer"
    private static let exposedHeaders = "content-disposition, etag, location, retry-after, www-authenticate"
    /// Seconds for which browsers remember what a preflight allowed.
    private static let preflightAge = 600

    let routes: [Route]
    let address: WebAddress
    let bearers: Bearers
    /// Whether a server in front of the gateway says who the client is. Only it reaches the gateway's Unix socket.
    let isBehindServer: Bool
    let log: Log

    package init(routes: [Route], address: WebAddress, bearers: Bearers, isBehindServer: Bool, log: Log) {
        self.routes = routes
        self.address = address
        self.bearers = bearers
        self.isBehindServer = isBehindServer
        self.log = log
    }

    package func response(to request: HTTPRequest) async -> HTTPResponse {
        var origin: String?
        do {
            origin = try self.origin(of: request.headers)
            return finished(try await answer(request, origin), origin)
        } catch let problem as Problem {
            return finished(problem.response, origin)
        } catch is CancellationError {
            // The server cancels requests that take longer than its limit.
            let problem = Problem(name: .tooSlow, status: 504, detail: "The panel did not answer in time; try again.")
            return finished(problem.response, origin)
        } catch {
            log.error("\(request.method.rawValue) \(loggedPath(of: request).printable): \(error)")
            let problem = Problem(
                name: .internal, status: 500, detail: "The gateway has a fault; its log has more.")
            return finished(problem.response, origin)
        }
    }

    /// The rule for the body of a request.
    func bodyRule(of head: RequestHead) -> BodyRule {
        let parts = head.target.path().split(separator: "/", omittingEmptySubsequences: false)
        return routes.first { $0.method == head.method && $0.parameters(of: parts) != nil }?.body ?? .call
    }

    /// The answer to a request that cannot be read, or is too long.
    /// - Parameter headers: those that could be read.
    func refusal(_ problem: Problem, of headers: HTTPHeaders) -> HTTPResponse {
        finished(problem.response, (try? origin(of: headers)) ?? nil)
    }

    /// The path without sessions, which no log is to have: of the gateway, or of a page that logs errors.
    private func loggedPath(of request: HTTPRequest) -> String {
        let path = request.target.path()
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.dropFirst().first == "compat" else { return path }
        return parts.prefix(3).joined(separator: "/") + "/…"
    }

    /// - Returns: nil for the gateway's own pages, and for programs.
    /// - Throws: ``Problem``.
    private func origin(of headers: HTTPHeaders) throws -> String? {
        let host = try address.checkHost(
            headers.values(for: .host), local: isBehindServer ? headers[HTTPHeader("X-Inkpanel-Address")] : nil)
        return try address.checkOrigin(
            headers[HTTPHeader("Origin")], host: host, site: headers[HTTPHeader("Sec-Fetch-Site")])
    }

    private func finished(_ response: HTTPResponse, _ origin: String?) -> HTTPResponse {
        var response = response
        response.headers[HTTPHeader("X-Content-Type-Options")] = "nosniff"
        response.headers[HTTPHeader("Referrer-Policy")] = "no-referrer"
        response.headers[HTTPHeader("Cross-Origin-Resource-Policy")] = "same-origin"
        if case .webSocket = response.payload { return response }
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        // Also of refusals of the origin: caches must not give another origin's answer.
        response.headers[HTTPHeader("Vary")] = "Origin"
        if let origin {
            response.headers[HTTPHeader("Access-Control-Allow-Origin")] = origin
            response.headers[HTTPHeader("Access-Control-Expose-Headers")] = Self.exposedHeaders
            response.headers[HTTPHeader("Cross-Origin-Resource-Policy")] = "cross-origin"
        }
        return response
    }

    private func answer(_ request: HTTPRequest, _ origin: String?) async throws -> HTTPResponse {
        // The path as it was sent: the server's own path has dots, empty parts and a last slash removed.
        let path = request.target.path()
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let matching = routes.compactMap { route in route.parameters(of: parts).map { (route, $0) } }
        let methods = Set(matching.map(\.0.method)).sorted()
        if request.method.rawValue == "OPTIONS", !matching.isEmpty { return preflight(methods, origin) }
        guard !matching.isEmpty else {
            let shown = loggedPath(of: request).prefix(200)
            throw Problem.notFound("There is nothing at \(shown); /v1/openapi.json describes the API.")
        }
        // HEAD is not offered: nginx and the server here would have to agree on the lengths of files that are not made.
        guard let (route, parameters) = matching.first(where: { $0.0.method == request.method.rawValue }) else {
            throw Problem(
                name: .wrongMethod, status: 405,
                detail: "\(loggedPath(of: request).prefix(200)) has \(methods.joined(separator: ", ")) only.",
                headers: ["Allow": (methods + ["OPTIONS"]).joined(separator: ", ")])
        }
        func call() async throws -> RoutedRequest {
            RoutedRequest(
                request: request, parameters: parameters, client: client(of: request), origin: origin,
                scheme: isBehindServer ? "https" : "http",
                body: route.body.isStreamed ? Data() : try await request.bodyData)
        }
        switch route.access {
        case .open(let answer):
            if let length = request.headers[.contentLength].flatMap(Int.init) { try checkOpenBody(length) }
            let call = try await call()
            try checkOpenBody(call.body.count)
            return try await answer(call)
        case .token(let scope, let answer):
            let bearer = try await self.bearer(authorization(of: request), of: request, origin)
            if let scope { try bearer.check(scope) }
            let call = try await call()
            let end = await bearers.watch(bearer)
            return try await answered(until: end) { try await answer(call, end) }
        case .session(let scope, let answer):
            let session = parameters[Route.sessionPart]?.removingPercentEncoding ?? ""
            let bearer = try await self.bearer("Bearer " + session, of: request, origin)
            guard bearer.parent != nil else {
                throw Problem(
                    name: .wrongToken, status: 401,
                    detail: "An address must have a session (POST /v1/sessions), never a token that lasts.",
                    headers: ["WWW-Authenticate": "Bearer realm=\"inkpanel\""])
            }
            try bearer.check(scope)
            let call = try await call()
            let end = BearerEnd(of: bearer, in: bearers)
            return try await Router.$caller.withValue(bearer.owner) { try await answer(call, end) }
        }
    }

    /// - Throws: ``Problem`` for too long a body of a call without a token.
    private func checkOpenBody(_ count: Int) throws {
        guard count > Self.openBodyLimit else { return }
        throw Problem(
            name: .tooLarge, status: 413,
            detail: "The request is larger than \(Self.openBodyLimit) bytes, which it may be with a token only.")
    }

    /// Answers as long as the bearer's right lasts.
    private func answered(
        until end: BearerEnd, _ answer: @escaping @Sendable () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        let answering = Router.$caller.withValue(end.bearer.owner) { Task { try await answer() } }
        let cancelling = end.then { answering.cancel() }
        let result = await withTaskCancellationHandler {
            await answering.result
        } onCancel: {
            answering.cancel()
        }
        // The task keeps the answer, and that keeps `end`.
        end.forget(cancelling)
        try await bearers.check(end)
        var response = try result.get()
        response.cut(by: end)
        return response
    }

    private func bearer(
        _ authorization: String?, of request: HTTPRequest, _ origin: String?
    ) async throws -> Token {
        let token = try await bearers.bearer(authorization, from: client(of: request))
        if let origin, !token.origins.isEmpty, !token.origins.contains(origin) {
            throw Problem(
                name: .wrongOrigin, status: 403, detail: "This token is not for pages of \(origin.prefix(253)).")
        }
        return token
    }

    /// The header, or the same made of a subprotocol `inkpanel.token.TOKEN`: browsers send no other header of a page
    /// when they open a WebSocket.
    private func authorization(of request: HTTPRequest) -> String? {
        let prefix = "inkpanel.token."
        let protocols = request.headers[HTTPHeader("Sec-WebSocket-Protocol")]?.split(separator: ",") ?? []
        let token = protocols.map(\.withoutSpace).first { $0.hasPrefix(prefix) }
        // Any number of spaces may follow the scheme (RFC 9110, 11.4). Unicode's white space does not count.
        let header = request.headers[.authorization]?.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
        return header ?? token.map { "Bearer " + $0.dropFirst(prefix.count) }
    }

    /// The client's address, for limits.
    private func client(of request: HTTPRequest) -> String {
        if isBehindServer { return request.headers[HTTPHeader("X-Inkpanel-Client")] ?? "unknown" }
        return switch request.remoteAddress {
        case .ip4(let address, port: _), .ip6(let address, port: _): address
        case .unix, nil: "local"
        }
    }

    private func preflight(_ methods: [String], _ origin: String?) -> HTTPResponse {
        var response = HTTPResponse(statusCode: .noContent)
        response.headers[HTTPHeader("Allow")] = (methods + ["OPTIONS"]).joined(separator: ", ")
        if origin != nil {
            response.headers[HTTPHeader("Access-Control-Allow-Methods")] = methods.joined(separator: ", ")
            response.headers[HTTPHeader("Access-Control-Allow-Headers")] = Self.allowedHeaders
            response.headers[HTTPHeader("Access-Control-Max-Age")] = "\(Self.preflightAge)"
        }
        return response
    }
}
