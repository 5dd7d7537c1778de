// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import HTTPFixtures
import JSON
import Testing

@testable import Gateway
@testable import HTTP

@Suite("Sessions for web pages")
struct SessionTests {
    private static let till = RouterFixture.till

    /// The pointer to what is wrong and why; the token if nothing is.
    private func ask(_ body: String, scopes: Set<Scope> = [.capture], origins: [String] = []) async throws -> [String] {
        let (token, text) = Token.make(name: "till", scopes: scopes, origins: origins, expires: nil, now: Date())
        let router = try RouterFixture(bearer: token, isBehindServer: true) { Route.sessions($0, $1) }
        let response = await router.response(
            "POST", "/v1/sessions", token: text, ["Content-Type": "application/json", "Host": "pad:8443"], body: body)
        let members = try await response.object
        if response.status == 201 { return [members["token"]?.text ?? ""] }
        let error = members["errors"]?.list?.first
        return [error?["pointer"]?.text ?? "", error?["detail"]?.text ?? ""]
    }

    @Test("a page of an allowed origin, or of the gateway, gets a token")
    func made() async throws {
        for origin in [Self.till, "https://pad:8443", "https://localhost:8443"] {
            let answer = try await ask("{\"origin\":\"\(origin)\"}")
            #expect(answer[0].hasPrefix("ipt_"), "\(origin)")
        }
    }

    @Test(
        "an origin that no request can have is refused at once",
        arguments: [
            ("TILL/", "no / at its end"), ("TILL/a", "no path"), ("TILL?a", "no path"),
            ("TILL:443", "leave out the port 443"), ("TILL:0443", "port"), ("TILL:", "port"),
            ("https://Till.example", "lower case"), ("HTTPS://till.example", "lower case"),
            ("till.example", "begin with https://"), ("ftp://till.example", "begin with https://"), ("null", "no site"),
            ("*", "without *"), ("https://*.till.example", "without *"), ("https://a@till.example", "no user"),
            ("https://t\u{f6}ll.example", "ASCII"), ("https://[2001:DB8::1]", "lower case"),
            ("https://[2001:db8:0::1]", "browsers write this address as [2001:db8::1]"), ("https://1.2.3", "host name"),
            ("https://till..example", "host name"), ("https://", "no host"),
            ("https://other.example", "not in origins"), ("https://pad", "not in origins"),
        ])
    func wrongOrigins(_ origin: String, _ reason: String) async throws {
        let answer = try await ask("{\"origin\":\"\(origin.replacing("TILL", with: Self.till))\"}")
        #expect(answer[0] == "/origin")
        #expect(answer[1].contains(reason))
    }

    @Test(
        "a request says what is wrong with it",
        arguments: [
            ("{}", "/origin"), ("{\"origin\":1}", "/origin"), ("{\"origin\":\"TILL\",\"lifetime\":901}", "/lifetime"),
            ("{\"origin\":\"TILL\",\"lifetime\":9}", "/lifetime"),
            ("{\"origin\":\"TILL\",\"captures\":0}", "/captures"),
            ("{\"origin\":\"TILL\",\"captures\":1.5}", "/captures"),
            ("{\"origin\":\"TILL\",\"scopes\":[\"record\"]}", "/scopes"),
            ("{\"origin\":\"TILL\",\"scopes\":[]}", "/scopes"),
            ("{\"origin\":\"TILL\",\"scopes\":\"capture\"}", "/scopes"),
            ("{\"origin\":\"TILL\",\"scopes\":[\"admin\"]}", "/scopes"), ("{\"origin\":\"TILL\",\"x\":1}", "/x"),
        ])
    func wrongRequests(_ body: String, _ pointer: String) async throws {
        #expect(try await ask(body.replacing("TILL", with: Self.till))[0] == pointer)
    }

    @Test("a session can do something that its token can, for pages that its token is for")
    func parents() async throws {
        let body = "{\"origin\":\"\(Self.till)\"}"
        #expect(try await ask(body, scopes: [.panel])[0] == "/scopes")
        #expect(
            try await ask("{\"origin\":\"\(Self.till)\",\"scopes\":[\"panel\"]}", scopes: [.panel])[0].hasPrefix("ipt_")
        )
        #expect(try await ask(body, scopes: [.admin])[0].hasPrefix("ipt_"))
        #expect(try await ask(body, origins: ["https://pad:8443"])[1].contains("not for \(Self.till)"))
        #expect(try await ask(body, origins: [Self.till])[0].hasPrefix("ipt_"))
    }
}
