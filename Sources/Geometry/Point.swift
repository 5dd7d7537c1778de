// SPDX-License-Identifier: Apache-2.0

/// A point or a vector, in pixels of the picture unless said otherwise; x to the right, y down.
public struct Point: Equatable, Hashable, Sendable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    public static let zero = Point(x: 0, y: 0)

    public static func + (a: Point, b: Point) -> Point { Point(x: a.x + b.x, y: a.y + b.y) }
    public static func - (a: Point, b: Point) -> Point { Point(x: a.x - b.x, y: a.y - b.y) }
    public static func * (a: Point, k: Double) -> Point { Point(x: a.x * k, y: a.y * k) }

    public var squaredLength: Double { x * x + y * y }
    public var length: Double { squaredLength.squareRoot() }
    public func squaredDistance(to other: Point) -> Double { (self - other).squaredLength }
    public func distance(to other: Point) -> Double { squaredDistance(to: other).squareRoot() }

    public func dot(_ other: Point) -> Double { x * other.x + y * other.y }
    /// z of the cross product; positive where `other` lies clockwise of this vector on the screen (y down).
    public func cross(_ other: Point) -> Double { x * other.y - y * other.x }
    /// The vector turned by a quarter, clockwise on the screen (y down).
    public var perpendicular: Point { Point(x: -y, y: x) }
    /// Length 1, or nil for a vector too short or too long to have a direction.
    public var normalized: Point? {
        let length = length
        guard length > 1e-12, length.isFinite else { return nil }
        return Point(x: x / length, y: y / length)
    }

    public var isFinite: Bool { x.isFinite && y.isFinite }

    /// The point at `fraction` of the way to `other`: 0 is this point, 1 the other.
    public func interpolated(to other: Point, _ fraction: Double) -> Point {
        self + (other - self) * fraction
    }
}
