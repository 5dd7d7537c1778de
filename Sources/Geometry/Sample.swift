// SPDX-License-Identifier: Apache-2.0

/// The position of a contact in one report: a point of a stroke.
public struct Sample: Equatable, Sendable {
    /// The kernel's time stamp, in microseconds; only differences matter. It may repeat or run backwards: devices do
    /// that.
    public var microseconds: Int64
    /// Pixels of the picture; always finite.
    public var position: Point
    /// 0...1 where the device measures pressure, else nil: never an invented value.
    public var pressure: Double?

    public init(microseconds: Int64, position: Point, pressure: Double? = nil) {
        self.microseconds = microseconds
        self.position = position
        self.pressure = pressure
    }
}
