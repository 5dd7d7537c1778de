// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The settings of the machine around the panel: the table `[machine]` of a ``SettingsFile``. nil is the system's own.
public struct MachineSettings: Equatable, Sendable {
    public enum Key: String, CaseIterable, Sendable {
        case name
        case timeZone = "time-zone"
        case timeServers = "time-servers"
        case address, gateway
        case nameServers = "name-servers"
        case wifiName = "wifi-name"
        case wifiPassword = "wifi-password"
        case wifiCountry = "wifi-country"
        case sshKeys = "ssh-keys"
        case cable, pairing, updates

        /// Those of the wireless network: one with a fault leaves the network as it was.
        public static let wifi: Set<Key> = [.wifiName, .wifiPassword, .wifiCountry]
    }

    /// The host name.
    public var name: String?
    /// The name of a file of tzdata, such as `Europe/Zurich`.
    public var timeZone: String?
    public var timeServers: [String]?
    /// The wired interface's, with the length of the network's prefix: `192.168.1.20/24`. nil is DHCP.
    public var address: String?
    public var gateway: String?
    public var nameServers: [String]?
    /// The machine's address on a USB cable to a PC, with the length of the network's prefix; nil for no such network.
    public var cable: String?
    public var wifiName: String?
    public var wifiPassword: String?
    /// Two capital letters (ISO 3166-1).
    public var wifiCountry: String?
    /// Lines of authorized_keys(5), without options.
    public var sshKeys: [String]?
    /// The name of a program that may pair with the gateway for an hour after each start, until it has a token.
    public var pairing: String?
    /// The address of the bundle that a card looks for each night.
    public var updates: String?

    public init() {}
}

/// A setting of the machine: its key, and how its value is read.
struct MachineSetting {
    let key: MachineSettings.Key
    let expectation: String
    /// Sets the property; returns false and changes nothing if the value is invalid.
    let read: (ConfigurationValue, inout MachineSettings) -> Bool
    let fault: (ConfigurationValue) -> String?
    let isSecret: Bool

    private init<Value>(
        _ key: MachineSettings.Key, _ kind: ValueKind<Value>, _ property: WritableKeyPath<MachineSettings, Value?>,
        isSecret: Bool = false
    ) {
        self.key = key
        expectation = kind.expectation
        read = { value, settings in
            guard let read = kind.read(value) else { return false }
            settings[keyPath: property] = read
            return true
        }
        fault = kind.fault
        self.isSecret = isSecret
    }

    /// They are constant, and their closures share no state.
    nonisolated(unsafe) static let all: [MachineSetting] = [
        MachineSetting(.name, .machineName, \.name),
        MachineSetting(.timeZone, .timeZone, \.timeZone),
        MachineSetting(.timeServers, .list(.hostName, 1...8), \.timeServers),
        MachineSetting(.address, .addressWithPrefix, \.address),
        MachineSetting(.gateway, .address, \.gateway),
        MachineSetting(.nameServers, .list(.address, 1...3), \.nameServers),
        MachineSetting(.wifiName, .wifiName, \.wifiName),
        MachineSetting(.wifiPassword, .wifiPassword, \.wifiPassword, isSecret: true),
        MachineSetting(.wifiCountry, .country, \.wifiCountry),
        MachineSetting(.sshKeys, .list(.sshKey, 1...16), \.sshKeys),
        MachineSetting(.cable, .cable, \.cable),
        MachineSetting(.pairing, .pairing, \.pairing),
        MachineSetting(.updates, .updates, \.updates),
    ]
}

// MARK: kinds of values

extension ValueKind where Value == String {
    private static func checked(
        _ expectation: String, fault: @escaping (String) -> String? = { _ in nil },
        _ isValid: @escaping (String) -> Bool
    ) -> Self {
        .text(expectation, read: { isValid($0) ? $0 : nil }, write: { $0 }, fault: fault)
    }

    /// A label of the Domain Name System (RFC 1123).
    fileprivate static var machineName: Self {
        checked("a name of 1 to 63 letters, digits and -, such as pad-7", fault: HostName.fault) { name in
            !name.contains("." as Character) && HostName(name) != nil && Int(name) == nil
        }
    }

