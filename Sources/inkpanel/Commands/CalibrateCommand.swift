// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Geometry
import Linux
import Screen
import Touch

/// `inkpanel calibrate`: the matrix of a digitizer that does not lie on its screen as it should.
struct CalibrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate", abstract: "Find out the calibration matrix of a touch device.",
        discussion: """
            Shows five crosses on the screen, one after the other, to be touched with a finger or a pen. Prints the \
            matrix, in 0...1 of the panel as udev's LIBINPUT_CALIBRATION_MATRIX has it, and writes it where asked. It \
            needs screen and touch device for itself: stop the service first. Nothing is written when it is aborted \
            (Ctrl-C, exit status \(CaptureEnding.cancelled)), takes too long (\(CaptureEnding.timedOut)) or the \
            touches do not fit.
            """)

    @Option(help: ArgumentHelp(
        "The device's path, or replay:FILE for a recording (default: that of the configuration, or the best one).",
        valueName: "path"))
    var touch: TouchChoice?

    @Option(help: ArgumentHelp(
        "kms, kms:CONNECTOR or headless:WxH (default: that of the configuration).", valueName: "display"))
    var display: DisplayChoice?

    @Option(help: ArgumentHelp("How far the picture is turned clockwise, as for run.", valueName: "degrees"))
    var rotate: Rotation?

    @Option(help: ArgumentHelp(
        "Write a udev rule for the device, e.g. /etc/udev/rules.d/98-touch-calibration.rules.", valueName: "file"))
    var udev: String?

    @Flag(help: ArgumentHelp(
        "Set calibration in [touch] of the configuration, that is the file of --config; all else in it stays."))
    var save = false

    @Option(help: ArgumentHelp("Give up when no cross has been touched for so long, 1 to 3600.", valueName: "seconds"))
    var timeout = 120

    @OptionGroup var file: ConfigurationOption

    func validate() throws {
        if !(1...3600).contains(timeout) { throw ValidationError("--timeout is 1 to 3600 seconds") }
        if udev?.isEmpty == true { throw ValidationError("--udev is the path of a file") }
    }

    func run() throws {
        let log = Log()
        try reportingErrors(log) {
            let settings = try readSettings()
            // Before anybody has touched anything.
            let target = save ? try CalibrationTarget(file.path ?? Configuration.defaultPath) : nil
            if let udev { try OutputFile.check(udev, option: "--udev") }
            try SignalSet.block(SignalSet.ending)
            let input = try openTouch(settings, log)
            let fit = try calibrate(input, settings, log)
            try write(fit, for: input.description, target, log)
        }
    }

    /// The file that is to be written need not be there yet.
    private func readSettings() throws(ConfigurationError) -> Configuration {
        do throws(ConfigurationError) {
            return try file.read()
        } catch {
            if save, case .cannotRead(_, .noSuchFile) = error { return Configuration() }
            throw error
        }
    }

    private func openTouch(_ settings: Configuration, _ log: Log) throws -> any TouchInput {
        let choice = touch ?? settings.touch.devices.first.flatMap { TouchChoice(argument: $0) } ?? .best
        return try CalibrationDevices.open(choice, log)
    }

    private func calibrate(_ input: any TouchInput, _ settings: Configuration, _ log: Log) throws -> CalibrationFit {
        let screen = try (display ?? settings.display.output).open()
        defer { screen.close() }
        let panel = try CalibrationPanel(
            input, screen, rotation: rotate ?? settings.display.rotation, density: settings.display.density,
            patience: timeout, until: SignalSet.ending, log: log)
        log.notice("calibrating \(input.name) on \(screen.details)")
        // A display in memory is on nobody's terminal.
        if screen.details.card.isEmpty { return try panel.run() }
        var console = Console()
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
            log.notice("\(udev) is written; it holds from the next start of the machine, or with: udevadm control "
                + "--reload && udevadm trigger --subsystem-match=input --action=change")
        }
        if let target {
            try target.write(fit.matrix)
            log.notice("\(target.path) is written; it holds from the next start of inkpanel run")
        }
        if udev == nil, target == nil {
            log.notice("nothing was written; for one panel, put this below [touch] in \(Configuration.defaultPath): "
                + Configuration.calibrationEntry(fit.matrix))
        }
    }
}
