// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import Configuration
import Control
import Geometry
import Glibc
import Linux
import Panel
import Screen
import Store
import Touch
import Virtual

/// `inkpanel run`: the panel.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the panel: capture signatures for hosts, and ink.",
        discussion: """
            Runs until SIGTERM or SIGINT and restores the console. Waits for missing displays and touch devices, which \
            may come and go. It needs access to /dev/input and /dev/dri: a user in the groups input and video, or \
            root, except with --virtual or --simulate. Options override the configuration.
            """)

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var options: RunOptions

    func run() throws {
        let log = Log()
        Heap.keepNoLargeBlocks()
        try reportingErrors(log) {
            // A service manager that passes a socket has the other places, too.
            let place = options.simulate && getenv("LISTEN_PID") == nil ? SimulatedPlace(file, options) : nil
            defer { withExtendedLifetime(place) {} }
            let read = { [file, options] in
                try RunSettings(try place?.read() ?? file.read(), overriddenBy: options)
            }
            let settings = try read()
            // A simulated panel has only the file that is named.
            if !options.simulate || file.path != nil, let files = try? ConfigurationFiles(path: file.effectivePath) {
                for path in files.ignored { log.warning(ConfigCheckCommand.ignored(path)) }
            }
            // Before any thread starts, so that all inherit the mask, and before the console changes.
            try SignalSet.block(SignalSet.ending + PanelConsole.signals)
            let choices = settings.touch.isEmpty ? [.best] : settings.touch
            let inputs = try choices.compactMap { try $0.recording() }
            let sources = try choices.compactMap { try $0.source(log: log) }
            lazy var access = settings.access(log)
            var pad = try settings.padSetup(access)
            let reload = SettingsReload(settings, log: log, read: read)
            pad?.onReload = { reload.next() }
            if let path = options.reportRequest {
                pad?.onReport = { ReportCommand.request(by: path, log) }
            }
            // It accepts connections already.
            if let socket = place?.socket { try OutputFile.print(socket + "\n") }
            var session = PanelSession(look: pad == nil ? settings.look : settings.padLook, log: log)
            let (touch, display) = (settings.configuration.touch, settings.configuration.display)
            session.predicts = display.predicts
            session.latency = display.latency
            session.touchSettings = touch
            session.switching = display.allowsSwitching ? .allowed : .refused
            session.power = settings.configuration.power
            session.pad = pad
            if options.isInMemory {
                // Settings of a panel that is not there.
                session.touchSettings.calibration = nil
                session.power = nil
                return try run(session, display, access: access, log)
            }
            session.digitizerTests = pad.flatMap { digitizerTests(in: $0.records.path, log) }
            try session.runToSignal(sources: sources, inputs: inputs, display: display.output)
        }
    }
}

extension RunCommand {
    /// The self-tests of touch devices; nil, and a warning, if they cannot be read: then records have none.
    private func digitizerTests(in store: String, _ log: Log) -> DigitizerTestLog? {
        do throws(StoreError) {
            let tests = try DigitizerTestLog(store: store)
            if let warning = tests.warning { log.warning(warning) }
            return tests
        } catch {
            log.warning("the self-tests of touch devices are unknown: \(error)")
            return nil
        }
    }

    /// Runs a panel whose display is in memory.
    private func run(
        _ session: PanelSession, _ settings: Configuration.Display, access: @autoclosure () -> HostAccess, _ log: Log
    ) throws {
        var session = session
        let size: PixelSize = if case .headless(let size) = settings.output { size } else { RunSettings.memorySize }
        let display: any Display
        var inputs: [any TouchInput] = []
        if let path = options.virtual {
            let virtual = try VirtualDisplay(
                listeningOn: path, access(), size: size, density: session.look.screenDensity ?? .standard,
                log: log)
            (display, inputs) = (virtual, virtual.touches)
            session.pad?.reader = VirtualPageReader(virtual)
        } else {
            display = try HeadlessDisplay(size: size)
        }
        if options.simulate {
            let person = try SimulatedPerson(panel: size)
            session.pad?.onView = { person.padShows($0) }
            session.pad?.onSimulate = { person.perform($0, inRunning: $1) }
            inputs.append(person)
            log.notice("a simulated person signs all captures")
        }
        try session.runToSignal(sources: [], inputs: inputs, on: display)
    }
}

