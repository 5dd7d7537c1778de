// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Geometry
import Linux
import Panel
import Screen
import Touch

/// `inkpanel calibrate`: the matrix of a digitizer that is not aligned with its screen.
struct CalibrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate", abstract: "Determine the calibration matrix of a touch device.",
        discussion: """
            Shows five crosses, one after the other, to touch with a finger or a pen. Prints the matrix in the format \
            of udev's LIBINPUT_CALIBRATION_MATRIX; --udev and --save also write it. It needs exclusive access to \
            screen and touch device: stop the service first. Nothing is written if it is aborted (Ctrl-C, exit status \
            \(CaptureEnding.cancelled)), times out (\(CaptureEnding.timedOut)) or the touches do not fit.
            """)

    @Option(
        help: ArgumentHelp(
            "Write a udev rule for the device, such as /etc/udev/rules.d/98-touch-calibration.rules.", valueName: "file"
        ))
    var udev: String?

    @Flag(
        help: ArgumentHelp(
            "Set calibration in [touch] of the configuration file."))
    var save = false

    @OptionGroup var panel: SetupOptions

    func validate() throws {
        if udev?.isEmpty == true { throw ValidationError("--udev is the path of a file") }
    }

    func run() throws {
        let log = Log()
        try reportingErrors(log) {
            let settings = try panel.file.read(mayBeMissing: save)
            // Fails before the person starts to touch crosses.
            let target = save ? try CalibrationTarget(panel.file.effectivePath) : nil
            if let udev { try OutputFile.check(udev, option: "--udev") }
            let (fit, device) = try panel.carryOut(settings, log) { input, screen throws(CommandError) in
                try CalibrationTask(input.description, named: input.name, on: screen)
            }
            try write(fit, for: device, target, log)
        }
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
            log.notice(
                "\(udev) is written; it takes effect after a reboot, or with: udevadm control "
                    + "--reload && udevadm trigger --subsystem-match=input --action=change")
        }
        if let target {
            try target.write(fit.matrix)
            log.notice("\(target.path) is written; it takes effect with the next start of inkpanel run")
        }
        if udev == nil, target == nil {
            log.notice(
                "nothing was written; put this below [touch] in \(Configuration.defaultPath) to keep it: "
                    + Configuration.calibrationEntry(fit.matrix))
        }
    }
}

/// The configuration file to write the matrix to.
struct CalibrationTarget {
    let path: String

    /// - Throws: if the file cannot be read, edited or written.
    init(_ path: String) throws {
        self.path = path
        try OutputFile.check(path, option: "--config")
        if let files = try? ConfigurationFiles(path: path), let place = files.place(of: "calibration", in: "touch"),
            place.path != path
        {
            throw ConfigurationError.overridden(path: path, table: "touch", key: "calibration", by: place)
        }
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
        do throws(ConfigurationError) { return try ConfigurationFiles.read(path) } catch {
            if case .cannotRead(_, .noSuchFile) = error { return [] }
            throw error
        }
    }
}
