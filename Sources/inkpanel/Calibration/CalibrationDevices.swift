// SPDX-License-Identifier: Apache-2.0
import Linux
import Touch

/// What a calibration is made with. It waits for nothing: a person stands before the panel.
enum CalibrationDevices {
    /// Opens the device for this program alone.
    /// - Throws: what Touch throws, or ``CommandError`` where there is no device, or another program has it.
    static func open(_ choice: TouchChoice, _ log: Log) throws -> any TouchInput {
        let path: String
        switch choice {
        case .recording(let file): return try RecordingInput(try Recording(path: file), name: file, pace: .recorded)
        case .device(let named): path = named
        case .best: path = try bestPath(log)
        }
        let device = try DeviceInput(path: path, log: log)
        guard device.isExclusive else {
            throw CommandError.unavailable(
                "\(device.name) is in use by another program, which would take the touches for its own; stop that "
                    + "first (systemctl stop inkpanel, or the desktop)")
        }
        return device
    }

    private static func bestPath(_ log: Log) throws -> String {
        let candidates = try DeviceFinder.list()
        let choice = DeviceFinder.choose(from: candidates)
        if let path = choice.paths.first { return path }
        // A device that may not be opened is the likelier reason than a panel without one.
        if let denied = candidates.compactMap(\.error).first(where: \.isDenied) { throw denied }
        for reason in choice.reasons { log.info(reason) }
        throw CommandError.unavailable(
            "there is no touch device; plug one in, name one with --touch PATH, or see inkpanel devices")
    }
}
