// SPDX-License-Identifier: Apache-2.0

/// The position of a contact in one report: a point of a stroke.
public struct Sample: Equatable, Sendable {
    /// The kernel's time stamp. It may repeat or run backwards: devices do that.
    public var time: Timestamp
    /// Pixels of the picture; always finite.
    public var position: Point
    /// 0...1 where the device measures pressure, else nil: never an invented value.
    public var pressure: Double?

    public init(time: Timestamp, position: Point, pressure: Double? = nil) {
        self.time = time
        self.position = position
        self.pressure = pressure
    }
}
