// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

/// A workload on a page of its own, filled as a user of the rasterizer would, with its points converted beforehand.
struct PolygonFills: ~Copyable {
    let page: PixelBuffer
    private let rule: FillRule
    private let fills: [RasterWorkload.Fill]
    private let contours: [Range<Int>]
    private let points: [Point]
    private var rasterizer = Rasterizer()

    /// The page is white.
    init(_ workload: RasterWorkload) {
        page = PixelBuffer(lasting: workload.page)
        rule = workload.rule
        fills = workload.fills
        contours = workload.contours
        points = workload.points.map { Point(x: Double($0.x), y: Double($0.y)) }
        clear()
    }

    /// Fills anew would be filled over the old ones.
    func clear() { page.surface.fill(page.surface.bounds, with: .white) }

    /// - Parameter color: instead of the workload's.
    mutating func fill(_ index: Int, color: Color? = nil) {
        let fill = fills[index]
        rasterizer.begin(clip: page.surface.bounds)
        points.withUnsafeBufferPointer { points in
            for contour in fill.contours {
                rasterizer.add(polygon: UnsafeBufferPointer(rebasing: points[contours[contour]]))
            }
        }
        rasterizer.fill(rule, with: color ?? fill.color, into: page.surface)
    }

    mutating func fillAll(color: Color? = nil) {
        for index in fills.indices { fill(index, color: color) }
    }

    var count: Int { fills.count }
}
