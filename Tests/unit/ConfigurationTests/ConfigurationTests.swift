// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import HostAPI
import Ink
import Linux
import Pad
import Raster
import Record
import Store
import TestSupport
import Testing

@testable import Configuration

@Suite("Configuration")
struct ConfigurationTests {
    private func read(_ text: String) throws(ConfigurationError) -> Configuration {
        try Configuration(document: Array(text.utf8), path: "inkpanel.toml")
    }

    @Test("what other programs read is no part of the panel's settings")
    func panelText() throws {
        let usual = Configuration().text
        let fleet = try Configuration(document: Array("[fleet]\nbroker = \"a.example:8883\"\n".utf8), path: "f")
        #expect(fleet.panelText == usual && fleet.text != usual)
        let pad = try Configuration(document: Array("[pad]\nlanguage = \"de\"\n".utf8), path: "f")
        #expect(pad.panelText == pad.text && pad.text != usual)
    }

    @Test("an empty file has the defaults of the libraries")
    func empty() throws {
        let configuration = try read("# nothing\n\n[touch]\n")
        #expect(configuration == Configuration())
        #expect(configuration.capture == .standard)
        #expect(configuration.record.retention == CaptureRetention())
        #expect(configuration.ink.pen == .default)
    }

    @Test("every key sets its property")
    func all() throws {
        let configuration = try read(
            """
            [touch]
            device = ["/dev/input/event1", "replay:/a/b.events"]
            palm-mm = 0
            [display]
            output = "headless:800x480"
            rotate = 270
            prediction = false
            latency = "front"
            dpi = 96.5
            [ink]
            pen = "offset"
            pen-switches = ["no-pinch", "smooth-edge"]
            color = "#102030"
            width-mm = 1
            pressure = "firm"
            [pad]
            page = "sketch"
            language = "de"
            messages = "/etc/inkpanel/fr.messages"
            theme = "dark"
            gloves = true
            letters-mm = 4.9
            idle-text = "Hello\\nWelt"
            date = "%d.%m.%Y"
            [capture]
            undo = false
            inactivity-seconds = 7.5
            total-seconds = 90
            flow-seconds = 900
            minima.strokes = 2
            minima.reports = 20
            minima.length-mm = 30
            minima.extent-mm = 12.5
            minima.breadth-mm = 0
            minima.duration-ms = 400
            [record]
            directory = "/srv/signatures"
            maximum-age-days = 30
            maximum-count = 1000
            panel-name = "Kasse 3"
            [control]
            socket = "/tmp/panel.sock"
            group = ""
            gateway = "web-gateway"
            [gateway]
            names = ["pad-3.shop.example", "xn--kse-qla.example"]
            origins = ["https://till.example", "http://192.0.2.7:8080"]
            [sketch]
            colors = ["ff0000", "00ff00"]
            widths-mm = [0.3, 2]
            double-tap-clears = true
            directory = "/srv/drawings"
            """)
        var expected = Configuration()
        expected.touch.devices = ["/dev/input/event1", "replay:/a/b.events"]
        expected.touch.palmLimit = nil
        expected.display.output = .headless(PixelSize(width: 800, height: 480))
        expected.display.rotation = .clockwise270
        expected.display.predicts = false
        expected.display.latency = .front
        expected.display.density = PixelDensity(dotsPerInch: 96.5)
        expected.ink.pen = .offset
        expected.ink.switches = [.noPinch, .smoothEdge]
        expected.ink.color = Color(red: 16, green: 32, blue: 48)
        expected.ink.width = 1
        expected.ink.pressure = .firm
        expected.pad.page = .sketch
        expected.pad.language = .german
        expected.pad.messages = "/etc/inkpanel/fr.messages"
        expected.pad.theme = .dark
        expected.pad.gloves = true
        expected.pad.letters = 4.9
        expected.pad.idleText = "Hello\nWelt"
        expected.pad.dateFormat = DateFormat("%d.%m.%Y")
        expected.capture.undo = false
        expected.capture.inactivityLimit = .milliseconds(7500)
        expected.capture.totalLimit = .seconds(90)
        expected.flowLimit = .seconds(900)
        expected.capture.minima = CapturePolicy.Minima(
            strokes: 2, samples: 20, length: 30, extent: 12.5, breadth: 0, duration: .milliseconds(400))
        expected.record.directory = "/srv/signatures"
        expected.record.retention = CaptureRetention(maximumAge: .seconds(30 * 86_400), maximumCount: 1000)
        expected.record.panelName = "Kasse 3"
        expected.control.socket = "/tmp/panel.sock"
        expected.control.group = nil
        expected.control.gateway = "web-gateway"
        expected.gateway.names = ["pad-3.shop.example", "xn--kse-qla.example"]
        expected.gateway.origins = [try WebOrigin("https://till.example"), try WebOrigin("http://192.0.2.7:8080")]
        expected.sketch.colors = [Color(red: 255, green: 0, blue: 0), Color(red: 0, green: 255, blue: 0)]
        expected.sketch.widths = [0.3, 2]
        expected.sketch.clearsOnDoubleTap = true
        expected.sketch.directory = "/srv/drawings"
        #expect(configuration == expected)
        // Written text reads back as the same, and so do the defaults.
        #expect(try read(configuration.text) == configuration)
        #expect(try read(Configuration().text) == Configuration())
    }

