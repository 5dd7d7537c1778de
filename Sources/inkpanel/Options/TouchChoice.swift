// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// Where the reports come from: the best touch device, a device's path, or `replay:FILE`.
enum TouchChoice: Equatable {
    case best
    case device(path: String)
    case recording(path: String)
}

extension TouchChoice: ExpressibleByArgument {
    init?(argument: String) {
        if argument.hasPrefix("replay:") {
            let path = String(argument.dropFirst("replay:".count))
            if path.isEmpty { return nil }
            self = .recording(path: path)
        } else if argument.isEmpty {
            return nil
        } else {
            self = .device(path: argument)
        }
    }

    var defaultValueDescription: String { "the best touch device" }
}
