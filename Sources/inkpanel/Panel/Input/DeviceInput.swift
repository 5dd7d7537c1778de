// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Touch

/// Reports of a device in /dev/input.
final class DeviceInput: TouchInput {
    /// The property that libinput reads, so that one rule serves a desktop and this program.
    private static let property = "LIBINPUT_CALIBRATION_MATRIX"

    private var device: TouchDevice
    let calibration: Transform?

    /// - Throws: what ``TouchDevice`` throws. What merely works less well goes to the log.
    init(path: String, log: Log) throws(TouchError) {
        device = try TouchDevice(path: path)
        for warning in device.warnings { log.warning(warning, .device(device.description.name)) }
        let text = UdevDevice(node: path)?.property(Self.property)
        calibration = text.flatMap { Calibration.matrix($0) }
        if let text, calibration == nil {
            log.warning(
                "udev's \(Self.property) of \(path) is no matrix that can be undone: \"\(text)\"; going on without")
        }
    }

    var name: String { "\(device.description.name) (\(device.path))" }
    var path: String? { device.path }
    var description: DeviceDescription { device.description }
    var descriptor: CInt { device.descriptor }
    var dropCount: Int { device.dropCount }
    /// Whether no other program sees the touches.
    var isExclusive: Bool { device.isExclusive }

    /// A device reports by itself; what it has reported already waits in the kernel.
    func start() throws(Errno) {}

    func read() throws(TouchError) -> TouchReading {
        TouchReading(frames: try device.read())
    }
}
