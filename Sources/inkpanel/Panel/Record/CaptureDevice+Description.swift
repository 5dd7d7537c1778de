// SPDX-License-Identifier: Apache-2.0
import Record
import Touch

extension CaptureDevice {
    /// The device as it describes itself. One that cannot draw has axes without a range.
    init(_ device: DeviceDescription) {
        let axes = device.positionAxes
        self.init(
            name: device.name, bus: device.bus, vendor: device.vendor, product: device.product,
            version: device.version, x: Axis(axes?.x ?? AxisInfo(minimum: 0, maximum: 0)),
            y: Axis(axes?.y ?? AxisInfo(minimum: 0, maximum: 0)), pressure: device.pressureAxis.map(Axis.init))
    }
}

extension CaptureDevice.Axis {
    init(_ axis: AxisInfo) {
        self.init(minimum: axis.minimum, maximum: axis.maximum, resolution: axis.resolution)
    }
}
