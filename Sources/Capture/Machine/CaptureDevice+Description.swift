// SPDX-License-Identifier: Apache-2.0
import Geometry
public import Record
public import Touch

extension CaptureDevice {
    /// What a record says of a touch device.
    /// - Parameter mapping: from its units to the picture of the capture.
    /// - Returns: nil for an unusable device.
    public init?(_ device: DeviceDescription, mapping: PanelMapping) {
        guard let axes = device.positionAxes else { return nil }
        func axis(_ info: AxisInfo) -> Axis {
            Axis(minimum: info.minimum, maximum: info.maximum, resolution: info.resolution)
        }
        let map = mapping.transform
        self.init(
            name: device.name, bus: device.bus, vendor: device.vendor, product: device.product,
            version: device.version, x: axis(axes.x), y: axis(axes.y), pressure: device.pressureAxis.map(axis),
            distance: device.distanceAxis.map(axis), transform: [map.a, map.c, map.b, map.d, map.tx, map.ty])
    }
}
