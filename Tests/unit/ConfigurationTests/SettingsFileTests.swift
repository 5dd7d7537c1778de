// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Configuration

@Suite("The file on the boot partition")
struct SettingsFileTests {
    private func file(_ text: String) -> SettingsFile {
        SettingsFile(document: Array(text.utf8), path: "inkpanel.toml")
    }

    private func lines(_ file: SettingsFile) -> [String] {
        file.problems.map { "\($0.line ?? 0): \($0.reason)" }
    }

    @Test("has settings of the machine and of the panel, whose lines keep their numbers")
    func bothParts() throws {
        let file = file(
            """
            [pad]
            language = "de"
            # The machine
            [machine]
            name = "pad-7"
            time-zone = "Europe/Zurich"
            time-servers = ["ntp.example.org", "192.168.1.1"]
            address = "192.168.1.20/24"
            gateway = "192.168.1.1"
            name-servers = ["192.168.1.1", "fd00::1"]
            wifi-country = "CH"
            ssh-keys = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA anna@till"]

            [display]
            rotate = 90
            """)
        #expect(lines(file) == [])
        #expect(file.settings.name == "pad-7" && file.settings.timeZone == "Europe/Zurich")
        #expect(file.settings.timeServers == ["ntp.example.org", "192.168.1.1"])
        #expect(file.settings.address == "192.168.1.20/24" && file.settings.gateway == "192.168.1.1")
        #expect(file.settings.nameServers == ["192.168.1.1", "fd00::1"])
        let panel = try #require(file.panelDocument)
        #expect(
            String(decoding: panel, as: UTF8.self)
                == "[pad]\nlanguage = \"de\"\n# The machine\n" + String(repeating: "\n", count: 10)
                + "[display]\nrotate = 90")
    }

    @Test(
        "names each fault with its line, and keeps the rest",
        arguments: [
            ("name = \"Pad 7\"", "name"), ("name = \"a.b\"", "name"), ("name = \"12\"", "name"), ("name = 7", "name"),
            ("time-zone = \"../../etc/shadow\"", "time-zone"), ("time-zone = \"\"", "time-zone"),
            ("time-servers = [\"http://ntp\"]", "time-servers"), ("address = \"192.168.1.20\"", "address"),
            ("address = \"192.168.1.20/33\"", "address"), ("address = \"192.168.1.20/+8\"", "address"),
            ("address = \"300.1.1.1/24\"", "address"), ("gateway = \"router\"", "gateway"),
            ("gateway = \"192.168.1.1\"", "gateway"), ("name-servers = []", "name-servers"),
            ("wifi-name = \"\"", "wifi-name"), ("wifi-name = \"a\\nb\"", "wifi-name"),
            ("wifi-password = \"secret words\"", "wifi-password"), ("wifi-country = \"ch\"", "wifi-country"),
            ("ssh-keys = [\"command=\\\"sh\\\" ssh-rsa AAAAB3\"]", "ssh-keys"),
            ("ssh-keys = [\"ssh-rsa AAAAB3\\nssh-rsa AAAAB3\"]", "ssh-keys"),
            ("cable = \"192.168.77.1\"", "cable"), ("cable = \"192.168.77.1/31\"", "cable"),
            ("cable = \"fd00::1/64\"", "cable"), ("cable = true", "cable"), ("cable = \"192.168.77.0/24\"", "cable"),
            ("cable = \"192.168.77.255/24\"", "cable"), ("cable = \"127.0.0.1/8\"", "cable"),
            ("cable = \"224.0.0.1/24\"", "cable"), ("cable = \"10.0.0.1/7\"", "cable"),
            ("updates = \"http://a.example/b.raucb\"", "updates"), ("updates = \"https://a/b\\nc.raucb\"", "updates"),
            ("pairing = \"till 3\"", "pairing"), ("pairing = \"a\\nB=c\"", "pairing"), ("nmae = \"pad\"", "nmae"),
        ])
    func faults(line: String, key: String) throws {
        let file = file("[machine]\n\(line)\n[pad]\nclock = true\n")
        let problem = try #require(file.problems.first)
        #expect(file.problems.count == 1 && problem.line == 2)
        #expect("\(problem.reason)".contains(key))
        #expect(file.settings == MachineSettings() || key == "gateway" || key == "wifi-password")
        #expect(file.wrong == Set([MachineSettings.Key(rawValue: key)].compactMap { $0 }))
        #expect(file.panelDocument != nil)
    }

    @Test("repeats no password in a message, and leaves it to whoever corrects the file")
    func wrongPassword() {
        for text in ["wifi-name = \"Shop\"\nwifi-password = \"short\"", "wifi-password = \"long enough\""] {
            let file = file("[machine]\n" + text)
            #expect(file.secrets.isEmpty)
            #expect(lines(file).count == 1 && !lines(file).joined().contains("short, "))
            #expect(!lines(file).joined().contains("enough"))
        }
    }

    @Test("repeats no private key that stands in place of the public one")
    func privateKey() {
        let file = file("[machine]\nssh-keys = [\"-----BEGIN OPENSSH PRIVATE KEY-----b3BlbnNzaC1rZXk\"]\n")
        #expect(lines(file).count == 1 && lines(file)[0].contains("take the file .pub"))
        #expect(!lines(file)[0].contains("b3Blbn"))
    }

    @Test("knows the bytes of its secret, also behind a byte order mark")
    func secrets() throws {
        for (mark, quoted) in [("", "\"long enough\""), ("\u{FEFF}", "'long enough'"), ("", "\"long \\\"enough\\\"\"")]
        {
            let text = mark + "[machine]\nwifi-name = \"Ladenkasse Ä\"\nwifi-password = \(quoted) # the shop's\n"
            let file = file(text)
            #expect(lines(file) == [])
            let range = try #require(file.secrets.first)
            #expect(String(decoding: Array(text.utf8)[range], as: UTF8.self) == quoted)
        }
        let kept = file("[machine]\nwifi-name = \"Shop\"\nwifi-password = \"\(SettingsFile.kept)\"\n")
        #expect(kept.secrets.isEmpty && kept.problems.isEmpty)
    }

    @Test("a fault in the panel's settings keeps them out, and the machine's in")
    func panelFault() {
        let file = file("[machine]\nname = \"pad-7\"\n[pad]\nlanguage = \"xx\"\n")
        #expect(file.panelDocument == nil && file.settings.name == "pad-7")
        #expect(file.problems.map(\.line) == [4])
    }

    @Test(
        "what is no TOML changes nothing",
        arguments: ["[machine\n", "name = \"a", "[machine]\na = 1\na = 2\n", "\u{0}"])
    func noTOML(text: String) {
        let file = file(text)
        #expect(file.problems.count == 1 && file.problems[0].line != nil)
        #expect(file.settings == MachineSettings() && file.panelDocument == nil)
        #expect(file.wrong.count == MachineSettings.Key.allCases.count)
    }

    @Test(
        "the machine's settings have a header of their own",
        arguments: [
            "machine.name = \"a\"\n", "machine = { name = \"a\" }\n", "[[machine]]\nname = \"a\"\n", "machine = 1\n",
        ])
    func noHeader(text: String) {
        let file = file(text)
        #expect(file.problems.count == 1 && file.problems[0].line == 1)
        #expect(file.settings == MachineSettings() && file.panelDocument != Array(text.utf8))
    }

    @Test("an empty file has no settings")
    func empty() {
        for text in ["", "# nothing\n", "[machine]\n"] {
            #expect(file(text).problems.isEmpty && file(text).panelDocument == [])
        }
    }
}
