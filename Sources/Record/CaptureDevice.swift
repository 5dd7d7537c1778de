// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A touch device of a capture, as it described itself, and where on the screen its places lie.
public struct CaptureDevice: Codable, Equatable, Sendable {
    /// One axis (`struct input_absinfo` of linux/input.h), in device units.
    public struct Axis: Codable, Equatable, Sendable {
        public var minimum, maximum: Int32
        /// Units per millimetre; 0 when the driver does not know.
        public var resolution: Int32

        public init(minimum: Int32, maximum: Int32, resolution: Int32) {
            self.minimum = minimum
            self.maximum = maximum
            self.resolution = resolution
        }
    }

    public var name: String
    /// BUS_*, vendor, product and version of `struct input_id`.
    public var bus, vendor, product, version: UInt16
    public var x, y: Axis
    /// Nil where the device measures no pressure: then no sample has one, and none is ever made up.
    public var pressure: Axis?
    /// Of a pen while it hovers; nil where the device does not tell.
    public var distance: Axis?
    /// Pixels of the screen from device units, calibration and rotation included: x' = a x + c y + e,
    /// y' = b x + d y + f, written as a, b, c, d, e, f as in SVG.
    public var transform: [Double]

    public init(
        name: String, bus: UInt16, vendor: UInt16, product: UInt16, version: UInt16, x: Axis, y: Axis, pressure: Axis?,
        distance: Axis? = nil, transform: [Double]
    ) {
        self.name = name
        self.bus = bus
        self.vendor = vendor
        self.product = product
        self.version = version
        self.x = x
        self.y = y
        self.pressure = pressure
        self.distance = distance
        self.transform = transform
    }

    /// In pixels of the screen; nil when the record's transform is not six numbers.
    public func position(x: Int32, y: Int32) -> Point? {
        guard transform.count == 6 else { return nil }
        let (x, y) = (Double(x), Double(y))
        return Point(
            x: transform[0] * x + transform[2] * y + transform[4],
            y: transform[1] * x + transform[3] * y + transform[5])
    }
}

extension CaptureDevice.Axis {
    /// Where between the ends of the axis a value lies: 0...1, values beyond the ends become the nearest.
    public func share(of value: Int32) -> Double {
        guard minimum < maximum else { return 0 }
        let share = (Double(value) - Double(minimum)) / (Double(maximum) - Double(minimum))
        return min(max(share, 0), 1)
    }
}
