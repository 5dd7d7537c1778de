// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// One report of the contact that draws.
public struct TouchSample: Equatable, Sendable {
    /// The kernel's time, in microseconds of the device's clock; may repeat or run backwards.
    public var microseconds: Int64
    /// In pixels of the picture, `0 <= x < width` and `0 <= y < height`; the centre of the first pixel is 0.5.
    public var position: Point
    /// 0...1 where the device measures it, else nil.
    public var pressure: Double?
    /// The same in the device's own units.
    public var device: DeviceReading

    public init(microseconds: Int64, position: Point, pressure: Double?, device: DeviceReading) {
        self.microseconds = microseconds
        self.position = position
        self.pressure = pressure
        self.device = device
    }
}

/// What the contact that draws did. `down`, any number of `motion`, then one `up` or `cancel`.
public enum TouchEvent: Equatable, Sendable {
    case down(TouchSample)
    case motion(TouchSample)
    /// Lifted: the time is when, the place is that of the sample before.
    case up(TouchSample)
    /// What it drew should go: the device found that it is a palm. The sample as for `up`.
    case cancel(TouchSample)

    public var sample: TouchSample {
        switch self {
        case .down(let sample), .motion(let sample), .up(let sample), .cancel(let sample): sample
        }
    }
}
