// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Pad
import Configuration
import Geometry
import Ink
@testable import inkpanel
import Linux
import Pages
import Raster
import Record
import Store
import Testing
import TestSupport


@Suite("The settings of a run")
struct RunSettingsTests {
    private func settings(_ file: String, _ arguments: [String] = []) throws -> RunSettings {
        let configuration = try Configuration(document: Array(file.utf8), path: "f")
        let command = try #require(try Inkpanel.parseAsRoot(["run"] + arguments) as? RunCommand)
        return try RunSettings(configuration, overriddenBy: command.options)
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

    @Test("are the defaults of old, without a file and options")
    func defaults() throws {
        let settings = try settings("")
        #expect(settings.touch.isEmpty && settings.palmLimit == 25)
        #expect(settings.display == .kms(connector: nil) && settings.rotation == nil && settings.predicts)
        #expect(settings.density == nil && settings.color == nil)
        #expect(settings.look.pen == Pen() && settings.look.background == .white)
        #expect(settings.look.color == PageTheme.light.ink && settings.look.background == PageTheme.light.paper)
        #expect(settings.padLook.color == settings.look.color)
        #expect(settings.theme == .light && settings.pad == Configuration.Pad())
        #expect(settings.pen.name == .ink)
    }

    @Test("are the file's, without options")
    func file() throws {
        let settings = try settings(Self.file)
        #expect(settings.touch == [.device(path: "/dev/input/event7")] && settings.palmLimit == 30)
        #expect(settings.display == .kms(connector: "DSI-1") && settings.rotation == .clockwise90)
        #expect(!settings.predicts && settings.density == PixelDensity(dotsPerInch: 120))
        #expect(settings.pen == Pen(.offset, width: 0.7, switches: [.noPinch]))
        #expect(settings.look.color == Color(red: 0x11, green: 0x22, blue: 0x33))
        #expect(settings.look.background == PageTheme.dark.paper && settings.theme == .dark)
        #expect(settings.pad.page == .sketch && settings.capture.undo == false && settings.pen.name == .offset)
        #expect(settings.record.directory == "/srv/a" && settings.record.retention.maximumCount == 5)
        #expect(settings.control.socket == "/run/a.sock" && settings.control.group == "inkpanel")
    }

    @Test("are the options' before the file's, one by one")
    func options() throws {
        let file = try settings(Self.file)
        func changed(_ arguments: [String], _ change: (inout RunSettings) -> Void) throws -> Bool {
            var expected = file
            change(&expected)
            let settings = try settings(Self.file, arguments)
            return settings == expected && settings != file
        }
        let isEach = [
            try changed(["--touch", "/dev/input/event1", "--touch", "replay:/x"]) {
                $0.touch = [.device(path: "/dev/input/event1"), .recording(path: "/x")]
            },
            try changed(["--display", "kms"]) { $0.display = .kms(connector: nil) },
            try changed(["--rotate", "0"]) { $0.rotation = Rotation.none },
            try changed(["--prediction", "on"]) { $0.predicts = true },
            try changed(["--dpi", "99"]) { $0.density = PixelDensity(dotsPerInch: 99) },
            try changed(["--color", "000000"]) { $0.color = .black },
            try changed(["--page", "ink", "--background", "000000"]) {
                $0.pad.page = .ink
                $0.background = .black
            },
            try changed(["--width", "2"]) { $0.pen.width = 2 },
            try changed(["--pen-switch", "smooth-edge"]) { $0.pen.switches = [.smoothEdge] },
            try changed(["--page", "ink"]) { $0.pad.page = .ink },
            try changed(["--store", "here"]) { $0.record.directory = "here" },
            try changed(["--socket", "s"]) { $0.control.socket = "s" },
        ]
        #expect(isEach.allSatisfy { $0 }, "\(isEach)")
    }

    @Test("another pen has none of the changes to the file's; a change goes with the pen that the file names")
    func pens() throws {
        let other = try settings(Self.file, ["--pen", "ink", "--pressure", "soft"])
        #expect(other.pen == Pen(.ink, width: 0.7, pressureCurve: .soft))
        let error = thrownError { try settings("", ["--pen-switch", "no-pinch"]) } as? CommandError
        #expect(error?.message == "--pen-switch no-pinch is for the pen offset" && error?.status == 64)
        #expect(try settings("[ink]\npen = \"offset\"", ["--pen-switch", "no-pinch"]).pen.switches == [.noPinch])
    }

    @Test("a paper of one's own is for the bare sheet; elsewhere it would do nothing, and is refused")
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

    @Test("a file that was named must be there, the default one need not")
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
