// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

/// Slow and simple answers to what an outline covers.
struct OutlineChecks {
    private let polygons: [[Point]]

    init(_ ink: StrokeInk) { self.init(ink.contours) }
    init(_ polygons: [[Point]]) { self.polygons = polygons }

    /// The smallest signed area of the contours; positive means clockwise on the screen.
    var leastArea: Double {
        polygons.reduce(.infinity) { least, polygon in
            var area = 0.0
            // From the first corner, so that far coordinates keep their fraction.
            for (a, b) in zip(polygon.dropFirst(), polygon.dropFirst(2)) {
                area += (a - polygon[0]).cross(b - polygon[0])
            }
            return min(least, area / 2)
        }
    }

    /// How many times the contours go round a point.
    func winding(at point: Point) -> Int {
        var winding = 0
        for polygon in polygons {
            for index in polygon.indices {
                let (a, b) = (polygon[index], polygon[(index + 1) % polygon.count])
                guard (a.y <= point.y) != (b.y <= point.y) else { continue }
                let side = (b - a).cross(point - a)
                if b.y > a.y { winding += side > 0 ? 1 : 0 } else { winding -= side < 0 ? 1 : 0 }
            }
        }
        return winding
    }

    /// How far outside of the tapered capsules along a centre line a point lies, in pixels; negative inside.
    static func distance(from point: Point, toInkAlong nodes: [CenterlinePoint]) -> Double {
        var least = nodes.reduce(Double.infinity) { min($0, $1.position.distance(to: point) - $1.width / 2) }
        for (a, b) in zip(nodes, nodes.dropFirst()) {
            let way = b.position - a.position
            let length = way.length
            guard length > 0 else { continue }
            let taper = (b.width - a.width) / 2 / length
            guard abs(taper) < 1 else { continue }
            let direction = way * (1 / length)
            let offset = point - a.position
            // The nearest disc has its centre this much further along than the foot of the perpendicular.
            let across = abs(offset.cross(direction))
            let lean = taper / (1 - taper * taper).squareRoot()
            let along = min(max(offset.dot(direction) + across * lean, 0), length)
            let center = a.position + direction * along
            least = min(least, center.distance(to: point) - a.width / 2 - taper * along)
        }
        return least
    }
}

extension StrokeInk {
    /// The contours of the outline as polygons.
    var contours: [[Point]] { outline.polygons(tolerance: 0.002) }

    /// Whether every number in it is one.
    var isFinite: Bool {
        outline.points.allSatisfy(\.isFinite) && centerline.allSatisfy { $0.position.isFinite && $0.width.isFinite }
    }
}