    @Test("names and origins of the gateway that no request can have are rejected")
    func addresses() throws {
        let label = String(repeating: "x", count: 64)
        for name in [
            "", "a..b", "-a", "a_b", "Till", "a:80", "a/b", label, "a.", ".", "*.a", "*", "https://a", "a@b", "büro.a",
            "192.168.7", "192.168.7.256", "192.168.07.20", "192.168.7.20:80", "192.168.7.20/24", "pad.4711", "pad.0x1f",
            "3232237332", "[192.168.7.20]", "[a]", "[fd00::20", "fd00::20]", "[fd00::20]:80", "fd00::20/64",
            "fd00::2::1", "fe80::1", "fe80::1%eth0", "[fe80::1%25eth0]", "FE80::1", "fd00::20.",
        ] {
            #expect(throws: ConfigurationError.self, "\(name)") { try read("[gateway]\nnames = [\"\(name)\"]") }
        }
        for origin in [
            "", "null", "till.example", "https://", "https://a/", "https://A.example", "https://*", "ftp://a",
            "https://u@a", "https://a b", "https://a:443", "http://a:80", "https://a:", "https://a:0",
            "https://a:65536",
            "https://a:08", "https://ä", "https://[::1", "https://[::0]", "https://[1::2:0:0:0:3]", "https://1.2",
            "https://a.",
            "https://0x1", "https://256.1.1.1",
        ] {
            #expect(throws: ConfigurationError.self, "\(origin)") { try read("[gateway]\norigins = [\"\(origin)\"]") }
        }
    }

    @Test("names of the gateway are read in the form that browsers send")
    func canonicalNames() throws {
        for (name, expected) in [
            ("pad", "pad"), ("pad.4711.example", "pad.4711.example"), ("xn--bro-hoa.example", "xn--bro-hoa.example"),
            ("192.168.7.20", "192.168.7.20"), ("fd00::20", "fd00::20"), ("[FD00:0:0::020]", "fd00::20"),
            ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("::1", "::1"),
        ] {
            #expect(try read("[gateway]\nnames = [\"\(name)\"]").gateway.names == [expected])
        }
    }

    @Test("origins are taken as browsers write them")
    func origins() throws {
        for origin in [
            "https://till.example", "http://a", "https://a:8443", "http://a:443", "https://xn--tll-sna.example",
            "http://192.0.2.7:8080", "https://[::1]:8443", "https://[2001:db8::1]", "https://[1:2::3:0:0]",
            "https://a_b.example", "https://4711.example",
        ] {
            #expect(try WebOrigin(origin).text == origin)
        }
    }

