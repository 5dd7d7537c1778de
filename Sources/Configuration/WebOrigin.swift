// SPDX-License-Identifier: Apache-2.0

/// The origin of a web page exactly as browsers send it in the header Origin: scheme, host, and a port other than the
/// scheme's (RFC 6454, 6.2). Any other text would match no request.
public struct WebOrigin: Hashable, Sendable {
    public let text: String

    /// - Throws: ``WebOriginError``, which says what is wrong.
    public init(_ text: String) throws(WebOriginError) {
        if text == "null" { throw WebOriginError("null is the origin of no site") }
        if text.utf8.contains(UInt8(ascii: "*")) { throw WebOriginError("it must be one origin, without *") }
        guard let scheme = ["https", "http"].first(where: { text.lowercased().hasPrefix($0 + "://") }) else {
            throw WebOriginError("it must begin with https:// or http://")
        }
        guard text.utf8.count <= 300 else { throw WebOriginError("it is too long") }
        guard text.unicodeScalars.allSatisfy(\.isASCII) else {
            throw WebOriginError("browsers write the name in ASCII, as xn--…")
        }
        if text.utf8.contains(where: { 0x41...0x5A ~= $0 }) { throw WebOriginError("browsers write it in lower case") }
        let rest = text.dropFirst(scheme.count + 3)
        if rest.hasSuffix("/"), !rest.dropLast().contains("/" as Character) {
            throw WebOriginError("it has no / at its end")
        }
        if rest.contains(where: { "/?#\\".contains($0) }) { throw WebOriginError("it has no path after the host") }
        if rest.contains("@" as Character) { throw WebOriginError("it has no user before the host") }
        let (host, port) = try Self.parts(of: rest)
        try Self.check(host: host)
        if let port { try Self.check(port: port, of: scheme) }
        self.text = text
    }

    private static func parts(of text: Substring) throws(WebOriginError) -> (host: Substring, port: Substring?) {
        var host = text
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw WebOriginError("the address has no ]") }
            host = text[...end]
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
        }
        let rest = text[host.endIndex...]
        if rest.isEmpty { return (host, nil) }
        guard rest.first == ":" else { throw WebOriginError("after ] only a port may follow") }
        return (host, rest.dropFirst())
    }

    private static func check(port: Substring, of scheme: String) throws(WebOriginError) {
        guard let number = UInt16(port), String(number) == port, number > 0 else {
            throw WebOriginError("the port is 1 to 65535, without zeros before it")
        }
        if number == (scheme == "https" ? 443 : 80) {
            throw WebOriginError("browsers leave out the port \(number) of \(scheme)")
        }
    }

    private static func check(host: Substring) throws(WebOriginError) {
        if host.isEmpty { throw WebOriginError("it has no host") }
        // Names in local networks may have underscores, which RFC 1123 does not know.
        let text = String(host).replacing("_", with: "x")
        guard let canonical = HostName(text)?.urlText else {
            throw WebOriginError("\(host) is no host name, and no whole address")
        }
        if canonical != text { throw WebOriginError("browsers write this address as \(canonical)") }
    }
}

/// Why a text is no origin; fits after "expected an origin such as https://till.example: ".
public struct WebOriginError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
