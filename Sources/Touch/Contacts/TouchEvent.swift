// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// One report of a contact.
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

/// What a contact did. `down` or `resume`, any number of `motion`, then one `up` or `cancel`.
public enum TouchEvent: Equatable, Sendable {
    case down(TouchSample)
    /// As `down`, of a contact that was down when events were lost and ended with an `up` then. It may go on with what
    /// it did, and with nothing else: if it was ignored, it still is.
    case resume(TouchSample)
    case motion(TouchSample)
    /// Lifted: the time is when, the place is that of the sample before.
    case up(TouchSample)
    /// What it drew should go: it is a palm, or the hand that holds a pen. The sample as for `up`.
    case cancel(TouchSample)

    public var sample: TouchSample {
        switch self {
        case .down(let sample), .resume(let sample), .motion(let sample), .up(let sample), .cancel(let sample): sample
        }
    }
}
