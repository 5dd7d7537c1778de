// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The host in a web address: a name of the Domain Name System (RFC 1123) or an address, in the form that browsers
/// send.
public struct HostName: Equatable, Hashable, Sendable {
    /// The name in lower case; an IPv6 address without brackets, as short as it can be (RFC 5952).
    public let text: String

    /// - Returns: nil if no request can be for this host: for text in upper case, with a port or a wildcard, and for
    ///   addresses of one link only, because their zones are not part of web addresses.
    public init?(_ text: String) {
        var bare = text[...]
        if text.hasPrefix("["), text.hasSuffix("]") {
            bare = text.dropFirst().dropLast()
            guard bare.contains(":" as Character) else { return nil }
        }
        let name = Self.isName(bare) ? String(bare) : nil
        // A character: Swift 6.0 searches for texts with Foundation, which would bring ICU into the panel's program.
        guard let canonical = bare.contains(":" as Character) ? Self.version6(bare) : name else { return nil }
        self.text = canonical
    }

    /// The host as an address and the header Host have it, without a port.
    public var urlText: String { text.contains(":" as Character) ? "[\(text)]" : text }

    /// The remedy for a text that people write instead of a host; nil for other faults.
    static func fault(_ text: String) -> String? {
        if let scheme = text.firstRange(of: "://") { return "remove \(text[..<scheme.upperBound])" }
        if text.contains("/" as Character) { return "remove the path" }
        let lower = text.lowercased()
        if lower != text, HostName(lower) != nil { return "write \(lower)" }
        let colons = text.filter { $0 == ":" }.count
        if colons == 1 { return "remove the port" }
        return nil
    }

    private static func version6(_ text: Substring) -> String? {
        var address = in6_addr()
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_pton(AF_INET6, String(text), &address) == 1 else { return nil }
        let isLocal = withUnsafeBytes(of: address) { $0[0] == 0xFE && $0[1] & 0xC0 == 0x80 }
        guard !isLocal, inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func isName(_ text: Substring) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let areLabels = labels.allSatisfy { label in
            1...63 ~= label.utf8.count && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x2D }
        }
        guard text.utf8.count <= 253, areLabels, let last = labels.last else { return false }
        // Browsers take a host that ends in a number for an address of IPv4 (URL Standard, 3.5).
        let isNumber = last.utf8.allSatisfy { 0x30...0x39 ~= $0 } || last.hasPrefix("0x")
        var address = in_addr()
        return !isNumber || inet_pton(AF_INET, String(text), &address) == 1
    }
}

/// A server's host and port.
public struct NetworkAddress: Equatable, Sendable {
    public static let expectation = "HOST:PORT, such as mqtt.example.org:8883"

    public let host: HostName
    public let port: Int

    /// - Parameter text: `HOST:PORT`; an IPv6 address in brackets.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let host = HostName(String(text[..<colon])) else { return nil }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let port = Int(digits), 1...65535 ~= port else {
            return nil
        }
        // Without brackets, the port could be a part of the address.
        if host.text.contains(":" as Character), !text.hasPrefix("[") { return nil }
        self.host = host
        self.port = port
    }

    /// The remedy for a text that people write instead of an address; nil for other faults.
    package static func fault(_ text: String) -> String? {
        if let scheme = text.firstRange(of: "://") { return "remove \(text[..<scheme.upperBound])" }
        if text.contains("/" as Character) { return "remove the path" }
        let lower = text.lowercased()
        if lower != text, NetworkAddress(lower) != nil { return "write \(lower)" }
        if HostName(text) != nil {
            let isOpen = text.contains(":" as Character) && !text.hasPrefix("[")
            return "the port is missing" + (isOpen ? ", and the brackets of an IPv6 address" : "")
        }
        return nil
    }

    public var text: String { "\(host.urlText):\(port)" }
}
