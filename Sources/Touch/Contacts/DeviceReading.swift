// SPDX-License-Identifier: Apache-2.0

/// Where a contact is, as the device said it, in device units: what a capture's record keeps.
public struct DeviceReading: Equatable, Hashable, Sendable {
    public var x: Int32
    public var y: Int32
    /// Nil until the device has sent a pressure.
    public var pressure: Int32?
    /// The device's number where there are several, as ``ContactGate`` counts them.
    public var device: Int

    public init(x: Int32, y: Int32, pressure: Int32? = nil, device: Int = 0) {
        self.x = x
        self.y = y
        self.pressure = pressure
        self.device = device
    }
}
