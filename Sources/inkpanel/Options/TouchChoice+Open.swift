// SPDX-License-Identifier: Apache-2.0
import Linux
import Touch

extension TouchChoice {
    /// Opens the device or the recording.
    /// - Throws: what Touch throws, or ``CommandError`` when there is nothing to choose from.
    func open(log: Log) throws -> any TouchInput {
        switch self {
        case .best:
            let choice = DeviceFinder.choose(from: try DeviceFinder.list())
            guard let path = choice.path else {
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
