// SPDX-License-Identifier: Apache-2.0
package import Configuration
import Foundation

/// The names that this gateway has, and the origins that may call it. Pages of other sites reach a server on the local
/// network through names of their own (DNS rebinding) and through the browser of somebody who may reach it, so both
/// headers are checked in each request.
package struct WebAddress: Sendable {
    /// Names and literal addresses, in lower case.
    package let names: Set<String>
    /// Allowed origins, besides those of the gateway's own pages.
    package let origins: Set<WebOrigin>

    /// - Parameters:
    ///   - names: texts of ``HostName`` from the configuration, besides the machine's own.
    package init(names: [String], origins: [WebOrigin]) {
        let host = ProcessInfo.processInfo.hostName.lowercased()
        let short = host.prefix { $0 != "." }
        let all = names + [host, String(short), short + ".local", "localhost", "127.0.0.1", "::1"]
        self.names = Set(all.map { HostName($0)?.urlText ?? $0 })
        self.origins = Set(origins)
    }

    /// - Parameters:
    ///   - host: the header's values.
    ///   - local: the address that the client connected to, if it is known.
    /// - Returns: the host with its port.
    /// - Throws: ``Problem`` with status 400 or 421.
    func checkHost(_ host: [String], local: String?) throws -> String {
        guard host.count == 1 else {
            throw Problem(name: .badHost, status: 400, detail: "A request needs exactly one header Host.")
        }
        let whole = host[0].lowercased()
        let name = Self.withoutPort(whole)
        guard names.contains(name) || local.flatMap({ HostName($0)?.urlText }) == name else {
            throw Problem(
                name: .wrongHost, status: 421,
                detail: "This gateway is not called \(name.prefix(253)). Add the name to names in [gateway] of "
                    + "inkpanel.toml if it should be.")
        }
        return whole
    }

    /// - Parameters:
    ///   - origin: the header; nil for programs, and for pages of the gateway that only read.
    ///   - host: of the request, with its port.
    ///   - site: the header Sec-Fetch-Site.
    /// - Returns: the origin of another site, which the answer must allow; nil without another site.
    /// - Throws: ``Problem`` with status 403.
    func checkOrigin(_ origin: String?, host: String, site: String?) throws -> String? {
        guard let origin else {
            if site == "cross-site" {
                throw Problem(
                    name: .wrongOrigin, status: 403, detail: "Pages of other sites must send the header Origin.")
            }
            return nil
        }
        if origin == "https://" + host || origin == "http://" + host { return nil }
        // An extension of the browser is a program with a token; no page can send its origin. Firefox gives each
        // installation another one, so that none can be listed.
        if ["chrome-extension://", "moz-extension://"].contains(where: { origin.hasPrefix($0) }) { return nil }
        guard let known = try? WebOrigin(origin), origins.contains(known) else {
            throw Problem(
                name: .wrongOrigin, status: 403,
                detail: "Pages of \(origin.prefix(253)) may not call this gateway. Add the origin to origins in "
                    + "[gateway] of inkpanel.toml if they should.")
        }
        return origin
    }

    /// An origin of pages that are to call this gateway.
    /// - Parameters:
    ///   - scheme: of the gateway's own pages.
    ///   - host: a host of the gateway with the port of its own pages.
    /// - Returns: why they could not; nil if they could.
    package func obstacle(for origin: WebOrigin, scheme: String, host: String) -> String? {
        if origins.contains(origin) { return nil }
        let port = host.dropFirst(Self.hostLength(host))
        let own = names.union([Self.withoutPort(host.lowercased())]).map { "\(scheme)://\($0)\(port)" }
        if own.contains(origin.text) { return nil }
        let hasOwnName = names.contains(Self.withoutPort(String(origin.text.drop { $0 != "/" }.dropFirst(2))))
        return "\(origin.text) is not in origins of [gateway] in inkpanel.toml"
            + (hasOwnName ? ", and the gateway's own pages are those of \(scheme)://…\(port)" : "")
    }

    private static func withoutPort(_ host: String) -> String {
        let name = String(host.prefix(hostLength(host)))
        return name.hasPrefix("[") ? HostName(name)?.urlText ?? host : name
    }

    /// Characters before the port.
    private static func hostLength(_ host: String) -> Int {
        guard host.hasPrefix("[") else { return host.prefix { $0 != ":" }.count }
        return host.firstIndex(of: "]").map { host.distance(from: host.startIndex, to: $0) + 1 } ?? host.count
    }
}
