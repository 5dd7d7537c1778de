// SPDX-License-Identifier: Apache-2.0
import Configuration
import Linux
import TestSupport
import Testing

@testable import inkpanel

@Suite("The settings file of a boot partition")
struct MachineSetupTests {
    private let directory: TemporaryDirectory
    private let root: String
    private let file: String

    init() throws {
        directory = try TemporaryDirectory()
        root = directory.path + "/root"
        file = directory.path + "/boot/inkpanel.toml"
        for folder in [
            "/root", "/boot", "/root/usr", "/root/usr/bin", "/root/usr/share", "/root/usr/share/zoneinfo",
        ] {
            _ = try Directory.make(directory.path + folder, permissions: 0o755)
        }
        try AtomicFile.write([], to: root + "/usr/share/zoneinfo/UTC")
        try AtomicFile.write([], to: root + MachineChanges.updater)
    }

    private func text(_ path: String) -> String? {
        (try? InputFile.read(path, maximumByteCount: 1 << 16)).flatMap { $0 }.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Applies a file as a boot does.
    @discardableResult
    private func boot(_ text: String? = nil) throws -> (changes: [String], result: String) {
        if let text { try AtomicFile.write(Array(text.utf8), to: file) }
        let setup = MachineSetup(system: InstalledSystem(root: root), file: file)
        let (changes, result) = try setup.changes()
        try setup.apply(changes)
        try setup.finish(result)
        #expect(self.text(directory.path + "/boot/inkpanel-result.txt") == result.text)
        return (changes.map(\.path), result.text)
    }

    @Test("is applied, and a second boot changes nothing")
    func twice() throws {
        let settings = """
            [machine]
            name = "pad-7"
            time-zone = "UTC"
            time-servers = ["a.example", "b.example"]
            address = "10.0.0.2/24"
            gateway = "10.0.0.1"
            name-servers = ["10.0.0.1"]
            cable = "192.168.77.1/24"
            wifi-name = "Shop 1"
            wifi-password = " pass\\\\word"
            wifi-country = "CH"
            ssh-keys = ["ssh-ed25519 AAAAC3 anna", "ssh-rsa AAAAB3 ben"]
            pairing = "till-3"
            updates = "https://updates.example.org/inkpanel-pc.raucb"
            [pad]
            language = "de"

            """
        // Debian's installer has made one.
        _ = try Directory.make(root + "/etc", permissions: 0o755)
        try Directory.makeLink(root + "/etc/localtime", to: "/usr/share/zoneinfo/Etc/UTC")
        #expect(try boot(settings).result == "The pad uses all settings of inkpanel.toml.\n")
        #expect(text(root + "/etc/hostname") == "pad-7\n")
        #expect(Directory.linkTarget(root + "/etc/localtime") == "/usr/share/zoneinfo/UTC")
        #expect(text(root + MachineChanges.timeServers) == "[Time]\nNTP=a.example b.example\n")
        #expect(
            text(root + MachineChanges.wiredNetwork)
                == "[Match]\nType=ether\nKind=!*\n\n[Network]\nAddress=10.0.0.2/24\nGateway=10.0.0.1\nDNS=10.0.0.1\n")
        let cable = try #require(text(root + MachineChanges.cableNetwork))
        #expect(cable.hasPrefix("[Match]\nName=cable0\n\n[Network]\nAddress=192.168.77.1/24\nDHCPServer=yes\n"))
        #expect(text(root + MachineChanges.cableNames) == "[Resolve]\nMulticastDNS=yes\n")
        let wifi = try #require(text(root + MachineChanges.wifi))
        #expect(wifi.hasPrefix("country=CH\nnetwork={\n\tssid=53686f702031\n"))
        #expect(wifi.hasSuffix("\n\tpsk=\" pass\\word\"\n}\n"))
        #expect(text(root + MachineChanges.sshKeys) == "ssh-ed25519 AAAAC3 anna\nssh-rsa AAAAB3 ben\n")
        #expect(text(root + MachineChanges.pairing) == "INKPANEL_PAIRING=till-3\n")
        #expect(text(root + MachineChanges.updates) == "https://updates.example.org/inkpanel-pc.raucb\n")
        #expect(text(root + MachineChanges.dropIn)?.hasSuffix("[pad]\nlanguage = \"de\"\n") == true)
        // The length stays, so that no block of the file is given up.
        let left = try #require(text(file))
        #expect(left == settings.replacing("\" pass\\\\word\"", with: "\"taken\"      "))
        #expect(try boot().changes == [])
        #expect(text(file) == left)
        #expect(try Directory.names(of: root + "/etc").filter { $0.hasSuffix(".inkpanel") } == [])
    }

    @Test("a card that cannot update itself says so")
    func updates() throws {
        let settings = "[machine]\nupdates = \"https://a.example/b.raucb\"\n"
        #expect(try boot(settings).result.contains("uses all settings"))
        try Directory.remove(root + MachineChanges.updater)
        #expect(try boot().result.contains("line 2: updates in [machine]: this card cannot update itself\n"))
    }

