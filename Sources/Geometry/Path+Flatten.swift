// SPDX-License-Identifier: Apache-2.0

extension Path {
    /// The contours as polygons, curves replaced by chords no further than `tolerance` (in the path's units) from them:
    /// the chords that the rasterizer walks, as points for files. The end points of every curve are kept exactly.
    public func polygons(tolerance: Double) -> [[Point]] {
        var polygons: [[Point]] = []
        var polygon: [Point] = []
        var index = 0
        func add(_ curve: CubicBezier) {
            let count = curve.segmentCount(tolerance: tolerance)
            for step in 1..<count { polygon.append(curve.point(at: Double(step) / Double(count))) }
            polygon.append(curve.end)
        }
        for verb in verbs {
            switch verb {
            case .move:
                if !polygon.isEmpty { polygons.append(polygon) }
                polygon = [points[index]]
                index += 1
            case .line:
                polygon.append(points[index])
                index += 1
            case .quadratic:
                add(CubicBezier(
                    quadraticFrom: polygon[polygon.count - 1], control: points[index], end: points[index + 1]))
                index += 2
            case .cubic:
                add(CubicBezier(
                    start: polygon[polygon.count - 1], control1: points[index], control2: points[index + 1],
                    end: points[index + 2]))
                index += 3
            }
        }
        if !polygon.isEmpty { polygons.append(polygon) }
        return polygons
    }
}
