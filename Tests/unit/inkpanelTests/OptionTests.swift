// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Geometry
import Ink
import Pad
import Pages
import Panel
import Raster
import TestSupport
import Testing
import Usage

@testable import inkpanel

@Suite("Options")
struct OptionTests {
    @Test("displays are parsed")
    func displays() {
        #expect(DisplayChoice(argument: "kms") == .kms(connector: nil))
        #expect(DisplayChoice(argument: "kms:DSI-1") == .kms(connector: "DSI-1"))
        #expect(DisplayChoice(argument: "fb") == .framebuffer(path: "/dev/fb0"))
        #expect(DisplayChoice(argument: "fb:/dev/fb1") == .framebuffer(path: "/dev/fb1"))
        for text in ["kms", "fb", "fb:/dev/fb1"] { #expect(DisplayChoice(argument: text)?.description == text) }
        #expect(DisplayChoice(argument: "headless:800x480") == .headless(PixelSize(width: 800, height: 480)))
        for wrong in [
            "", "kms:", "headless", "headless:", "headless:0x10", "headless:10", "headless:99999x1", "fb:", "fb:fb1",
            "x:y",
        ] {
            #expect(DisplayChoice(argument: wrong) == nil, "\(wrong)")
        }
    }

    @Test("touch devices and recordings are parsed")
    func touch() {
        #expect(TouchChoice(argument: "/dev/input/event3") == .device(path: "/dev/input/event3"))
        #expect(TouchChoice(argument: "replay:a:b.events") == .recording(path: "a:b.events"))
        #expect(TouchChoice(argument: "replay:") == nil)
        #expect(TouchChoice(argument: "") == nil)
    }

    @Test("colours are hexadecimal")
    func colors() {
        #expect(Color(argument: "#fff") == .white)
        #expect(Color(argument: "102030") == Color(red: 16, green: 32, blue: 48))
        #expect(Color(argument: "10203080") == Color(red: 16, green: 32, blue: 48, alpha: 128))
        for wrong in ["", "#", "12", "blue", "#12345", "０００"] { #expect(Color(argument: wrong) == nil, "\(wrong)") }
        #expect(Color(red: 1, green: 2, blue: 3).defaultValueDescription == "010203")
    }

    @Test("help names the default colours of both themes")
    func defaultColors() throws {
        let help = Inkpanel.helpMessage(for: RunCommand.self)
        for theme in [PageTheme.light, .dark] {
            for color in [theme.ink, theme.paper] { #expect(help.contains(color.defaultValueDescription), "\(color)") }
        }
        let bare = try #require(try Inkpanel.parseAsRoot(["render", "x", "--output", "y"]) as? RenderCommand)
        #expect(bare.picture.color == PageTheme.light.ink && bare.picture.background == PageTheme.light.paper)
    }

    @Test("width and density are part of the look; without --dpi the density is unknown")
    func look() throws {
        let run = try #require(try Inkpanel.parseAsRoot(["run", "--width", "0.5", "--dpi", "96"]) as? RunCommand)
        let look = run.options.picture.look(pen: run.options.pen.pen)
        #expect(look.pen.width == 0.5)
        #expect(look.density == PixelDensity(dotsPerInch: 96))
        let bare = try #require(try Inkpanel.parseAsRoot(["run"]) as? RunCommand)
        #expect(bare.options.picture.look(pen: bare.options.pen.pen).density == nil)
    }

    @Test(
        "invalid options are rejected",
        arguments: [
            ["run", "--width", "0"], ["run", "--width", "101"], ["run", "--width", "nan"], ["run", "--dpi", "9"],
            ["run", "--rotate", "45"], ["run", "--pen", "quill"],
            ["run", "--background", "ffffff80"], ["render", "x", "--output", "y", "--dpi", "0"], ["render", "x"],
            ["replay", "x", "--display", "kms", "--output", "y"], ["demo", "--size", "0x0"],
            ["run", "--pen", "offset", "--pen-switch", "turbo"],
            ["render", "x", "--output", "y", "--pen", "linear", "--pen-switch", "no-pinch"],
            ["run", "--prediction", "maybe"],
            ["render", "x", "--output", "y", "--predict", "8"],
            ["render", "x", "--output", "y", "--live", "--predict", "0"],
            ["render", "x", "--output", "y", "--live", "--predict", "21"],
            ["render", "x", "--output", "y", "--scatter", "1.1"], ["render", "x", "--output", "y", "--scatter", "no"],
            ["run", "--pen", "all"], ["run", "--pressure", "hard"],
            ["render", "x", "--output", "y", "--pen", "all", "--live"],
            ["render", "x", "--output", "y", "--pen", "all", "--format", "svg"],
            ["render", "x", "--output", "y", "--pen", "all", "--format", "json"],
            ["render", "x", "--output", "y.svg", "--pen", "all"],
            ["render", "x", "--output", "y.JSON", "--pen", "all"],
            ["replay", "x", "--rotate", "45"],
        ])
    func refused(arguments: [String]) {
        #expect(throws: (any Error).self) { try Inkpanel.parseAsRoot(arguments) }
    }

    @Test(
        "every command that writes a picture rejects an ending of another format",
        arguments: [
            ["capture", "--prompt", "x", "--output", "signed.tiff"], ["export", "a-1", "--output", "signed.tiff"],
            ["export", "a.jsonl", "--output", "a/b.JPEG"], ["render", "x", "--output", "y.gif"],
            ["replay", "x", "--output", "y.svg"],
        ])
    func unknownEnding(arguments: [String]) throws {
        let error = try #require(thrownError { try Inkpanel.parseAsRoot(arguments) })
        #expect(
            Inkpanel.message(for: error).contains("are not supported; end the name with")
                && Inkpanel.exitCode(for: error).rawValue == 64)
        // --format takes precedence over the name; replay has no --format.
        if arguments[0] != "replay" { _ = try Inkpanel.parseAsRoot(arguments + ["--format", "png"]) }
        // The default without an extension is PNG.
        for name in ["signed", "-", "/dev/stdout", "a.b/signed", "../signed", "contract-v1.2"] {
            _ = try Inkpanel.parseAsRoot(arguments.dropLast() + [name])
        }
    }

    @Test(
        "a capture with an empty page is rejected",
        arguments: [
            [], ["--prompt", ""], ["--signer", " "], ["--prompt", "\u{A0}\u{3000}\u{200B}"], ["--row", "Amount="],
            ["--row", "Amount=\u{2007}"],
        ])
    func emptyPage(arguments: [String]) throws {
        let error = try #require(thrownError { try Inkpanel.parseAsRoot(["capture"] + arguments) })
        #expect(Inkpanel.message(for: error).hasPrefix("the page would be empty"))
        _ = try Inkpanel.parseAsRoot(["capture", "--reason", "delivery"])
        _ = try Inkpanel.parseAsRoot(["capture", "--row", "Amount=12.00"])
    }

    @Test(
        "a mistyped command is reported with a suggestion",
        arguments: [
            (["captur", "--prompt", "x"], "there is no command \"captur\"; did you mean capture?"),
            (["frobnicate"], "there is no command \"frobnicate\"; see inkpanel help"),
            (["help", "captur"], "there is no command \"captur\"; did you mean capture?"),
            (["config", "chek"], "there is no command \"config chek\"; did you mean config check?"),
            (["help", "run", "fast"], "there is no command \"run fast\"; see inkpanel help run"),
            (["hepl"], "there is no command \"hepl\"; did you mean help?"),
            (["captur", "--help"], "there is no command \"captur\"; did you mean capture?"),
        ])
    func unknownCommand(words: [String], message: String) {
        #expect(Inkpanel.unknownCommand(in: words) == message)
    }

    @Test(
        "words after a command are its arguments",
        arguments: [
            [], ["help"], ["help", "help"], ["help", "config", "check"], ["run", "x"], ["config", "check", "x"],
            ["--version"], ["show", "captur"],
        ])
    func knownCommand(words: [String]) { #expect(Inkpanel.unknownCommand(in: words) == nil) }

    @Test(
        "an error in options is one line",
        arguments: [
            (["run", "--bogus"], "unknown option '--bogus'; see inkpanel run --help"),
            (["list", "--jsn"], "unknown option '--jsn'; did you mean '--json'?"),
            (
                ["run", "--rotate", "45"],
                "the value '45' is invalid for '--rotate <degrees>'; expected one of '0', '90', '180' or '270'; "
                    + "see inkpanel run --help"
            ),
            (
                ["run", "--taper", "of"],
                "the value 'of' is invalid for '--taper <on|off>'; expected one of 'on' and 'off'; "
                    + "see inkpanel run --help"
            ),
            (
                ["export", "a", "--output", "-", "--format", "gif"],
                "the value 'gif' is invalid for '--format <format>'; expected one of png, svg, inkml, iso19794, "
                    + "signature_pad, csv, record, encrypted, seal, sealSignature, pdf, encryptedPdf, evidence; see "
                    + "inkpanel export --help"
            ),
            (
                ["capture", "--row", "Amount"],
                "the value 'Amount' is invalid for '--row <label=value>'; see inkpanel capture --help"
            ),
            (["capture", "--promt", "x"], "unknown option '--promt'; did you mean '--prompt'?"),
            (["capture", "--promt=x", "y"], "unknown option '--promt'; did you mean '--prompt'?"),
            (["list", "--since", "7d", "--signr", "x"], "unknown option '--signr'; did you mean '--signer'?"),
            (["delete", "--sockt", "x", "y"], "unknown option '--sockt'; did you mean '--socket'?"),
            (["identity", "create", "--bogus", "x"], "unknown option '--bogus'; see inkpanel identity create --help"),
            (["capture", "--prompt", "x", "y"], "unexpected argument 'y'; see inkpanel capture --help"),
            (["config", "show", "x", "y", "z"], "2 unexpected arguments: 'y', 'z'; see inkpanel config show --help"),
            (["demo", "--pen", "ink", "--size"], "missing value for '--size <WxH>'; see inkpanel demo --help"),
            (["run", "--width", "0"], "--width is 0.01 to 100 millimetres; see inkpanel run --help"),
        ])
    func optionMistake(words: [String], line: String) throws {
        let error = try #require(thrownError { try Inkpanel.parseAsRoot(words) })
        #expect(Inkpanel.mistake(Inkpanel.message(for: error), in: words) == line)
    }

    @Test("the switches of a pen are separate options")
    func penSwitches() throws {
        let arguments = ["run", "--pen", "offset", "--pen-switch", "no-pinch", "--pen-switch", "smooth-edge"]
        let command = try Inkpanel.parseAsRoot(arguments) as? RunCommand
        #expect(command?.options.picture.look(pen: .offset).pen.switches == [.noPinch, .smoothEdge])
        let error = thrownError {
            try Inkpanel.parseAsRoot(["run", "--pen", "ink", "--pen-switch", "no-pinch"])
        }
        let message = Inkpanel.message(for: try #require(error))
        #expect(message == "--pen-switch no-pinch is for the pen offset")
    }

    @Test("a taper can be turned off, and is only for the pen `ink`")
    func taper() throws {
        func switches(_ words: String...) throws -> Set<PenSwitch>? {
            let command = try Inkpanel.parseAsRoot(["run"] + words) as? RunCommand
            return command?.options.picture.look(pen: .ink).pen.switches
        }
        #expect(try switches() == [.taper] && switches("--taper", "on") == [.taper] && switches("--taper", "off") == [])
        let error = thrownError { try Inkpanel.parseAsRoot(["run", "--pen", "linear", "--taper", "off"]) }
        #expect(Inkpanel.message(for: try #require(error)) == "--taper is for the pen ink")
    }

    @Test("pressure is only for the pen `ink`")
    func pressure() throws {
        let error = thrownError { try Inkpanel.parseAsRoot(["run", "--pen", "linear", "--pressure", "linear"]) }
        #expect(Inkpanel.message(for: try #require(error)) == "--pressure is for the pen ink")
        let sheet = ["render", "x", "--output", "y", "--pen", "all", "--pressure", "off"]
        let command = try #require(try Inkpanel.parseAsRoot(sheet) as? RenderCommand)
        #expect(command.picture.look(pen: .ink).pen.pressureCurve == .off)
        let bare = try #require(try Inkpanel.parseAsRoot(["run"]) as? RunCommand)
        #expect(bare.options.picture.look(pen: .ink).pen.pressureCurve == .linear)
    }

    @Test("run and replay have the same screen options", arguments: [["run"], ["replay", "x"]])
    func screen(command: [String]) throws {
        let parsed = try Inkpanel.parseAsRoot(command + ["--rotate", "90", "--prediction", "off"])
        let screen = try #require((parsed as? RunCommand)?.options.screen ?? (parsed as? ReplayCommand)?.screen)
        #expect(screen.rotate == .clockwise90 && !screen.predicts)
    }

    @Test(
        "a virtual or simulated panel takes no other display or touch device, and is not rotated",
        arguments: [["--virtual", "/run/x.sock"], ["--simulate"], ["--simulate", "--virtual", "/run/x.sock"]])
    func inMemory(words: [String]) throws {
        for other in [["--touch", "/dev/null"], ["--rotate", "90"], ["--display", "kms"], ["--display", "fb"]] {
            #expect(throws: (any Error).self) { try RunOptions.parse(words + other) }
        }
        #expect(throws: (any Error).self) { try RunOptions.parse(["--virtual", ""]) }
        let options = try RunOptions.parse(words + ["--display", "headless:640x400"])
        var file = Configuration()
        file.display.rotation = .half
        file.touch.devices = ["/dev/input/event0"]
        let settings = try RunSettings(file, overriddenBy: options)
        #expect(settings.configuration.display.rotation == Rotation.none && settings.touch.isEmpty)
        file.pad.page = .ink
        let error = thrownError { try RunSettings(file, overriddenBy: options) } as? CommandError
        #expect((error?.status == 64) == words.contains("--simulate"))
    }
}