    @Test("what leaves the file leaves the machine, but not its name and its time zone")
    func removed() throws {
        try boot(
            "[machine]\nname = \"a\"\nwifi-name = \"b\"\nname-servers = [\"10.0.0.1\"]\npairing = \"c\"\n"
                + "cable = \"10.0.1.1/24\"\n[pad]\nclock = true\n"
        )
        #expect(text(root + MachineChanges.wifi)?.contains("\tssid=62\n\tscan_ssid=1\n\tkey_mgmt=NONE\n}") == true)
        #expect(text(root + MachineChanges.wiredNetwork)?.contains("DHCP=yes\n") == true)
        #expect(try boot("[machine]\n").changes.count == 6)
        for path in [
            MachineChanges.wifi, MachineChanges.wiredNetwork, MachineChanges.pairing, MachineChanges.dropIn,
            MachineChanges.cableNetwork, MachineChanges.cableNames,
        ] {
            #expect(text(root + path) == nil, "\(path)")
        }
        #expect(text(root + "/etc/hostname") == "a\n")
    }

    @Test("a cable in the network of the address is a fault; one beside it is not")
    func cable() throws {
        let (address, beside) = ("address = \"192.168.1.20/24\"\n", "cable = \"192.168.77.1/24\"\n")
        #expect(
            try boot("[machine]\n" + address + "cable = \"192.168.1.1/30\"\n").result.contains(
                "line 3: cable in [machine]: it is in the network of address"))
        #expect(text(root + MachineChanges.cableNetwork) == nil && text(root + MachineChanges.cableNames) == nil)
        #expect(try boot("[machine]\n" + address + beside).result.hasPrefix("The pad uses all settings"))
        #expect(text(root + MachineChanges.cableNetwork)?.contains("IPv6AcceptRA=no\n") == true)
    }

    @Test("a password that the machine has taken stays its network's, and no other's")
    func takenPassword() throws {
        try boot("[machine]\nwifi-name = \"Café\"\nwifi-password = \"12345678\"\n")
        let wifi = try #require(text(root + MachineChanges.wifi))
        let other = try boot("[machine]\nwifi-name = \"b\"\nwifi-password = \"taken\"\n")
        #expect(other.result.contains("line 3: wifi-password in [machine]: it is of another network"))
        #expect(text(root + MachineChanges.wifi) == wifi)
        try boot("[machine]\nwifi-country = \"CH\"\nwifi-name = \"Café\"\nwifi-password = \"taken\"\n")
        #expect(text(root + MachineChanges.wifi) == "country=CH\n" + wifi)
    }

    @Test("a fault keeps what was, and is said with its line")
    func faults() throws {
        try boot("[machine]\naddress = \"10.0.0.2/24\"\nwifi-name = \"b\"\nwifi-password = \"12345678\"\n")
        let result = try boot(
            "[machine]\naddress = \"10.0.0.3\"\ntime-zone = \"Mars/Base\"\nwifi-name = \"c\"\n"
                + "wifi-password = \"taken\"\n[pda]\nclock = true\n")
        #expect(text(root + MachineChanges.wiredNetwork)?.contains("Address=10.0.0.2/24\n") == true)
        for part in [
            "line 2: address", "line 3: time-zone in [machine]: this system has no time zone", "line 5: wifi-password",
            "line 6: there is no table [\"pda\"]",
        ] {
            #expect(result.result.contains(part), "\(part) in \(result.result)")
        }
    }

    @Test(
        "without a file, and with one that is none, the machine keeps its settings",
        arguments: [
            nil, "[machine", String(repeating: "#", count: 1 << 20), "\u{FF}\u{0}",
        ])
    func noFile(text: String?) throws {
        try boot("[machine]\nname = \"a\"\nname-servers = [\"10.0.0.1\"]\n")
        if text == nil { try Directory.remove(file) }
        let (changes, result) = try boot(text)
        #expect(changes == [] && !result.contains("uses all"))
    }

    @Test(
        "a password that the machine does not take stays in the file",
        arguments: [
            "wifi-country = \"ch\"", "wifi-name = \"\"", "gateway = \"10.0.0.1\"",
        ])
    func passwordStays(line: String) throws {
        let name = line.hasPrefix("wifi-name") ? "" : "wifi-name = \"b\"\n"
        try boot("[machine]\n\(name)wifi-password = \"12345678\"\n\(line)\n")
        let isTaken = text(root + MachineChanges.wifi)?.contains("12345678") == true
        // A fault elsewhere does not matter.
        #expect(isTaken == line.hasPrefix("gateway"))
        #expect(text(file)?.contains("12345678") == !isTaken)
    }

    @Test("a machine that has its files in memory takes no secret")
    func inMemory() throws {
        let memory = "/dev/shm/inkpanel-\(directory.path.split(separator: "/").last ?? "")"
        _ = try Directory.make(memory, permissions: 0o755)
        defer { Directory.removeTree(memory) }
        for folder in ["/etc", "/var"] { _ = try Directory.make(memory + folder, permissions: 0o755) }
        let settings = "[machine]\nwifi-name = \"b\"\nwifi-password = \"12345678\"\n"
        try AtomicFile.write(Array(settings.utf8), to: file)
        let setup = MachineSetup(system: InstalledSystem(root: memory), file: file)
        let (changes, result) = try setup.changes()
        #expect(changes.map(\.path) == [MachineChanges.wifi] && result.secrets.isEmpty)
    }

    @Test("the glass shows the first faults, and how many there are")
    func notice() {
        #expect(
            MachineResult(secrets: [], lines: []).notice == "" && MachineResult(secrets: [], lines: nil).notice == "")
        let lines = (1...9).map { "line \($0): x" }
        let shown = MachineResult(secrets: [], lines: lines).notice.split(separator: "\n")
        #expect(shown.count == 8 && shown.first == "inkpanel.toml")
        #expect(shown.last == "… and 3 more: see inkpanel-result.txt")
    }
}
