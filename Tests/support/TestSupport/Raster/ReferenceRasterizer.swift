// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Raster

/// The reference for the rasterizer's tests: simple, slow, in double precision.
///
/// Each row of pixels is cut into slabs, at evenly spaced lines and at every vertex, so that each edge in a slab is one
/// straight piece from top to bottom. The pieces are sorted along the middle of the slab, and the winding number is
/// accumulated from left to right. Where ink begins or ends, the exact area to the right of the piece is added. The
/// result is exact except where pieces cross within a slab: the part of the slab between them is wrong.
public struct ReferenceRasterizer {
    private let slabsPerPixel: Int
    private var edges: [ReferenceEdge] = []
    private var active: [ReferenceEdge] = []
    private var sides: [Double] = []
    private var areas: [Double] = []

    public init(slabsPerPixel: Int = 16) { self.slabsPerPixel = slabsPerPixel }

    /// The coverage of each pixel of `bounds`, row by row, 0...255.
    public static func coverage(
        of polygons: [[Point]], rule: FillRule, bounds: PixelRect, slabsPerPixel: Int = 16
    ) -> [Double] {
        var rasterizer = ReferenceRasterizer(slabsPerPixel: slabsPerPixel)
        var result: [Double] = []
        result.reserveCapacity(bounds.area)
        rasterizer.fill(polygons, rule: rule, bounds: bounds) { _, row in result += row }
        return result
    }

    /// Calls `body` for each row of `bounds` with its y and the coverage of its pixels, 0...255.
    public mutating func fill(
        _ polygons: [[Point]], rule: FillRule, bounds: PixelRect, _ body: (Int, [Double]) -> Void
    ) {
        collectEdges(of: polygons, bounds)
        active.removeAll(keepingCapacity: true)
        var next = 0
        for y in bounds.minY..<max(bounds.minY, bounds.maxY) {
            let top = Double(y)
            active.removeAll { $0.lowerY <= top }
            while next < edges.count, edges[next].upperY < top + 1 {
                if edges[next].lowerY > top { active.append(edges[next]) }
                next += 1
            }
            areas = [Double](repeating: 0, count: bounds.width + 1)
            if !active.isEmpty { addRow(top, rule, width: bounds.width) }
            areas.removeLast()
            body(y, areas)
        }
    }

    private mutating func collectEdges(of polygons: [[Point]], _ bounds: PixelRect) {
        edges.removeAll(keepingCapacity: true)
        for polygon in polygons {
            for index in polygon.indices {
                let start = polygon[index]
                let end = polygon[index + 1 < polygon.count ? index + 1 : 0]
                if start.y != end.y { edges.append(ReferenceEdge(from: start, to: end, left: Double(bounds.minX))) }
            }
        }
        edges.sort { $0.upperY < $1.upperY }
    }

    private mutating func addRow(_ top: Double, _ rule: FillRule, width: Int) {
        sides.removeAll(keepingCapacity: true)
        for side in 0...slabsPerPixel { sides.append(top + Double(side) / Double(slabsPerPixel)) }
        for edge in active {
            if edge.upperY > top { sides.append(edge.upperY) }
            if edge.lowerY < top + 1 { sides.append(edge.lowerY) }
        }
        sides.sort()
        for index in 1..<sides.count where sides[index - 1] < sides[index] {
            addSlab(sides[index - 1], sides[index], rule, width)
        }
        var sum = 0.0
        for x in 0..<width {
            sum += areas[x]
            // Rounding errors keep sums from being exactly 0 or 255.
            let value = sum * 255
            areas[x] = value < 1e-6 ? 0 : value > 255 - 1e-6 ? 255 : value
        }
    }

    private mutating func addSlab(_ upper: Double, _ lower: Double, _ rule: FillRule, _ width: Int) {
        let middle = (upper + lower) / 2
        // Insertion sort: the order is nearly that of the slab above.
        for index in active.indices {
            active[index].middleX = active[index].x(atY: middle)
            var hole = index
            while hole > 0, active[hole - 1].middleX > active[hole].middleX {
                active.swapAt(hole - 1, hole)
                hole -= 1
            }
        }
        var winding = 0
        var isInside = false
        for edge in active where edge.upperY <= upper && edge.lowerY >= lower {
            winding += edge.winding
            let wasInside = isInside
            isInside = rule == .nonZero ? winding != 0 : winding % 2 != 0
            if isInside != wasInside {
                let height = isInside ? lower - upper : upper - lower
                add(height, edge.x(atY: upper), edge.x(atY: lower), width)
            }
        }
    }

    /// Adds the area to the right of a piece of an edge, as differences between pixels.
    private mutating func add(_ height: Double, _ upperX: Double, _ lowerX: Double, _ width: Int) {
        let left = min(upperX, lowerX)
        let right = max(upperX, lowerX)
        if left >= Double(width) { return }
        if right <= 0 {
            areas[0] += height
            return
        }
        let first = Int(max(left, 0))
        if right <= Double(first + 1) && left >= 0 {
            let part = (left + right) / 2 - Double(first)
            areas[first] += height * (1 - part)
            areas[first + 1] += height * part
            return
        }
        let density = height / (right - left)
        if left < 0 { areas[0] -= left * density }
        var x = first
        while x < width && Double(x) < right {
            let from = max(left, Double(x))
            let to = min(right, Double(x + 1))
            let part = (from + to) / 2 - Double(x)
            areas[x] += (to - from) * density * (1 - part)
            areas[x + 1] += (to - from) * density * part
            x += 1
        }
    }
}
