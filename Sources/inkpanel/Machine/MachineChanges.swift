// SPDX-License-Identifier: Apache-2.0
import Configuration
import Linux

/// The files of a system that the settings of its machine need. systemd-networkd, systemd-timesyncd,
/// wpa_supplicant and sshd read them.
struct MachineChanges {
    static let dropIn = "/etc/inkpanel/inkpanel.toml.d/machine.toml"
    static let sshKeys = "/etc/ssh/authorized_keys.d/root"
    static let wiredNetwork = "/etc/systemd/network/10-inkpanel-wired.network"
    /// inkpanel-cable.service starts only if it is there.
    static let cableNetwork = "/etc/systemd/network/10-inkpanel-cable.network"
    /// After the card's own inkpanel.conf, by which no network has mDNS.
    static let cableNames = "/etc/systemd/resolved.conf.d/zz-inkpanel-cable.conf"
    static let wifi = "/etc/wpa_supplicant/inkpanel.conf"
    static let timeServers = "/etc/systemd/timesyncd.conf.d/inkpanel.conf"
    /// An environment file of inkpanel-pairing.service.
    static let pairing = "/etc/inkpanel/pairing"
    /// Read by ``updater``.
    static let updates = "/etc/inkpanel/updates"
    /// Not on all cards.
    static let updater = "/usr/bin/inkpanel-update"
    private static let zones = "/usr/share/zoneinfo"

    private let system: InstalledSystem
    private let file: SettingsFile
    private let path: String
    private(set) var changes: [SystemChange] = []
    /// Values that are valid, but not on this system.
    private(set) var problems: [ConfigurationProblem] = []

    /// - Parameter path: the file's, for messages.
    /// - Throws: ``CommandError`` if a file of the system cannot be read.
    init(_ system: InstalledSystem, _ file: SettingsFile, path: String) throws(CommandError) {
        self.system = system
        self.file = file
        self.path = path
        let settings = file.settings
        if let name = settings.name { try want("/etc/hostname", name + "\n", for: [.name]) }
        zone(settings)
        try want(
            Self.timeServers,
            settings.timeServers.map { "[Time]\nNTP=\($0.joined(separator: " "))\n" }, for: [.timeServers])
        try want(Self.wiredNetwork, Self.wired(settings), for: [.address, .gateway, .nameServers])
        if let cable = settings.cable.flatMap(IPv4Network.init), let wired = settings.address.flatMap(IPv4Network.init),
            cable.overlaps(wired)
        {
            add(.cable, "it is in the network of address: choose another one, such as 192.168.77.1/24")
        } else {
            try want(Self.cableNetwork, settings.cable.map(Self.cable), for: [.cable])
            try want(Self.cableNames, settings.cable.map { _ in "[Resolve]\nMulticastDNS=yes\n" }, for: [.cable])
        }
        try wifi(settings)
        try want(Self.sshKeys, settings.sshKeys.map { $0.map { $0 + "\n" }.joined() }, for: [.sshKeys])
        try want(Self.pairing, settings.pairing.map { "INKPANEL_PAIRING=\($0)\n" }, for: [.pairing])
        if settings.updates != nil, !system.exists(Self.updater) {
            add(.updates, "this card cannot update itself")
        } else {
            try want(Self.updates, settings.updates.map { $0 + "\n" }, for: [.updates])
        }
        if let document = file.panelDocument {
            try want(Self.dropIn, document.isEmpty ? nil : String(decoding: document, as: UTF8.self), for: [])
        }
    }

    // MARK: settings

    private mutating func zone(_ settings: MachineSettings) {
        guard let zone = settings.timeZone else { return }
        let target = "\(Self.zones)/\(zone)"
        guard system.exists(target) else {
            return add(.timeZone, "this system has no time zone \"\(zone)\": they are named as in Europe/Zurich")
        }
        if system.link("/etc/localtime") != target { changes.append(.link("/etc/localtime", to: target)) }
    }

    /// systemd.network(5). nil without settings: then the system's own file counts.
    private static func wired(_ settings: MachineSettings) -> String? {
        guard settings.address != nil || settings.nameServers != nil else { return nil }
        var lines = ["[Match]", "Type=ether", "Kind=!*", "", "[Network]"]
        lines.append(settings.address.map { "Address=\($0)" } ?? "DHCP=yes")
        if let gateway = settings.gateway { lines.append("Gateway=\(gateway)") }
        lines += (settings.nameServers ?? []).map { "DNS=\($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// systemd.network(5). The PC gets an address, but neither a router nor a name server: it keeps those of its other
    /// networks. It finds the machine by its name, too (mDNS, RFC 6762).
    private static func cable(_ address: String) -> String {
        [
            "[Match]", "Name=cable0", "", "[Network]", "Address=\(address)", "DHCPServer=yes", "MulticastDNS=yes",
            "IPv6AcceptRA=no", "ConfigureWithoutCarrier=yes", "",
            "[DHCPServer]", "EmitDNS=no", "EmitNTP=no", "EmitRouter=no", "EmitTimezone=no", "", "[Link]",
            "RequiredForOnline=no", "",
        ].joined(separator: "\n")
    }

    /// wpa_supplicant.conf(5). A password that the file has no more is that of the present one.
    private mutating func wifi(_ settings: MachineSettings) throws(CommandError) {
        let keys = MachineSettings.Key.wifi
        guard file.wrong.isDisjoint(with: keys) else { return }
        var lines = settings.wifiCountry.map { ["country=\($0)"] } ?? []
        if let name = settings.wifiName {
            // Hexadecimal, because a name may have any sign.
            let digits = name.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let network = ["network={", "\tssid=\(digits)", "\tscan_ssid=1"]
            lines += network
            switch settings.wifiPassword {
            case nil: lines.append("\tkey_mgmt=NONE")
            case let password?:
                lines += ["\tkey_mgmt=WPA-PSK WPA-PSK-SHA256 SAE", "\tieee80211w=1"]
                var secret: String? = "\tpsk=\"\(password)\""
                if password == SettingsFile.kept {
                    let present = try system.text(Self.wifi)?.split(separator: "\n").map(String.init) ?? []
                    secret = present.contains(network[1]) ? present.first { $0.hasPrefix("\tpsk=") } : nil
                }
                guard let secret else {
                    return add(
                        .wifiPassword,
                        "it is of another network, or another pad has taken it, or this one has lost its data: "
                            + "write it again")
                }
                lines.append(secret)
            }
            lines.append("}")
        }
        try want(
            Self.wifi, lines.isEmpty ? nil : lines.joined(separator: "\n") + "\n", permissions: 0o600, for: keys)
    }

    // MARK: files

    /// - Parameter text: nil for no file.
    private mutating func want(
        _ path: String, _ text: String?, permissions: UInt32 = 0o644, for keys: Set<MachineSettings.Key>
    ) throws(CommandError) {
        guard file.wrong.isDisjoint(with: keys) else { return }
        let current = try system.text(path)
        if current == text { return }
        changes.append(text.map { .write(path, text: $0, permissions: permissions) } ?? .remove(path))
    }

    private mutating func add(_ key: MachineSettings.Key, _ reason: String) {
        let problem = ConfigurationProblem.Reason.unusable(key: key.rawValue, table: "machine", reason)
        problems.append(ConfigurationProblem(path: path, line: file.line(of: key), reason: problem))
    }
}