    @Test("texts of any characters are read back")
    func texts() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            var configuration = Configuration()
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                let range: ClosedRange<UInt32> = Bool.random(using: &generator) ? 1...0x7F : 0x80...0x10FFFF
                if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) { text.append(scalar) }
            }
            if text.isEmpty { continue }
            configuration.pad.logo = "/" + String(text)
            #expect(try read(configuration.text) == configuration, "\(text.map(\.value))")
        }
    }

    @Test("texts of pages have no character that people cannot see or that changes the order of others")
    func hiddenCharacters() throws {
        #expect(try read("[pad]\nidle-text = \"Welcome\\nto us\"").pad.idleText == "Welcome\nto us")
        for escape in ["\\u202E", "\\u200B", "\\u0007", "\\U000E0041"] {
            #expect(throws: ConfigurationError.self) { try read("[pad]\nidle-text = \"a\(escape)b\"") }
            #expect(throws: ConfigurationError.self) { try read("[record]\npanel-name = \"a\(escape)b\"") }
        }
        #expect(throws: ConfigurationError.self) { try read("[record]\npanel-name = \"\\u3000\"") }
    }

    @Test("has the words auto, \"\" and 0 for what is not set")
    func unset() throws {
        let configuration = try read(
            """
            touch = { device = "auto", palm-mm = 0.0 }
            [display]
            rotate = "auto"
            dpi = "auto"
            [ink]
            color = "auto"
            width-mm = "auto"
            [pad]
            messages = ""
            idle-text = ""
            idle-picture = ""
            [record]
            maximum-age-days = 0
            maximum-count = 0
            """)
        var expected = Configuration()
        expected.touch.palmLimit = nil
        #expect(configuration == expected)
    }

    @Test("a missing file, one that is too long, and a directory")
    func files() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/inkpanel.toml"
        #expect(
            thrownError { try Configuration(path: path) } as? ConfigurationError
                == .cannotRead(path: path, .noSuchFile))
        #expect(
            thrownError { try Configuration(path: directory.path) } as? ConfigurationError
                == .cannotRead(path: directory.path, .isDirectory))
        try AtomicFile.write([UInt8](repeating: 0x0A, count: Configuration.largestFile + 1), to: path)
        #expect(
            thrownError { try Configuration(path: path) } as? ConfigurationError
                == .tooLarge(path: path, limit: Configuration.largestFile))
        try AtomicFile.write(Array("[pad]\npage = 'ink'\n".utf8), to: path)
        #expect(try Configuration(path: path).pad.page == .ink)
    }
}

@Suite("Settings that change while a panel runs")
struct ConfigurationChangeTests {
    private func read(_ text: String) throws -> Configuration {
        try Configuration(document: Array(text.utf8), path: "f")
    }

    @Test("those of captures are applied; others need a restart of the program that reads them")
    func changes() throws {
        let before = try read("[capture]\nundo = false\n[pad]\nclock = true\n")
        let after = try read(
            """
            [capture]
            minima.strokes = 3
            [pad]
            clock = true
            theme = "dark"
            [record]
            maximum-count = 5
            [fleet]
            broker = "mqtt.example.org:8883"
            [gateway]
            names = ["pad.example"]
            """)
        let changes = before.changes(to: after)
        #expect(
            Dictionary(uniqueKeysWithValues: changes.map { ($0.key, $0.needsRestart ?? "applied") }) == [
                "capture.undo": "applied", "capture.minima.strokes": "applied", "record.maximum-count": "applied",
                "pad.theme": "inkpanel", "fleet.broker": "inkpanel-fleet", "gateway.names": "inkpanel-gateway",
            ])
        let running = before.reloaded(from: after)
        #expect(running.changes(to: after).map(\.key) == ["pad.theme"])
        #expect(running.capture == after.capture && running.record == after.record && running.pad == before.pad)
        #expect(after.changes(to: after).isEmpty && before.reloaded(from: before) == before)
    }
}

