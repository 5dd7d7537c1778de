// SPDX-License-Identifier: Apache-2.0
import Linux
import Touch

extension TouchChoice {
    /// Opens the device or the recording.
    /// - Throws: what Touch throws, or ``CommandError`` when there is nothing to choose from.
    func open(log: Log) throws -> any TouchInput {
        switch self {
        case .best:
            let candidates = try DeviceFinder.list()
            let choice = DeviceFinder.choose(from: candidates)
            guard let path = choice.path else {
                // A device that may not be opened is the likelier reason than a panel without one.
                if let denied = candidates.compactMap(\.error).first(where: \.isDenied) { throw denied }
                for reason in choice.reasons { log.info(reason) }
                throw CommandError.unavailable(
                    "there is no touch device; plug one in, name one with --touch PATH, or see inkpanel devices")
            }
            return try DeviceInput(path: path, log: log)
        case .device(let path):
            return try DeviceInput(path: path, log: log)
        case .recording(let path):
            return try RecordingInput(try Recording(path: path), name: path, pace: .recorded)
        }
    }
}
