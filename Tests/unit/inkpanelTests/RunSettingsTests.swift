// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Control
import Geometry
import HostAPI
import Ink
import Linux
import Pad
import Pages
import Raster
import Record
import Screen
import Store
import TestSupport
import Testing

@testable import Panel
@testable import inkpanel

@Suite("Settings of a run")
struct RunSettingsTests {
    private func settings(_ file: String, _ arguments: [String] = []) throws -> RunSettings {
        let configuration = try Configuration(document: Array(file.utf8), path: "f")
        let command = try #require(try Inkpanel.parseAsRoot(["run"] + arguments) as? RunCommand)
        return try RunSettings(configuration, overriddenBy: command.options)
    }

    @Test("a density that no screen has counts as unknown, and the log says so", arguments: [1009.0, 12])
    func densityOfNoScreen(dotsPerInch: Double) throws {
        let display = try HeadlessDisplay(size: PixelSize(width: 1366, height: 768))
        defer { display.close() }
        let look = Look(density: PixelDensity(dotsPerInch: dotsPerInch))
        let screen = PadScreen(display, look: look)
        #expect(screen.density == .standard && screen.pageDensity == nil)
        let words = "is set to \(Int(dotsPerInch)) dpi, but screens have 25 to 600 dpi"
        #expect(look.densityFault(of: display)?.contains(words) == true)
        let right = Look(density: PixelDensity(dotsPerInch: 112))
        #expect(PadScreen(display, look: right).pageDensity == right.density && right.densityFault(of: display) == nil)
        #expect(Look().densityFault(of: display) == nil)
    }

    private static let file = """
        [touch]
        device = "/dev/input/event7"
        palm-mm = 30
        [display]
        output = "kms:DSI-1"
        rotate = 90
        prediction = false
        dpi = 120
        [ink]
        pen = "offset"
        pen-switches = ["no-pinch"]
        color = "112233"
        width-mm = 0.7
        [pad]
        page = "sketch"
        theme = "dark"
        [record]
        directory = "/srv/a"
        maximum-count = 5
        [control]
        socket = "/run/a.sock"
        [capture]
        undo = false
        """

    @Test("are the defaults without file and options")
    func defaults() throws {
        let settings = try settings("")
        let configuration = settings.configuration
        #expect(settings.touch.isEmpty && configuration.touch.palmLimit == 25)
        #expect(configuration.display == Configuration().display && configuration.display.predicts)
        #expect(configuration.display.density == nil && configuration.ink.color == nil)
        #expect(settings.look.pen == Pen() && settings.look.background == .white)
        #expect(settings.look.color == PageTheme.light.ink && settings.look.background == PageTheme.light.paper)
        #expect(settings.padLook.color == settings.look.color)
        #expect(settings.theme == .light && configuration.pad == Configuration().pad)
        #expect(settings.pen.name == .ink)
    }

    @Test("are those of the file without options")
    func file() throws {
        let settings = try settings(Self.file)
        let configuration = settings.configuration
        #expect(settings.touch == [.device(path: "/dev/input/event7")] && configuration.touch.palmLimit == 30)
        #expect(configuration.display.output == .kms(connector: "DSI-1"))
        #expect(configuration.display.rotation == .clockwise90)
        #expect(!configuration.display.predicts && configuration.display.density == PixelDensity(dotsPerInch: 120))
        #expect(settings.pen == Pen(.offset, width: 0.7, switches: [.noPinch]))
        #expect(settings.look.color == Color(red: 0x11, green: 0x22, blue: 0x33))
        #expect(settings.look.background == PageTheme.dark.paper && settings.theme == .dark)
        #expect(configuration.pad.page == .sketch && configuration.capture.undo == false)
        #expect(configuration.record.directory == "/srv/a" && configuration.record.retention.maximumCount == 5)
        #expect(configuration.control.socket == "/run/a.sock" && configuration.control.group == "inkpanel")
    }

    @Test("are overridden by each option")
    func options() throws {
        let file = try settings(Self.file)
        func changed(_ arguments: [String], _ change: (inout Configuration) -> Void) throws -> Bool {
            var expected = file.configuration
            change(&expected)
            let settings = try settings(Self.file, arguments)
            return settings.configuration == expected && settings != file && settings.touch == file.touch
        }
        let touch = try settings(Self.file, ["--touch", "/dev/input/event1", "--touch", "replay:/x"]).touch
        #expect(touch == [.device(path: "/dev/input/event1"), .recording(path: "/x")])
        #expect(try settings(Self.file, ["--page", "ink", "--background", "000000"]).background == .black)
        let isEach = [
            try changed(["--display", "kms"]) { $0.display.output = .kms(connector: nil) },
            try changed(["--rotate", "0"]) { $0.display.rotation = Rotation.none },
            try changed(["--prediction", "on"]) { $0.display.predicts = true },
            try changed(["--latency", "front"]) { $0.display.latency = .front },
            try changed(["--dpi", "99"]) { $0.display.density = PixelDensity(dotsPerInch: 99) },
            try changed(["--color", "000000"]) { $0.ink.color = .black },
            try changed(["--width", "2"]) { $0.ink.width = 2 },
            try changed(["--pen-switch", "smooth-edge"]) { $0.ink.switches = [.smoothEdge] },
            try changed(["--page", "ink"]) { $0.pad.page = .ink },
            try changed(["--store", "here"]) { $0.record.directory = "here" },
            try changed(["--socket", "s"]) { $0.control.socket = "s" },
        ]
        #expect(isEach.allSatisfy { $0 }, "\(isEach)")
    }

