// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import Configuration
import Control
import Geometry
import Glibc
import Linux
import Screen
import Touch
import Virtual

/// `inkpanel run`: the panel.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the panel: capture signatures for hosts, and ink.",
        discussion: """
            Runs until SIGTERM or SIGINT and restores the console. Waits for missing displays and touch devices, which \
            may come and go. It needs access to /dev/input and /dev/dri: a user in the groups input and video, or \
            root. Options override the configuration.
            """)

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var options: RunOptions

    func run() throws {
        let log = Log()
        Heap.keepNoLargeBlocks()
        try reportingErrors(log) {
            let settings = try RunSettings(try file.read(), overriddenBy: options)
            // Before any thread starts, so that all inherit the mask, and before the console changes.
            try SignalSet.block(SignalSet.ending + PanelConsole.signals)
            let choices = settings.touch.isEmpty ? [.best] : settings.touch
            let inputs = try choices.compactMap { try $0.recording() }
            let sources = try choices.compactMap { try $0.source(log: log) }
            lazy var access = settings.access(log)
            let pad = try settings.padSetup(access)
            var session = PanelSession(look: pad == nil ? settings.look : settings.padLook, log: log)
            let (touch, display) = (settings.configuration.touch, settings.configuration.display)
            session.predicts = display.predicts
            session.touchSettings = touch
            session.switching = display.allowsSwitching ? .allowed : .refused
            session.power = settings.configuration.power
            session.pad = pad
            if let path = options.virtual {
                // Settings of a panel that is not there.
                session.touchSettings.calibration = nil
                session.power = nil
                let display = try VirtualDisplay(listeningOn: path, access, settings.configuration.display, log: log)
                return try session.runToSignal(sources: [], inputs: display.touches, on: display)
            }
            try session.runToSignal(sources: sources, inputs: inputs, display: display.output)
        }
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
        help: ArgumentHelp(
            "Serve a display and touch devices on a Unix socket instead, for a gateway to a browser; --display "
                + "headless:WxH sets the size (default: \(RunSettings.virtualSize)).", valueName: "path"))
    var virtual: String?

    @OptionGroup var screen: ScreenOptions
    @OptionGroup var pen: PenOption
    @OptionGroup var picture: PictureOptions

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
        guard let virtual else { return }
        if !(1...Configuration.longestSocketPath ~= virtual.utf8.count) {
            throw ValidationError("--virtual is a path of at most \(Configuration.longestSocketPath) bytes")
        }
        if !touch.isEmpty || screen.rotate != nil || display.map({ !$0.isInMemory }) == true {
            throw ValidationError(
                "--virtual replaces display and touch devices: no --touch, no --rotate, and no --display but "
                    + "headless:WxH")
        }
    }
}

extension VirtualDisplay {
    /// Listens for clients of the users that may use the host API.
    /// - Parameter display: gives the density, and the size if it is a display in memory.
    fileprivate convenience init(
        listeningOn path: String, _ access: HostAccess, _ display: Configuration.Display, log: Log
    ) throws {
        let socket = try ControlSocket.listen(path: path, group: access.group)
        let size: PixelSize = if case .headless(let size) = display.output { size } else { RunSettings.virtualSize }
        try self.init(
            size: size, density: display.density ?? .standard,
            listener: Listener(descriptor: socket.number) { () throws(Errno) in
                try socket.accept(by: access.rule, log)
            }, log: log)
    }
}

extension PadPage: ExpressibleByArgument {}
extension PadTheme: ExpressibleByArgument {}
