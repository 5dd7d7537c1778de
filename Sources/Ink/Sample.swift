// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// One report of a contact, as the pens take it.
public struct Sample: Equatable, Sendable {
    /// When the kernel saw it, in microseconds; only differences matter. May repeat or run backwards: devices do that.
    public var microseconds: Int64
    /// In pixels of the picture; always finite.
    public var position: Point
    /// 0...1 where the device measures pressure, else nil: never an invented value.
    public var pressure: Double?

    public init(microseconds: Int64, position: Point, pressure: Double? = nil) {
        self.microseconds = microseconds
        self.position = position
        self.pressure = pressure
    }
}
