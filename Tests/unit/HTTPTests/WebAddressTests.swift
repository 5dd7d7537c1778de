// SPDX-License-Identifier: Apache-2.0
import Configuration
import Testing

@testable import HTTP

@Suite("Hosts and origins of requests")
struct WebAddressTests {
    private let address: WebAddress

    init() throws {
        address = WebAddress(names: ["pad.example", "2001:db8::1"], origins: [try WebOrigin("https://till.example")])
    }

    private func status(_ body: () throws -> Void) -> Int? {
        do {
            try body()
            return nil
        } catch { return (error as? Problem)?.status }
    }

    @Test(
        "a host has a name of the gateway, whatever its port and case",
        arguments: [
            "pad.example", "PAD.example:8443", "localhost", "127.0.0.1:1", "[::1]:80", "[2001:DB8::1]",
            "[2001:db8:0::1]",
        ])
    func ownHosts(_ host: String) throws {
        #expect(try address.checkHost([host], local: nil) == host.lowercased())
    }

    @Test(
        "other names are those of somebody else",
        arguments: [
            "evil.example", "127.0.0.1.evil.example", "pad.example.evil", "", ":80", "pad.example.", "[::2]",
            "[pad.example]", "192.0.2.1",
        ])
    func otherHosts(_ host: String) { #expect(status { _ = try address.checkHost([host], local: nil) } == 421) }

    @Test("a request has one host")
    func count() {
        #expect(status { _ = try address.checkHost([], local: nil) } == 400)
        #expect(status { _ = try address.checkHost(["localhost", "localhost"], local: nil) } == 400)
    }

    @Test("the address that the client connected to is the gateway's")
    func local() throws {
        #expect(try address.checkHost(["192.0.2.1:8443"], local: "192.0.2.1") == "192.0.2.1:8443")
        #expect(try address.checkHost(["[2001:db8::9]:8443"], local: "2001:db8::9") == "[2001:db8::9]:8443")
        #expect(status { _ = try address.checkHost(["192.0.2.2"], local: "192.0.2.1") } == 421)
    }

    @Test("pages of the gateway and of allowed origins may call")
    func origins() throws {
        func origin(_ text: String?, site: String? = nil) throws -> String? {
            try address.checkOrigin(text, host: "pad.example:8443", site: site)
        }
        #expect(try origin(nil) == nil)
        #expect(try origin(nil, site: "same-origin") == nil)
        #expect(try origin("https://pad.example:8443") == nil)
        // Extensions of the browser are programs.
        #expect(try origin("moz-extension://13631e05-b96f-4beb-a009-e46ce50dd42b", site: "cross-site") == nil)
        #expect(try origin("chrome-extension://kdhnpiohbciigfoefgbifjbeakdkglol") == nil)
        #expect(try origin("https://till.example") == "https://till.example")
        #expect(status { _ = try origin(nil, site: "cross-site") } == 403)
        for text in [
            "https://evil.example", "null", "https://till.example.evil", "HTTPS://TILL.EXAMPLE", "http://till.example",
            "https://till.example:8443", "https://pad.example", "",
        ] {
            #expect(status { _ = try origin(text) } == 403, "\(text)")
        }
    }

    @Test("an origin that could not call says why")
    func obstacles() throws {
        func obstacle(_ text: String) throws -> String? {
            address.obstacle(for: try WebOrigin(text), scheme: "https", host: "192.0.2.1:8443")
        }
        for text in [
            "https://till.example", "https://pad.example:8443", "https://192.0.2.1:8443", "https://[::1]:8443",
        ] {
            #expect(try obstacle(text) == nil, "\(text)")
        }
        #expect(
            try obstacle("https://other.example")
                == "https://other.example is not in origins of [gateway] in inkpanel.toml")
        for text in ["https://pad.example", "http://pad.example:8443", "https://pad.example:444"] {
            #expect(
                try obstacle(text)?.hasSuffix("the gateway's own pages are those of https://…:8443") == true, "\(text)")
        }
    }
}
