// SPDX-License-Identifier: Apache-2.0
import Linux
import Touch

/// Reports of a device in /dev/input.
final class DeviceInput: TouchInput {
    private var device: TouchDevice

    /// - Throws: what ``TouchDevice`` throws. What merely works less well goes to the log.
    init(path: String, log: Log) throws(TouchError) {
        device = try TouchDevice(path: path)
        for warning in device.warnings { log.warning(warning, .device(device.description.name)) }
    }

    var name: String { "\(device.description.name) (\(device.path))" }
    var path: String? { device.path }
    var description: DeviceDescription { device.description }
    var descriptor: CInt { device.descriptor }
    var dropCount: Int { device.dropCount }

    /// A device reports by itself; what it has reported already waits in the kernel.
    func start() throws(Errno) {}

    func read() throws(TouchError) -> TouchReading {
        TouchReading(frames: try device.read())
    }
}
