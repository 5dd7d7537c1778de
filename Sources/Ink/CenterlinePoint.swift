// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A point of the modelled stroke: where the middle of the ink lies, how wide it is there, and when it was drawn.
public struct CenterlinePoint: Equatable, Sendable {
    /// On the scale of ``Sample/microseconds``.
    public var microseconds: Int64
    public var position: Point
    /// Full width of the ink in pixels.
    public var width: Double

    public init(microseconds: Int64, position: Point, width: Double) {
        self.microseconds = microseconds
        self.position = position
        self.width = width
    }
}