@Suite("Addresses that people write for a host or a broker")
struct AddressFaultTests {
    private func message(_ text: String) throws -> String {
        let files = try ConfigurationFiles(document: Array(text.utf8), path: "f")
        return ConfigurationError.wrong(files.problems).description
    }

    @Test(
        "are refused with what to change",
        arguments: [
            ("https://mqtt.example.org", "remove https://"), ("mqtts://mqtt.example.org:8883", "remove mqtts://"),
            ("mqtt.example.org", "the port is missing"), ("mqtt.example.org:8883/path", "remove the path"),
            ("MQTT.Example.org:8883", "write mqtt.example.org:8883"),
            ("2001:db8::1", "the port is missing, and the brackets"),
        ])
    func brokers(address: String, remedy: String) throws {
        let said = try message("[fleet]\nbroker = \"\(address)\"\n")
        #expect(said.contains(remedy) && said.contains("such as mqtt.example.org:8883"), "\(said)")
    }

    @Test(
        "also those of the gateway",
        arguments: [
            ("https://pad.example", "remove https://"), ("pad.example:8443", "remove the port"),
            ("pad.example/x", "remove the path"), ("Pad.Example", "write pad.example"),
        ])
    func hosts(name: String, remedy: String) throws {
        let said = try message("[gateway]\nnames = [\"\(name)\"]\n")
        #expect(said.contains(remedy), "\(said)")
    }
}

/// inkpanel.toml with the files in inkpanel.toml.d.
@Suite("Drop-ins")
struct DropInTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/inkpanel.toml" }

    init() throws {
        directory = try TemporaryDirectory()
        try Directory.make(directory.path + "/inkpanel.toml.d", permissions: 0o755)
    }

    private func write(_ text: String, to name: String? = nil) throws {
        try AtomicFile.write(Array(text.utf8), to: name.map { "\(path).d/\($0)" } ?? path)
    }

    @Test("later files override settings one by one, in the order of their names' bytes")
    func order() throws {
        try write("[pad]\nlanguage = 'de'\ngloves = true\n[touch]\nfilters = ['debounce:9', 'median:5']\n")
        try write("[pad]\nlanguage = 'fr'\n", to: "9.toml")
        try write("[pad]\nlanguage = 'it'\nidle-text = 'a'\n", to: "10.toml")
        try write("pad.idle-text = 'b'\ntouch.filters = ['median:3']\n", to: "é.toml")
        try write("not TOML", to: "9.toml.dpkg-new")
        try write("not TOML", to: ".9.toml")
        let files = try ConfigurationFiles(path: path)
        #expect(files.problems == [])
        #expect(files.paths == [path, "\(path).d/10.toml", "\(path).d/9.toml", "\(path).d/é.toml"])
        #expect(files.ignored == ["\(path).d/9.toml.dpkg-new"])
        let pad = files.configuration.pad
        #expect(pad.language.rawValue == "fr" && pad.gloves && pad.idleText == "b")
        #expect(
            files.settings.map { "\($0.key) \($0.place.line) \($0.overridden.map(\.line))" } == [
                "touch.filters 2 [5]", "pad.language 2 [2, 2]", "pad.gloves 3 []", "pad.idle-text 1 [3]",
            ])
        #expect(files.place(of: "language", in: "pad")?.path == "\(path).d/9.toml")
        #expect(try Configuration(path: path) == files.configuration)
        // A list is one setting.
        let last = try Configuration(document: Array("touch.filters = ['median:3']".utf8), path: "f")
        #expect(files.configuration.touch.filters == last.touch.filters)
    }

    @Test("problems name their files, also those of two files together")
    func problems() throws {
        try write("[pad]\npage = 2\nidle-text = 'a'\n")
        try write("wrong\n", to: "1.toml")
        try write("\n\n[pad]\nidle-picture = '/p.png'\n", to: "2.toml")
        let lines = ConfigurationError.wrong(try ConfigurationFiles(path: path).problems).lines
        try #require(lines.count == 3)
        #expect(lines[0].hasPrefix("\(path):2: page in [pad] is 2"))
        #expect(lines[1].hasPrefix("\(path).d/1.toml:1: "))
        #expect(lines[2] == "\(path).d/2.toml:4: idle-text and idle-picture are both set: remove one of them")
        #expect(throws: ConfigurationError.self) { try Configuration(path: path) }
    }

    @Test("drop-ins are enough, and one that cannot be read is an error")
    func missing() throws {
        #expect(
            thrownError { try ConfigurationFiles(path: path) } as? ConfigurationError
                == .cannotRead(path: path, .noSuchFile))
        try write("[pad]\ngloves = true\n", to: "1.toml")
        let files = try ConfigurationFiles(path: path)
        #expect(files.paths == ["\(path).d/1.toml"] && files.hasDropIns && files.configuration.pad.gloves)
        try Directory.make("\(path).d/2.toml", permissions: 0o755)
        #expect(
            thrownError { try Configuration(path: path) } as? ConfigurationError
                == .cannotRead(path: "\(path).d/2.toml", .isDirectory))
    }
}

