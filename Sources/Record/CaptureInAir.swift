// SPDX-License-Identifier: Apache-2.0

/// Movement of a pen near the screen that did not touch it: every report of its place, as the device sent them. No ink.
public struct CaptureInAir: Equatable, Sendable {
    public struct Sample: Equatable, Sendable {
        /// As ``CaptureStroke/Sample/microseconds``.
        public var microseconds: Int64
        /// Device units.
        public var x, y: Int32
        /// Device units; nil where the device does not tell.
        public var distance: Int32?

        public init(microseconds: Int64, x: Int32, y: Int32, distance: Int32? = nil) {
            self.microseconds = microseconds
            self.x = x
            self.y = y
            self.distance = distance
        }
    }

    /// The pen's device, by its place in ``CaptureHeader/devices``.
    public var device: Int
    public var samples: [Sample]

    public init(device: Int = 0, samples: [Sample]) {
        self.device = device
        self.samples = samples
    }
}
