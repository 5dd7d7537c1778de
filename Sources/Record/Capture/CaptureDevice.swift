// SPDX-License-Identifier: Apache-2.0

/// The touch device of a capture, as it described itself.
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

    public init(
        name: String, bus: UInt16, vendor: UInt16, product: UInt16, version: UInt16, x: Axis, y: Axis, pressure: Axis?
    ) {
        self.name = name
        self.bus = bus
        self.vendor = vendor
        self.product = product
        self.version = version
        self.x = x
        self.y = y
        self.pressure = pressure
    }
}
