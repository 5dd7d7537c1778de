// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
public import Configuration
public import Geometry
import Linux
import Panel
import Screen
import Touch

/// Options of commands that show ink on a screen.
struct ScreenOptions: ParsableArguments {
    @Option(help: ArgumentHelp(Setting["display.rotate"].help(""), valueName: "degrees"))
    var rotate: Rotation?

    @Option(help: ArgumentHelp(Setting["display.prediction"].help(""), valueName: "on|off"))
    var prediction: Switch?

    @Option(help: ArgumentHelp(Setting["display.latency"].help("")))
    var latency: InkLatency?

    var predicts: Bool { prediction != .off }
}

enum Switch: String, CaseIterable, ExpressibleByArgument {
    case on, off
}

/// The source of touch reports: the best devices, the path of a device, or `replay:FILE`.
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

extension TouchChoice {
    /// The recording to play; nil for devices.
    func recording() throws -> (any TouchInput)? {
        guard case .recording(let path) = self else { return nil }
        return try RecordingInput(try Recording(path: path), name: path, pace: .recorded)
    }

    /// Watches for the devices; nil for a recording.
    /// - Throws: ``TouchError`` if the named device exists and is no touch device. If it is missing or cannot be opened
    ///   yet, the source waits for it.
    func source(log: Log) throws(TouchError) -> (any TouchSource)? {
        switch self {
        case .recording: return nil
        case .best: return DeviceSource(log: log)
        case .device(let path):
            if let device = try? DeviceDescription.read(path: path), case .unusable(let reason) = device.kind {
                throw .unusable(path: path, name: device.name, reason: reason)
            }
            return DeviceSource(path: path, log: log)
        }
    }
}

extension DisplayChoice: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }

    public var defaultValueDescription: String { description }
}

extension PixelSize: ExpressibleByArgument {
    /// `WxH` in pixels, if it is drawable.
    public init?(argument: String) {
        guard let size = PixelSize(argument), size.isDrawable else { return nil }
        self = size
    }
}

extension Rotation: ExpressibleByArgument {}
extension InkLatency: ExpressibleByArgument {}
