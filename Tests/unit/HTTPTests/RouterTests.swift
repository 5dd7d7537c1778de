// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import HTTPFixtures
import HostAPI
import JSON
import Testing

@testable import HTTP

@Suite("Which request gets to which route")
struct RouterTests {
    private let router: RouterFixture

    init() throws {
        router = try RouterFixture([
            Route(open: "GET", "/page") { HTTPResponse(json: ["client": .text($0.client)]) },
            Route(open: "POST", "/open") { HTTPResponse(json: .object(try $0.object())) },
            Route("GET", "/v1/captures", .capture) { call, _ in
                try call.checkQuery("limit", "after")
                return HTTPResponse(json: ["limit": call.query("limit").map { .text($0) } ?? .null])
            },
            Route("POST", "/v1/captures", .capture) { call, _ in HTTPResponse(json: .object(try call.object())) },
            Route("GET", "/v1/captures/{id}", .capture) { call, _ in
                HTTPResponse(json: ["id": .text(try call.captureID().description)])
            },
            Route("GET", "/v1/captures/{id}/seal", .record) { _, _ in HTTPResponse(json: [:]) },
            Route("GET", "/v1/any", nil) { _, end in HTTPResponse(json: ["owner": .text(end.bearer.owner)]) },
            Route("GET", "/fault", nil) { _, _ in throw CocoaError(.featureUnsupported) },
        ])
    }

    @Test(
        "another path than those of the routes has nothing",
        arguments: [
            "/", "/v1", "/v1/", "/v1/captures/", "//v1/captures", "/v1//captures", "/v1/./captures", "/V1/captures",
            "/v1/captures/a/b", "/v1/captures/a/seal/", "/v1/../v1/captures", "/v1/captures%2Fa",
        ])
    func unknownPath(_ path: String) async throws {
        let response = await router.response("GET", path)
        #expect(response.status == 404)
        #expect(try await response.problem == "not-found")
    }

    @Test("another method than those of a path is refused, with those that it has")
    func methods() async throws {
        for method in ["DELETE", "PUT", "HEAD", "PATCH", "COW"] {
            let response = await router.response(method, "/v1/captures")
            #expect(response.status == 405)
            #expect(try await response.problem == "wrong-method")
            #expect(response.headers[HTTPHeader("Allow")] == "GET, POST, OPTIONS")
        }
        let options = await router.response("OPTIONS", "/v1/captures", token: nil)
        #expect(options.status == 204)
        #expect(options.headers[HTTPHeader("Allow")] == "GET, POST, OPTIONS")
        #expect(await router.response("OPTIONS", "/v1/none").status == 404)
    }

    @Test("a path names a capture by a whole id")
    func captureIDs() async throws {
        let id = "20261126-080627-2fc94d3fe209ca2e"
        #expect(try await router.response("GET", "/v1/captures/\(id)").object["id"]?.text == id)
        for text in ["-", "a.b", "%2e%2e", ".", "a%20b", String(repeating: "a", count: 300)] {
            let response = await router.response("GET", "/v1/captures/" + text)
            #expect(response.status == (CaptureID(text) == nil ? 404 : 200), "\(text)")
        }
        #expect(await router.response("GET", "/v1/captures/%2e%2e").status == 404)
        #expect(await router.response("GET", "/v1/captures/a%20b").status == 404)
    }

    @Test("a query has known parameters, each once")
    func query() async throws {
        #expect(try await router.response("GET", "/v1/captures?limit=5&after=x").object["limit"]?.text == "5")
        for query in ["x=1", "limit=1&limit=2", "limit=1&Limit=2"] {
            let response = await router.response("GET", "/v1/captures?" + query)
            #expect(response.status == 400)
            #expect(try await response.problem == "invalid-parameter")
        }
    }

    @Test("tokens have the scopes that a route needs")
    func scopes() async throws {
        #expect(await router.response("GET", "/v1/captures/a/seal").status == 403)
        #expect(try await router.response("GET", "/v1/captures/a/seal").problem == "missing-scope")
        #expect(try await router.response("GET", "/v1/any").object["owner"]?.text == RouterFixture.token.token.id)
        let missing = await router.response("GET", "/v1/any", token: nil)
        #expect(missing.status == 401)
        #expect(missing.headers[HTTPHeader("WWW-Authenticate")] == "Bearer realm=\"inkpanel\"")
        #expect(await router.response("GET", "/page", token: nil).status == 200)
        let admin = Token.make(name: "chief", scopes: [.admin], expires: nil, now: Date())
        let all = try RouterFixture(
            [Route("GET", "/a", .record) { _, _ in HTTPResponse(json: [:]) }], bearer: admin.token)
        #expect(await all.response("GET", "/a", token: admin.text).status == 200)
    }

    @Test(
        "spaces and tabs around a token do not count, and other white space is no space",
        arguments: [
            ("Bearer  TOKEN", 200), ("bearer \t TOKEN ", 200), ("BEARER\tTOKEN", 200), ("Bearer\u{a0}TOKEN", 401),
            ("Bearer \u{3000}TOKEN", 401), ("Bearer TOKEN\u{2003}", 401), ("Basic TOKEN", 401), ("TOKEN", 401),
            ("Bearer", 401), ("Bearer TOKEN TOKEN", 401),
        ])
    func authorization(_ header: String, _ status: Int) async {
        let value = header.replacing("TOKEN", with: RouterFixture.token.text)
        #expect(await router.response("GET", "/v1/any", token: nil, ["Authorization": value]).status == status)
    }

