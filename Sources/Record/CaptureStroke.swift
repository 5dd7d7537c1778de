// SPDX-License-Identifier: Apache-2.0

/// One stroke of a capture: every report of the contact that drew it, as the device sent them.
public struct CaptureStroke: Equatable, Sendable {
    public struct Sample: Equatable, Sendable {
        /// The kernel's time, microseconds after ``CaptureHeader/startedAtDeviceTime``; may repeat or run backwards.
        public var microseconds: Int64
        /// Device units.
        public var x, y: Int32
        /// Device units; nil until the device has measured one.
        public var pressure: Int32?

        public init(microseconds: Int64, x: Int32, y: Int32, pressure: Int32? = nil) {
            self.microseconds = microseconds
            self.x = x
            self.y = y
            self.pressure = pressure
        }
    }

    /// The pen that the screen showed it with, by name: a look, which says nothing about what was measured.
    public var pen: String
    /// The device that drew it, by its place in ``CaptureHeader/devices``.
    public var device: Int
    public var samples: [Sample]

    public init(pen: String, device: Int = 0, samples: [Sample]) {
        self.pen = pen
        self.device = device
        self.samples = samples
    }
}
