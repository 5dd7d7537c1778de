// SPDX-License-Identifier: Apache-2.0
import Configuration
import Foundation
import Linux

/// A server that receives events of the panel: a table of ``WebhookFile``.
package struct WebhookEndpoint: Equatable, Sendable {
    /// The type of a message, in the form of Standard Webhooks.
    package enum Event: String, CaseIterable, Sendable {
        case ended = "capture.ended"
        case stored = "record.stored"
        case fault = "panel.fault"
        case recovered = "panel.recovered"
    }

    /// Lower-case letters, digits and hyphens.
    package var name: String
    /// https, or http to this machine. It may contain secrets: never log it.
    package var url: String
    /// The bytes of the secrets, the newest first. Each signs.
    package var secrets: [[UInt8]]
    package var events: Set<Event>
    /// Whether the message of a stored record has the texts that were signed.
    package var tellsRequest: Bool
    /// PEM file of the authorities that the server's certificate may be from; nil for those of the system.
    package var authorities: String?

    package init(
        name: String, url: String, secrets: [[UInt8]], events: Set<Event> = Set(Event.allCases),
        tellsRequest: Bool = false, authorities: String? = nil
    ) {
        self.name = name
        self.url = url
        self.secrets = secrets
        self.events = events
        self.tellsRequest = tellsRequest
        self.authorities = authorities
    }
}

