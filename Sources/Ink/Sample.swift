// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// One report of a contact, as pens take it.
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

/// A step in the life of the stroke that is being drawn.
public enum StrokeEvent: Equatable, Sendable {
    case begin(Sample)
    case move(Sample)
    /// The contact was lifted, or lost with its device: the stroke ends at its last sample and stays.
    case end
    /// The contact was no pen after all (a palm): the stroke is removed.
    case cancel
}
