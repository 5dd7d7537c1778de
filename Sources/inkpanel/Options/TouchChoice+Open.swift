// SPDX-License-Identifier: Apache-2.0
import Linux
import Touch

extension TouchChoice {
    /// Opens the devices or the recording; the best device has a pen with it if its screen has one.
    /// - Throws: what Touch throws, or ``CommandError`` when there is nothing to choose from.
    func open(log: Log) throws -> [any TouchInput] {
        switch self {
        case .best:
            let candidates = try DeviceFinder.list()
            let choice = DeviceFinder.choose(from: candidates)
            if choice.paths.isEmpty {
                // A device that may not be opened is the likelier reason than a panel without one.
                if let denied = candidates.compactMap(\.error).first(where: \.isDenied) { throw denied }
                for reason in choice.reasons { log.info(reason) }
                throw CommandError.unavailable(
                    "there is no touch device; plug one in, name one with --touch PATH, or see inkpanel devices")
            }
            var inputs = [try DeviceInput(path: choice.paths[0], log: log)]
            for path in choice.paths.dropFirst() {
                // A panel without its pen is better than none.
                do throws(TouchError) {
                    inputs.append(try DeviceInput(path: path, log: log))
                } catch {
                    log.warning("going on without a pen: \(error.message)")
                }
            }
            return inputs
        case .device(let path):
            return [try DeviceInput(path: path, log: log)]
        case .recording(let path):
            return [try RecordingInput(try Recording(path: path), name: path, pace: .recorded)]
        }
    }
}
