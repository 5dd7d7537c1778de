// SPDX-License-Identifier: Apache-2.0
import Linux
import Touch

extension TouchChoice {
    /// The recording to be played; nil for devices.
    func recording() throws -> (any TouchInput)? {
        guard case .recording(let path) = self else { return nil }
        return try RecordingInput(try Recording(path: path), name: path, pace: .recorded)
    }

    /// Where devices come from; nil for a recording.
    /// - Throws: ``TouchError`` when the device that was named is there and nothing that could be touched. One that is
    ///   not there, or not yet to be opened, is waited for.
    func source(log: Log) throws(TouchError) -> (any TouchSource)? {
        switch self {
        case .recording: return nil
        case .best: break
        case .device(let path):
            if let device = try? DeviceDescription.read(path: path), case .unusable(let reason) = device.kind {
                throw .unusable(path: path, name: device.name, reason: reason)
            }
        }
        return DeviceSource(choice: self, log: log)
    }
}