@Suite("Sample configuration")
struct SampleTests {
    private static let path = String(#filePath).replacingTail(
        "Tests/unit/ConfigurationTests/ConfigurationTests.swift", with: "deploy/inkpanel.toml")

    private func sample() throws -> String {
        String(decoding: try #require(try InputFile.read(Self.path, maximumByteCount: 1 << 20)), as: UTF8.self)
    }

    /// Keys are commented without a space, explanations with one.
    private func uncommented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix("#") && line.dropFirst().first?.isLetter == true ? line.dropFirst() : line
        }.joined(separator: "\n")
    }

    @Test("has the defaults, as it is and without its #")
    func defaults() throws {
        let sample = try sample()
        #expect(try Configuration(document: Array(sample.utf8), path: Self.path) == Configuration())
        let all = uncommented(sample)
        #expect(try Configuration(document: Array(all.utf8), path: Self.path) == Configuration())
    }

    @Test("has every key once, in its table and in order, with a description")
    func keys() throws {
        let lines = uncommented(try sample()).split(separator: "\n", omittingEmptySubsequences: false)
        var table = ""
        var found: [String] = []
        for line in lines where !line.hasPrefix("#") && !line.isEmpty {
            if line.hasPrefix("[") {
                table = String(line.dropFirst().dropLast())
            } else {
                found.append(table + "." + line.prefix { $0 != " " })
            }
        }
        #expect(found == Setting.all.map { $0.path.joined(separator: ".") })
        // A key follows another one or an explanation.
        for (before, line) in zip(lines, lines.dropFirst()) where line.contains(" = ") && !line.hasPrefix("#") {
            #expect(before.hasPrefix("# ") || before.contains(" = "), "\(line)")
        }
    }

    @Test("names every word that a key takes")
    func words() throws {
        let sample = try sample()
        for setting in Setting.all {
            for word in setting.words { #expect(sample.contains(word), "\(setting.path) = \(word)") }
        }
    }

    @Test("is generated from the settings; SAMPLE=write in the environment updates it")
    func generated() throws {
        if getenv("SAMPLE").map({ String(cString: $0) }) == "write" {
            try AtomicFile.write(Array(Configuration.sample.utf8), to: Self.path, permissions: 0o644)
        }
        #expect(try sample() == Configuration.sample)
    }
}

extension String {
    fileprivate func replacingTail(_ tail: String, with other: String) -> String {
        precondition(hasSuffix(tail), "the test knows where it is")
        return dropLast(tail.count) + other
    }
}
