// SPDX-License-Identifier: Apache-2.0

/// A point or a vector, in pixels of the picture unless stated otherwise; x to the right, y down.
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
    /// The vector turned by 90 degrees, clockwise on the screen (y down).
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

/// An axis-parallel rectangle; empty when a maximum is not above its minimum.
public struct Rect: Equatable, Hashable, Sendable {
    public var minX, minY, maxX, maxY: Double

    public init(minX: Double, minY: Double, maxX: Double, maxY: Double) {
        self.minX = minX
        self.minY = minY
        self.maxX = maxX
        self.maxY = maxY
    }

    /// The union with this changes nothing.
    public static let empty = Rect(minX: .infinity, minY: .infinity, maxX: -.infinity, maxY: -.infinity)

    public var isEmpty: Bool { !(minX < maxX && minY < maxY) }
    public var width: Double { isEmpty ? 0 : maxX - minX }
    public var height: Double { isEmpty ? 0 : maxY - minY }

    public func union(_ other: Rect) -> Rect {
        Rect(
            minX: Swift.min(minX, other.minX), minY: Swift.min(minY, other.minY),
            maxX: Swift.max(maxX, other.maxX), maxY: Swift.max(maxY, other.maxY))
    }

    public mutating func include(_ point: Point) {
        minX = Swift.min(minX, point.x)
        minY = Swift.min(minY, point.y)
        maxX = Swift.max(maxX, point.x)
        maxY = Swift.max(maxY, point.y)
    }

    public func intersects(_ other: Rect) -> Bool {
        minX < other.maxX && other.minX < maxX && minY < other.maxY && other.minY < maxY
    }
}
