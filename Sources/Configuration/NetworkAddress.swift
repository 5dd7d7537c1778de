// SPDX-License-Identifier: Apache-2.0

/// Where a server is: a host and a port.
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

    public var text: String { "\(host.urlText):\(port)" }
}
