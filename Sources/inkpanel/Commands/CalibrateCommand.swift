// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Geometry
import Linux
import Screen
import Touch

/// `inkpanel calibrate`: the matrix of a digitizer that is not aligned with its screen.
struct CalibrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate", abstract: "Determine the calibration matrix of a touch device.",
        discussion: """
            Shows five crosses, one after the other, to touch with a finger or a pen. Prints the matrix in the format \
            of udev's LIBINPUT_CALIBRATION_MATRIX; --udev and --save also write it. It needs exclusive access to screen \
            and touch device: stop the service first. Nothing is written if it is aborted (Ctrl-C, exit status \
            \(CaptureEnding.cancelled)), times out (\(CaptureEnding.timedOut)) or the touches do not fit.
            """)

    @Option(help: ArgumentHelp(
        "Path of the device, or replay:FILE for a recording (default: as configured, or the best one).",
        valueName: "path"))
    var touch: TouchChoice?

    @Option(help: ArgumentHelp(
        "kms, kms:CONNECTOR or headless:WxH (default: as configured).", valueName: "display"))
    var display: DisplayChoice?

    @Option(help: ArgumentHelp("Clockwise rotation of the picture, as for run.", valueName: "degrees"))
    var rotate: Rotation?

    @Option(help: ArgumentHelp(
        "Write a udev rule for the device, such as /etc/udev/rules.d/98-touch-calibration.rules.", valueName: "file"))
    var udev: String?

    @Flag(help: ArgumentHelp(
        "Set calibration in [touch] of the configuration file."))
    var save = false

    @Option(help: ArgumentHelp("Time without a touch until it gives up, 1 to 3600.", valueName: "seconds"))
    var timeout = 120

    @OptionGroup var file: ConfigurationOption

    func validate() throws {
        if !(1...3600).contains(timeout) { throw ValidationError("--timeout is 1 to 3600 seconds") }
        if udev?.isEmpty == true { throw ValidationError("--udev is the path of a file") }
    }

    func run() throws {
        let log = Log()
        try reportingErrors(log) {
            let settings = try file.read(mayBeMissing: save)
            // Fails before the person starts to touch crosses.
            let target = save ? try CalibrationTarget(file.effectivePath) : nil
            if let udev { try OutputFile.check(udev, option: "--udev") }
            try SignalSet.block(SignalSet.ending)
            let input = try openTouch(settings, log)
            let fit = try calibrate(input, settings, log)
            try write(fit, for: input.description, target, log)
        }
    }

    private func openTouch(_ settings: Configuration, _ log: Log) throws -> any TouchInput {
        let choice = touch ?? settings.touch.devices.first.flatMap { TouchChoice(argument: $0) } ?? .best
        return try choice.openExclusively(log)
    }

    private func calibrate(_ input: any TouchInput, _ settings: Configuration, _ log: Log) throws -> CalibrationFit {
        let screen = try (display ?? settings.display.output).open()
        defer { screen.close() }
        let panel = try CalibrationPanel(
            input, screen, rotation: rotate ?? settings.display.rotation, density: settings.display.density,
            timeout: timeout, until: SignalSet.ending, log: log)
        log.notice("calibrating \(input.name) on \(screen.details)")
        // A display in memory has no console.
        if screen.details.card.isEmpty { return try panel.run() }
        let console = Console()
        if case .refused = console.outcome { log.warning("\(console.outcome)") }
        defer { console.restore() }
        return try panel.run()
    }

    private func write(
        _ fit: CalibrationFit, for device: DeviceDescription, _ target: CalibrationTarget?, _ log: Log
    ) throws {
        let matrix = Calibration.text(fit.matrix)
        try OutputFile.print("LIBINPUT_CALIBRATION_MATRIX=\"\(matrix)\"\n")
        let worst = (fit.worst * 10).rounded() / 10
        log.notice("the worst touch is \(worst) mm from its cross with this matrix")
        if let udev {
            try OutputFile.write(
                Array(Calibration.udevRule(for: device, matrix: fit.matrix).utf8), to: udev, option: "--udev",
                permissions: 0o644)
            log.notice("\(udev) is written; it takes effect after a reboot, or with: udevadm control "
                + "--reload && udevadm trigger --subsystem-match=input --action=change")
        }
        if let target {
            try target.write(fit.matrix)
            log.notice("\(target.path) is written; it takes effect with the next start of inkpanel run")
        }
        if udev == nil, target == nil {
            log.notice("nothing was written; put this below [touch] in \(Configuration.defaultPath) to keep it: "
                + Configuration.calibrationEntry(fit.matrix))
        }
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
        let choice = DeviceFinder.choose(from: candidates)
        if let path = choice.paths.first { return path }
        // A device that cannot be opened is a likelier reason than none.
        if let denied = candidates.compactMap(\.error).first(where: \.isDenied) { throw denied }
        for reason in choice.reasons { log.info(reason) }
        throw CommandError.unavailable(
            "there is no touch device; plug one in, name one with --touch PATH, or see inkpanel devices")
    }
}

/// The configuration file to write the matrix to.
struct CalibrationTarget {
    let path: String

    /// - Throws: if the file cannot be read, edited or written.
    init(_ path: String) throws {
        self.path = path
        try OutputFile.check(path, option: "--config")
        _ = try Configuration.setting(calibration: .identity, in: try Self.read(path), path: path)
    }

    /// Reads the file again: it may have changed during the calibration.
    func write(_ matrix: Transform) throws {
        let edited = try Configuration.setting(calibration: matrix, in: try Self.read(path), path: path)
        // The panel's user must be able to read it.
        try OutputFile.write(edited, to: path, option: "--config", permissions: 0o644)
    }

    /// Empty if there is no file yet.
    private static func read(_ path: String) throws(ConfigurationError) -> [UInt8] {
        do throws(ConfigurationError) { return try ConfigurationFile.read(path) } catch {
            if case .cannotRead(_, .noSuchFile) = error { return [] }
            throw error
        }
    }
}