    @Test("the token of a WebSocket is one of its subprotocols")
    func subprotocol() async {
        let protocols = "inkpanel.v1, inkpanel.token." + RouterFixture.token.text
        #expect(
            await router.response("GET", "/v1/any", token: nil, ["Sec-WebSocket-Protocol": protocols]).status == 200)
        #expect(
            await router.response("GET", "/v1/any", token: "ipt_no", ["Sec-WebSocket-Protocol": protocols]).status
                == 401, "the header counts")
    }

    @Test("a body is a JSON object with the type of one")
    func bodies() async throws {
        func post(_ body: String, _ type: String? = "application/json") async throws -> String? {
            let response = await router.response(
                "POST", "/v1/captures", type.map { ["Content-Type": $0] } ?? [:], body: body)
            if let problem = try await response.problem { return problem }
            return try await response.text
        }
        #expect(try await post("{\"a\":1}") == "{\"a\":1}")
        #expect(try await post("{\"a\":1}", " Application/JSON\t; charset=utf-8") == "{\"a\":1}")
        #expect(try await post("", nil) == "{}")
        #expect(try await post("{}", "text/plain") == "wrong-content-type")
        #expect(try await post("{}", nil) == "wrong-content-type")
        for body in ["[]", "1", "{\"a\":1,\"a\":2}", "{\"a\":1,}", "{", "\u{feff}{}", "{\"a\":01}"] {
            #expect(try await post(body) == "not-json", "\(body)")
        }
    }

    @Test("strangers send short bodies")
    func openBodies() async throws {
        let json = ["Content-Type": "application/json"]
        let body = "{\"a\":\"" + String(repeating: "a", count: 1016) + "\"}"
        #expect(await router.response("POST", "/open", token: nil, json, body: body).status == 200)
        #expect(try await router.response("POST", "/open", token: nil, json, body: body + " ").problem == "too-large")
        let announced = json.merging(["Content-Length": "1025"]) { $1 }
        #expect(await router.response("POST", "/open", token: nil, announced).status == 413)
    }

    @Test("pages of other origins get answers if they may call, and nobody else's")
    func origins() async throws {
        let allowed = await router.response("GET", "/page", ["Origin": RouterFixture.till])
        #expect(allowed.headers[HTTPHeader("Access-Control-Allow-Origin")] == RouterFixture.till)
        #expect(allowed.headers[HTTPHeader("Cross-Origin-Resource-Policy")] == "cross-origin")
        let own = await router.response("GET", "/page", ["Origin": "https://pad"])
        #expect(own.headers[HTTPHeader("Access-Control-Allow-Origin")] == nil)
        #expect(own.headers[HTTPHeader("Cross-Origin-Resource-Policy")] == "same-origin")
        let refused = await router.response("GET", "/page", ["Origin": "https://evil.example"])
        #expect(refused.status == 403)
        #expect(refused.headers[HTTPHeader("Access-Control-Allow-Origin")] == nil)
        for response in [allowed, own, refused] {
            #expect(response.headers[HTTPHeader("Vary")] == "Origin")
            #expect(response.headers[HTTPHeader("X-Content-Type-Options")] == "nosniff")
        }
        let preflight = await router.response("OPTIONS", "/v1/captures", token: nil, ["Origin": RouterFixture.till])
        #expect(preflight.headers[HTTPHeader("Access-Control-Allow-Methods")] == "GET, POST")
        #expect(preflight.headers[HTTPHeader("Access-Control-Allow-Credentials")] == nil)
        #expect(await router.response("GET", "/page", ["Host": "evil.example"]).status == 421)
    }

    @Test("a token for pages of one origin is not for those of another")
    func tokenOrigins() async throws {
        let (token, text) = Token.make(
            name: "page", scopes: [.capture], origins: ["https://other.example"], expires: nil, now: Date())
        let router = try RouterFixture([Route("GET", "/a", nil) { _, _ in HTTPResponse(json: [:]) }], bearer: token)
        #expect(
            try await router.response("GET", "/a", token: text, ["Origin": RouterFixture.till]).problem
                == "wrong-origin")
        #expect(await router.response("GET", "/a", token: text).status == 200, "programs have no origin")
    }

    @Test("only a server in front says who the client is")
    func client() async throws {
        let headers = ["X-Inkpanel-Client": "192.0.2.9"]
        #expect(try await router.response("GET", "/page", headers).object["client"]?.text == "local")
        let behind = try RouterFixture(
            [Route(open: "GET", "/page") { HTTPResponse(json: ["client": .text($0.client), "by": .text($0.scheme)]) }],
            isBehindServer: true)
        let response = await behind.response("GET", "/page", headers)
        #expect(try await response.object == ["client": "192.0.2.9", "by": "https"])
    }

    @Test("a fault of the gateway tells a client nothing of it")
    func faults() async throws {
        let response = await router.response("GET", "/fault")
        #expect(response.status == 500)
        #expect(try await response.problem == "internal")
        #expect(try await response.object["detail"] == "The gateway has a fault; its log has more.")
    }

    @Test("a client that has the version of an answer does not get it again")
    func versions() {
        func call(_ header: String?) -> RoutedRequest {
            var headers = HTTPHeaders()
            headers[HTTPHeader("If-None-Match")] = header
            let request = HTTPRequest(
                method: .GET, version: .http11, target: HTTPRequest.Target(path: "/", query: ""), headers: headers,
                body: HTTPBodySequence())
            return RoutedRequest(
                request: request, parameters: [:], client: "", origin: nil, scheme: "https", body: Data())
        }
        for header in ["\"a\"", "W/\"a\"", "*", "\"b\"\t, \"a\""] {
            #expect(call(header).hasVersion("\"a\""), "\(header)")
        }
        for header in [nil, "", "a", "\"A\"", "\"ab\"", "w/\"a\""] { #expect(!call(header).hasVersion("\"a\"")) }
    }
}