/// The file of the webhooks, a table for each: a file of its own, because it has secrets, and the panel's settings may
/// be read by anybody.
package enum WebhookFile {
    package static let usualPath = "/etc/inkpanel/webhooks.toml"
    /// The most endpoints; each has a thread.
    package static let limit = 16
    private static let byteLimit = 64 << 10
    private static let longestURL = 2000
    /// Bytes of a secret, of Standard Webhooks.
    private static let secretRange = 24...64

    /// Reads a file that only its owner can read, or a credential of the service manager.
    /// - Throws: ``WebhookFileError``, whose text has no secret.
    package static func read(_ path: String, isCredential: Bool) throws(WebhookFileError) -> [WebhookEndpoint] {
        let bytes: [UInt8]?
        do throws(PrivateFileError) {
            // The service manager gives its credentials by an access list, whose mask shows as the group's permissions.
            bytes = try PrivateFile.read(
                path, maximumByteCount: byteLimit, forbidden: isCredential ? 0o037 : 0o077)
        } catch {
            throw WebhookFileError("webhooks: \(error)")
        }
        guard let bytes else { throw WebhookFileError("\(path): more than \(byteLimit) bytes") }
        return try endpoints(bytes, path: path)
    }

    /// - Returns: in the order of their names.
    package static func endpoints(_ bytes: [UInt8], path: String) throws(WebhookFileError) -> [WebhookEndpoint] {
        let document: TOMLDocument
        do throws(ConfigurationProblem) { document = try TOMLDocument(bytes, path: path) } catch {
            throw WebhookFileError("\(path):\(error.line.map { "\($0)" } ?? "?"): it is not TOML; see docs/gateway.md")
        }
        guard case .table(let tables) = document.root else { return [] }
        if tables.count > limit { throw WebhookFileError("\(path): more than \(limit) webhooks") }
        var endpoints: [WebhookEndpoint] = []
        for (name, value) in tables.sorted(by: { $0.key < $1.key }) {
            let line = document.lines[[name]].map { ":\($0)" } ?? ""
            func fail(_ reason: String) -> WebhookFileError { WebhookFileError("\(path)\(line): \(reason)") }
            guard case .table(let members) = value else {
                throw fail("keys belong below a line [NAME], the name of a webhook")
            }
            guard isName(name) else {
                throw fail("the name of a webhook is 1 to 32 lower-case letters, digits and hyphens")
            }
            do throws(WebhookFileError) { endpoints.append(try endpoint(name, members)) } catch {
                throw fail("[\(name)]: \(error)")
            }
        }
        return endpoints
    }

    /// Whether a text can name a webhook, and a folder.
    package static func isName(_ text: String) -> Bool {
        1...32 ~= text.utf8.count && !text.hasPrefix("-")
            && text.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x2D }
    }

    private static let keys = ["url", "secret", "events", "request", "ca-file"]

    private static func endpoint(
        _ name: String, _ members: [String: ConfigurationValue]
    ) throws(WebhookFileError) -> WebhookEndpoint {
        if let key = members.keys.filter({ !keys.contains($0) }).min() {
            throw WebhookFileError(
                "there is no key \(ConfigurationProblem.Reason.shown(key)); there are \(keys.joined(separator: ", "))")
        }
        guard case .text(let url)? = members["url"] else { throw WebhookFileError("url is missing") }
        if let fault = fault(ofURL: url) { throw WebhookFileError("url: \(fault)") }
        var endpoint = WebhookEndpoint(name: name, url: url, secrets: try secrets(members["secret"]))
        switch members["events"] {
        case nil: break
        case .list(let values)?:
            endpoint.events = []
            for value in values {
                guard case .text(let text) = value, let event = WebhookEndpoint.Event(rawValue: text) else {
                    let all = WebhookEndpoint.Event.allCases.map(\.rawValue).joined(separator: ", ")
                    throw WebhookFileError("events: each is one of \(all)")
                }
                endpoint.events.insert(event)
            }
            if endpoint.events.isEmpty { throw WebhookFileError("events: it is empty") }
        default: throw WebhookFileError("events: expected an array")
        }
        switch members["request"] {
        case nil: break
        case .flag(let flag)?: endpoint.tellsRequest = flag
        default: throw WebhookFileError("request: expected true or false")
        }
        switch members["ca-file"] {
        case nil: break
        case .text(let path)? where path.hasPrefix("/") && path.utf8.count <= 4095: endpoint.authorities = path
        default: throw WebhookFileError("ca-file: expected a path that begins with /")
        }
        return endpoint
    }

    private static func secrets(_ value: ConfigurationValue?) throws(WebhookFileError) -> [[UInt8]] {
        let values: [ConfigurationValue]
        switch value {
        case .text(let text)?: values = [.text(text)]
        case .list(let list)? where 1...4 ~= list.count: values = list
        default: throw WebhookFileError("secret: expected one as whsec_…, or an array of 1 to 4, the newest first")
        }
        var secrets: [[UInt8]] = []
        for value in values {
            guard case .text(let text) = value, text.hasPrefix("whsec_"),
                let bytes = Data(base64Encoded: String(text.dropFirst(6))), secretRange.contains(bytes.count)
            else {
                throw WebhookFileError(
                    "secret: expected whsec_ and the Base64 of \(secretRange.lowerBound) to \(secretRange.upperBound) "
                        + "bytes; make one with: echo whsec_$(openssl rand -base64 32)")
            }
            secrets.append([UInt8](bytes))
        }
        return secrets
    }

    /// - Returns: nil if a message may go there.
    package static func fault(ofURL url: String) -> String? {
        let allowed = "-._~:/?[]!$&'()*+,;=%".utf8
        let isPlain = url.utf8.allSatisfy { byte in
            0x61...0x7A ~= byte || 0x41...0x5A ~= byte || 0x30...0x39 ~= byte || allowed.contains(byte)
        }
        guard url.utf8.count <= longestURL, isPlain else {
            return "it has at most \(longestURL) characters of ASCII, without spaces, users and fragments"
        }
        guard let scheme = ["https", "http"].first(where: { url.hasPrefix($0 + "://") }) else {
            return "it begins with https://, or with http:// for this machine"
        }
        let authority = url.dropFirst(scheme.count + 3).prefix { $0 != "/" && $0 != "?" }
        guard let (host, port) = parts(of: authority), let name = HostName(host) else {
            return "it has no host name in lower case, and no whole address"
        }
        if let port, UInt16(port).map({ $0 > 0 && String($0) == port }) != true { return "its port is no number" }
        let isLoopback = name.text == "localhost" || name.text == "::1" || isLoopback4(name.text)
        if scheme == "http", !isLoopback {
            return "without TLS, anybody between could read and change messages: https://, or http://127.0.0.1"
        }
        return nil
    }

    /// Whether a text is a whole address in 127.0.0.0/8.
    private static func isLoopback4(_ host: String) -> Bool {
        let parts = host.split(separator: ".")
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func parts(of authority: Substring) -> (host: String, port: Substring?)? {
        var host = authority.prefix { $0 != ":" }
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[...end]
        }
        let rest = authority[host.endIndex...]
        if rest.isEmpty { return (String(host), nil) }
        return rest.hasPrefix(":") ? (String(host), rest.dropFirst()) : nil
    }
}

/// A fault in the file of the webhooks, in words for people.
package struct WebhookFileError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
