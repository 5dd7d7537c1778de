// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Webhooks

@Suite("The file of the webhooks")
struct WebhookFileTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    private func read(_ text: String) -> Result<[WebhookEndpoint], WebhookFileError> {
        do throws(WebhookFileError) {
            return .success(try WebhookFile.endpoints(Array(text.utf8), path: "f"))
        } catch {
            return .failure(error)
        }
    }

    private func message(_ text: String) -> String {
        switch read(text) {
        case .success: "accepted"
        case .failure(let error): error.description
        }
    }

    @Test("tables are webhooks, in the order of their names")
    func tables() throws {
        let endpoints = try read(
            """
            [till]
            url = "http://127.0.0.1:8080/hook?a=b"
            secret = ["\(Self.secret)", "whsec_\(String(repeating: "AAAA", count: 8))"]
            events = ["record.stored", "panel.fault"]
            request = true
            ca-file = "/etc/ssl/own.pem"

            [erp]
            url = "https://erp.example.org/hook"
            secret = "\(Self.secret)"
            """
        ).get()
        #expect(endpoints.map(\.name) == ["erp", "till"])
        #expect(endpoints[0].events == Set(WebhookEndpoint.Event.allCases) && !endpoints[0].tellsRequest)
        #expect(endpoints[0].secrets[0].count == 24 && endpoints[0].secrets[0].prefix(3) == [0x31, 0xF2, 0x90])
        #expect(endpoints[1].events == [.stored, .fault] && endpoints[1].tellsRequest)
        #expect(endpoints[1].secrets.map(\.count) == [24, 24] && endpoints[1].authorities == "/etc/ssl/own.pem")
        #expect(try read("").get().isEmpty)
    }

    @Test("errors name the line, the webhook and the key, and no secret")
    func errors() {
        let good = "url = \"https://a.example\"\nsecret = \"\(Self.secret)\"\n"
        let cases: [(text: String, part: String)] = [
            ("x = 1", "f:1: keys belong below a line [NAME]"),
            ("\n[Erp]\n" + good, "f:2: the name of a webhook is"), ("[a b]", "f:1: it is not TOML"),
            ("[a]\nsecret = \"\(Self.secret)\"", "[a]: url is missing"),
            ("[a]\nurl = \"https://a.example\"", "whsec_…"),
            ("[a]\n" + good + "x = 1", "there is no key \"x\""), ("[a]\n" + good + "events = []", "it is empty"),
            ("[a]\n" + good + "events = [\"x\"]", "each is one of capture.ended"),
            ("[a]\n" + good + "request = 1", "true or false"), ("[a]\n" + good + "ca-file = \"x\"", "begins with /"),
            ("[a]\nurl = \"https://a.example\"\nsecret = \"whsec_short\"", "openssl rand -base64 32"),
            ("[a]\nurl = \"https://a.example\"\nsecret = \"\(Self.secret)x\"", "openssl rand -base64 32"),
            ("[a]\nurl = \"https://a.example\"\nsecret = \"\(Self.secret.dropLast(2))=x\"", "openssl rand -base64 32"),
            ("[a]\nurl = \"ftp://a\"\nsecret = \"\(Self.secret)\"", "[a]: url: it begins with https://"),
        ]
        for (text, part) in cases {
            #expect(message(text).contains(part), "\(text): \(message(text))")
            #expect(!message(text).contains("MfKQ"))
        }
        let many = (0...WebhookFile.limit).map { "[a\($0)]\n" + good }.joined()
        #expect(message(many).contains("more than 16"))
    }

    @Test(
        "an address is that of a server with TLS, or of this machine",
        arguments: [
            "https://a.example", "https://a.example:8443/x/y?z=1&a=%20", "http://localhost:5678/", "http://[::1]/x",
            "http://127.0.0.1", "http://127.255.3.4:1/", "https://192.0.2.1/", "https://[2001:db8::1]:9/",
        ])
    func good(url: String) { #expect(WebhookFile.fault(ofURL: url) == nil) }

    @Test(
        "no message goes elsewhere",
        arguments: [
            "", "https://", "https:///x", "http://a.example/", "http://127.0.0.1.a.example/", "http://128.0.0.1/",
            "http://localhost.a.example", "http://user@127.0.0.1/", "https://a.example/#x", "https://a b/",
            "https://a.example/\"\nurl = x", "HTTPS://a.example", "https://A.example", "https://a.example:0/",
            "https://a.example:99999", "https://a.example:x", "https://127.1/", "http://127.1/", "file:///etc/passwd",
            "https://a.example\\@b", "http://[::1]x/", "http://[::2]/", "https://a{b,c}.example", "http://0/",
        ])
    func bad(url: String) { #expect(WebhookFile.fault(ofURL: url) != nil, "\(url)") }
}
