// SPDX-License-Identifier: Apache-2.0
public import Geometry

extension Shapes {
    /// The polygon of one update of a live stroke: a bent band between two samples with flattened sides.
    /// - Parameters:
    ///   - length: distance between the ends, in pixels.
    ///   - box: range of the middle's coordinates.
    public mutating func bentQuad(
        width: ClosedRange<Double>, length: ClosedRange<Double>, in box: PixelSize
    ) -> [Point] {
        let middle = Point(x: number(0...Double(box.width)), y: number(0...Double(box.height)))
        let along = direction() * (number(length) / 2)
        let bend = number(-0.3...0.3)
        let control = middle + along.perpendicular * (2 * bend)
        let from = (along + along.perpendicular * (-2 * bend)).normalized ?? Point(x: 1, y: 0)
        let to = (along + along.perpendicular * (2 * bend)).normalized ?? Point(x: 1, y: 0)
        // The pen enters along the first leg of the bend and leaves along the second.
        let startSide = to.perpendicular * (number(width) / 2)
        let endSide = from.perpendicular * (number(width) / 2)
        let midSide = (startSide + endSide) * 0.5
        var path = Path()
        path.move(to: middle - along + startSide)
        path.addQuadratic(control: control + midSide, end: middle + along + endSide)
        path.addLine(to: middle + along - endSide)
        path.addQuadratic(control: control - midSide, end: middle - along - startSide)
        return path.polygons(tolerance: 0.1)[0]
    }

    /// A polygon with few corners in a square of the given side. It may cross itself.
    public mutating func smallPolygon(
        corners: ClosedRange<Int>, side: ClosedRange<Double>, in box: PixelSize
    ) -> [Point] {
        let middle = Point(x: number(0...Double(box.width)), y: number(0...Double(box.height)))
        let half = number(side) / 2
        return (0..<integer(corners)).map { _ in
            middle + Point(x: number(-half...half), y: number(-half...half))
        }
    }

    /// A random unit vector. Does not use sines, which differ between C libraries.
    public mutating func direction() -> Point {
        while true {
            let vector = Point(x: number(-1...1), y: number(-1...1))
            if vector.squaredLength <= 1, let unit = vector.normalized { return unit }
        }
    }
}