/// Options of `inkpanel run`, which override the configuration (``RunSettings``).
struct RunOptions: ParsableArguments {
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            Setting["touch.device"].help("a path, or replay:FILE for a recording; may be repeated"), valueName: "path"))
    var touch: [TouchChoice] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Noise filter for touches, may be repeated: \(NoiseSettings.expectation); or none (default: none).",
            valueName: "filter"))
    var touchFilter: [String] = []

    @Option(help: ArgumentHelp(Setting["display.output"].help(), valueName: "display"))
    var display: DisplayChoice?

    @Option(help: ArgumentHelp(Setting["pad.page"].help(""), valueName: "page"))
    var page: PadPage?

    @Option(help: ArgumentHelp(Setting["record.directory"].help(""), valueName: "directory"))
    var store: String?

    @Option(help: ArgumentHelp(Setting["control.socket"].help(""), valueName: "path"))
    var socket: String?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Text to show on the idle page while the file has one; its first line is the headline, with a QR code "
                + "if it is an address. Read again by inkpanel config reload. Of several files, the first with a text "
                + "counts.",
            valueName: "path"))
    var notice: [String] = []

    @Option(
        help: ArgumentHelp(
            "File to create when a finger rests for ten seconds in a corner of the page without a capture: a service "
                + "then saves inkpanel report.", valueName: "path"))
    var reportRequest: String?

    @Option(
        help: ArgumentHelp(
            "Serve a display and touch devices on a Unix socket instead, for a gateway to a browser; --display "
                + "headless:WxH sets the size (default: \(RunSettings.memorySize)).", valueName: "path"))
    var virtual: String?

    @Flag(
        help: ArgumentHelp(
            "Let a simulated person sign all captures, to test hosts, on a display in memory or on that of --virtual. "
                + "Needs no group: without --config and --socket, the panel has a socket and a store of its own, and "
                + "prints the path of the socket."))
    var simulate = false

    @OptionGroup var screen: ScreenOptions
    @OptionGroup var pen: PenOption
    @OptionGroup var picture: PictureOptions

    /// Whether the panel has a display in memory and touch devices of its own.
    var isInMemory: Bool { virtual != nil || simulate }

    /// nil without the option, and for an invalid filter.
    var filters: NoiseSettings? {
        if touchFilter.isEmpty { return nil }
        return touchFilter == ["none"] ? NoiseSettings() : NoiseSettings(touchFilter)
    }

    func validate() throws {
        // Without --pen, RunSettings checks them for the pen of the configuration.
        if let pen = pen.given { try picture.validate(for: [pen]) }
        if filters == nil, !touchFilter.isEmpty {
            throw ValidationError("--touch-filter is none, or each once: \(NoiseSettings.expectation)")
        }
        if store?.isEmpty == true { throw ValidationError("--store is the path of a directory") }
        if let socket, !(1...Configuration.longestSocketPath ~= socket.utf8.count) {
            throw ValidationError("--socket is a path of at most \(Configuration.longestSocketPath) bytes")
        }
        if let virtual, !(1...Configuration.longestSocketPath ~= virtual.utf8.count) {
            throw ValidationError("--virtual is a path of at most \(Configuration.longestSocketPath) bytes")
        }
        guard isInMemory else { return }
        if !touch.isEmpty || screen.rotate != nil || display.map({ !$0.isInMemory }) == true {
            throw ValidationError(
                "--virtual and --simulate replace display and touch devices: no --touch, no --rotate, and no "
                    + "--display but headless:WxH")
        }
    }
}

extension VirtualDisplay {
    /// Listens for clients of the users that may use the host API.
    fileprivate convenience init(
        listeningOn path: String, _ access: HostAccess, size: PixelSize, density: PixelDensity, log: Log
    ) throws {
        let socket = try ControlSocket.listen(path: path, group: access.group)
        try self.init(
            size: size, density: density,
            listener: Listener(descriptor: socket.number) { () throws(Errno) in
                try socket.accept(by: access.rule, log)
            }, log: log)
    }
}

extension PadPage: ExpressibleByArgument {}
extension PadTheme: ExpressibleByArgument {}