    @Test("recipients need seals")
    func recipientsWithoutSeals() throws {
        let recipient = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
        let file = "[evidence]\nseals = false\nrecipients = [\"\(recipient)\"]\n"
        let error = thrownError { _ = try Configuration(document: Array(file.utf8), path: "f") }
        #expect("\(try #require(error))".hasPrefix("f:3: recipients in [evidence] needs seals = true in [evidence]: "))
    }

    @Test("another pen drops the file's switches; a switch may apply to the file's pen")
    func pens() throws {
        let other = try settings(Self.file, ["--pen", "ink", "--pressure", "soft"])
        #expect(other.pen == Pen(.ink, width: 0.7, pressureCurve: .soft) && other.configuration.ink.pen == .ink)
        let error = thrownError { try settings("", ["--pen-switch", "no-pinch"]) } as? CommandError
        #expect(error?.message == "--pen-switch no-pinch is for the pen offset" && error?.status == 64)
        #expect(try settings("[ink]\npen = \"offset\"", ["--pen-switch", "no-pinch"]).pen.switches == [.noPinch])
    }

    @Test("the ink has a taper unless the file or an option says otherwise; the option wins")
    func taper() throws {
        let off = "[ink]\npen-switches = []"
        #expect(try settings("", []).pen.switches == [.taper] && settings(off, []).pen.switches == [])
        #expect(try settings("", ["--taper", "off"]).pen.switches == [])
        #expect(try settings(off, ["--taper", "on"]).pen.switches == [.taper])
        #expect(try settings("[ink]\npen = \"offset\"\npen-switches = []", ["--pen", "ink"]).pen.switches == [.taper])
    }

    @Test("the look of the panel has large letters if the file says so")
    func letters() throws {
        for (text, letters) in [("", nil), ("letters-mm = 4.9", 4.9)] as [(String, Double?)] {
            let settings = try settings("[pad]\n\(text)", [])
            #expect(settings.look.letters == letters && PadScreen(waiting: settings.padLook).letters == letters)
        }
    }

    @Test("the look of the panel is for gloves if the file says so")
    func gloves() throws {
        for isGloved in [false, true] {
            let settings = try settings("[pad]\ngloves = \(isGloved)", [])
            #expect(settings.look.gloves == isGloved && PadScreen(waiting: settings.padLook).gloves == isGloved)
        }
    }

    @Test("--background is rejected for pages other than the bare sheet")
    func background() throws {
        let sheet = try settings("", ["--page", "ink", "--background", "102030"])
        #expect(sheet.look.background == Color(red: 0x10, green: 0x20, blue: 0x30))
        for page in ["idle", "sketch"] {
            let error = thrownError { try settings("", ["--page", page, "--background", "102030"]) } as? CommandError
            #expect(error?.status == 64 && error?.message.hasPrefix("--background is for --page ink") == true)
        }
        let error = thrownError { try settings(Self.file, ["--background", "102030"]) } as? CommandError
        #expect(error?.status == 64)
    }

    @Test("if the gateway's user does not exist, no member of the group may use the panel")
    func gateway() throws {
        let (group, log) = (ControlGroup(number: 77), Log(threshold: .error))
        func access(_ gateway: String) throws -> AccessRule {
            try settings("[control]\ngateway = \"\(gateway)\"").access(group, log)
        }
        #expect(try access("") == AccessRule(group: group))
        // The default one need not exist.
        #expect(try settings("").access(group, log) == AccessRule(group: group))
        #expect(try access("no-such-user") == AccessRule(group: nil))
        #expect(try access("54321") == AccessRule(group: group, gateway: ControlUser(number: 54321)))
    }

    @Test("a file given with --config must exist; the default one may be missing")
    func missing() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/none.toml"
        let named = try #require(try Inkpanel.parseAsRoot(["run", "--config", path]) as? RunCommand)
        let error = try #require(thrownError { try named.file.read() } as? ConfigurationError)
        #expect(error == .cannotRead(path: path, .noSuchFile))
        #expect(CommandError(error).status == 66)
        try AtomicFile.write(Array("x = 1\ny = 2".utf8), to: path)
        let wrong = CommandError(try #require(thrownError { try named.file.read() }))
        #expect(wrong.status == 78 && wrong.lines.count == 2)
    }
}
