// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Geometry
import Linux
import Pad
import Panel
import Screen
import Touch

/// Options of the commands that set a panel up, which have its screen and its touch device for themselves.
struct SetupOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Path of the device, or replay:FILE for a recording (default: as configured, or the best one).",
            valueName: "path"))
    var touch: TouchChoice?

    @Option(
        help: ArgumentHelp(
            "kms, kms:CONNECTOR or headless:WxH (default: as configured).", valueName: "display"))
    var display: DisplayChoice?

    @Option(help: ArgumentHelp("Clockwise rotation of the picture, as for run.", valueName: "degrees"))
    var rotate: Rotation?

    @Option(help: ArgumentHelp("Time without a touch until it gives up, 1 to 3600.", valueName: "seconds"))
    var timeout = 120

    @OptionGroup var file: ConfigurationOption

    func validate() throws {
        if !(1...3600).contains(timeout) { throw ValidationError("--timeout is 1 to 3600 seconds") }
    }

    /// Opens screen and device and carries a task out, until a signal ends it.
    /// - Returns: its result, and the device.
    /// - Throws: ``CommandError`` if the device is in use, or the task is aborted, times out or fails; errors of Touch
    ///   and Screen.
    func carryOut<Task: TouchTask>(
        _ settings: Configuration, _ log: Log, _ task: (any TouchInput, PadScreen) throws -> Task
    ) throws -> (Task.Result, DeviceDescription) {
        try SignalSet.block(SignalSet.ending)
        let choice = touch ?? settings.touch.devices.first.flatMap { TouchChoice(argument: $0) } ?? .best
        let input = try choice.openExclusively(log)
        let display = try (display ?? settings.display.output).open()
        defer { display.close() }
        let look = Look(density: settings.display.density, rotation: rotate ?? settings.display.rotation)
        let screen = PadScreen(display, look: look)
        if let fault = look.densityFault(of: display) { log.warning(fault) }
        let panel = try TouchTaskPanel(
            try task(input, screen), input, display, screen, timeout: timeout, until: SignalSet.ending, log: log)
        log.notice("\(Task.name) of \(input.name) on \(display.details)")
        // A display in memory has no console.
        if display.details.card.isEmpty { return (try panel.run(), input.description) }
        let console = Console()
        if case .refused = console.outcome { log.warning("\(console.outcome)") }
        defer { console.restore() }
        return (try panel.run(), input.description)
    }
}

extension TouchChoice {
    /// Opens a device exclusively, without waiting for one.
    /// - Throws: errors of Touch, or ``CommandError`` if there is no device or another program uses it.
    fileprivate func openExclusively(_ log: Log) throws -> any TouchInput {
        let path: String
        switch self {
        case .recording(let file): return try RecordingInput(try Recording(path: file), name: file, pace: .recorded)
        case .device(let named): path = named
        case .best: path = try Self.bestPath(log)
        }
        let device = try DeviceInput(path: path, log: log)
        guard device.isExclusive else {
            throw CommandError.unavailable(
                "\(device.name) is in use by another program; stop it first (systemctl stop inkpanel, or the desktop)")
        }
        return device
    }

    private static func bestPath(_ log: Log) throws -> String {
        let candidates = try DeviceFinder.list()
        let screen = ScreenPlace(isBuiltIn: DisplayFinder().inventory().isBuiltIn)
        let choice = DeviceFinder.choose(from: candidates, for: screen)
        if let warning = choice.warning { log.warning(warning) }
        if let path = choice.paths.first { return path }
        // A device that cannot be opened is a likelier reason than none.
        if let denied = candidates.compactMap(\.error).first(where: \.isDenied) { throw denied }
        for reason in choice.reasons { log.info(reason) }
        throw CommandError.unavailable(
            "there is no touch device; plug one in, name one with --touch PATH, or see inkpanel devices")
    }
}