    /// The name of a token: fewer signs than the gateway allows, for an environment file (systemd.exec(5)).
    fileprivate static var pairing: Self {
        checked("a name of 1 to 63 letters, digits, - and _, such as till-3") { name in
            1...63 ~= name.utf8.count && name.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x2D || $0 == 0x5F }
        }
    }

    /// Without a user's name: the file is not secret.
    fileprivate static var updates: Self {
        checked("an address that begins with https:// and ends in .raucb, of at most 1000 letters, digits and signs") {
            $0.hasPrefix("https://") && $0.hasSuffix(".raucb") && $0.utf8.count <= 1000
                && $0.utf8.allSatisfy { isLetterOrDigit($0) || "-._~:/%+".utf8.contains($0) }
        }
    }

    fileprivate static var timeZone: Self {
        checked("a time zone, such as Europe/Zurich") { zone in
            let parts = zone.split(separator: "/", omittingEmptySubsequences: false)
            return (1...3).contains(parts.count)
                && parts.allSatisfy { part in
                    part.first?.isLetter == true
                        && part.utf8.allSatisfy { isLetterOrDigit($0) || [0x2B, 0x2D, 0x5F].contains($0) }  // + - _
                }
        }
    }

    fileprivate static var address: Self {
        checked("an address, such as 192.168.1.1") { isAddress($0, AF_INET) || isAddress($0, AF_INET6) }
    }

    fileprivate static var addressWithPrefix: Self {
        checked(
            "an address with the length of the network's prefix, such as 192.168.1.20/24",
            fault: { $0.contains("/" as Character) ? nil : "the length is missing: most networks have /24" },
            isAddressWithPrefix)
    }

    /// One that a machine may have, in a network with room for the PC.
    fileprivate static var cable: Self {
        checked(
            "an address with the length of the network's prefix, 8 to 30, such as 192.168.77.1/24",
            fault: { $0.contains("/" as Character) ? nil : "the length is missing: most networks have /24" },
            { IPv4Network(of: $0)?.hasRoom == true })
    }

    /// The SSID (IEEE 802.11, 9.4.2.2).
    fileprivate static var wifiName: Self {
        checked("a name of 1 to 32 bytes, without controls") { name in
            1...32 ~= name.utf8.count && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
    }

    /// A passphrase of WPA (IEEE 802.11, J.4.1), or the word for one that the machine keeps.
    fileprivate static var wifiPassword: Self {
        checked("8 to 63 letters, digits and signs of ASCII") { password in
            password == SettingsFile.kept
                || 8...63 ~= password.utf8.count && password.utf8.allSatisfy { 0x20...0x7E ~= $0 }
        }
    }

    fileprivate static var country: Self {
        checked("two capital letters, such as \"CH\"") { text in
            text.utf8.count == 2 && text.utf8.allSatisfy { 0x41...0x5A ~= $0 }
        }
    }

    /// A public key as OpenSSH writes it. Options before it could run programs.
    fileprivate static var sshKey: Self {
        let expectation = "a line of a public key's file, which begins with ssh- or ecdsa-"
        var kind = checked(expectation, fault: privateKeyFault) { line in
            let parts = line.split(separator: " ", maxSplits: 2)
            let kinds = ["ssh-ed25519", "ssh-rsa", "ecdsa-sha2-", "sk-ssh-ed25519@", "sk-ecdsa-sha2-"]
            return parts.count >= 2 && kinds.contains { parts[0].hasPrefix($0) }
                && line.utf8.count <= 4096 && line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
                && parts[1].hasPrefix("AAAA")
                && parts[1].utf8.allSatisfy { isLetterOrDigit($0) || "+/=".utf8.contains($0) }
        }
        // It may be the private key.
        kind.isSecret = true
        return kind
    }

    private static func privateKeyFault(_ text: String) -> String? {
        text.firstRange(of: "PRIVATE KEY") == nil
            ? nil : "this is the private key, which belongs to nobody else: take the file .pub"
    }
}

private func isLetterOrDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x61...0x7A ~= byte | 0x20 }

/// The network of an IPv4 address with the length of its prefix, such as 192.168.77.1/24.
package struct IPv4Network {
    private let address: UInt32
    private let mask: UInt32

    /// nil for other texts.
    package init?(of text: String) {
        guard isAddressWithPrefix(text) else { return nil }
        let parts = text.split(separator: "/").map(String.init)
        var value = in_addr()
        guard inet_pton(AF_INET, parts[0], &value) == 1, let length = UInt32(parts[1]) else { return nil }
        address = UInt32(bigEndian: value.s_addr)
        mask = ~0 << (32 - length)
    }

    /// Whether the address is one of a machine (RFC 1122, 3.2.1.3), and the network has another one.
    fileprivate var hasRoom: Bool {
        let (first, host) = (address >> 24, address & ~mask)
        return 1...223 ~= first && first != 127 && (8...30).contains(mask.nonzeroBitCount) && host != 0
            && host != ~mask
    }

    package func overlaps(_ other: IPv4Network) -> Bool { (address ^ other.address) & mask & other.mask == 0 }
}

private func isAddress(_ text: String, _ family: CInt) -> Bool {
    var address = in6_addr()
    return inet_pton(family, text, &address) == 1
}

private func isAddressWithPrefix(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let length = Int(parts[1]) else {
        return false
    }
    return isAddress(parts[0], AF_INET) && 1...31 ~= length || isAddress(parts[0], AF_INET6) && 1...127 ~= length
}
