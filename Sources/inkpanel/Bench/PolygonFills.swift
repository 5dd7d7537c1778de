// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

/// A workload on a page of its own, filled as a user of the rasterizer would, with its points converted beforehand.
struct PolygonFills: ~Copyable {
    let page: PixelBuffer
    private let rule: FillRule
    private let fills: [RasterWorkload.Fill]
    private let path: Path
    /// Where each contour starts in ``path``, and where the last one ends.
    private let marks: [Path.Mark]
    private var rasterizer = Rasterizer()

    /// The page is white.
    init(_ workload: RasterWorkload) {
        page = PixelBuffer(size: workload.page)
        rule = workload.rule
        fills = workload.fills
        var path = Path()
        var marks = [path.end]
        for contour in workload.contours {
            path.addPolygon(workload.points[contour].map { Point(x: Double($0.x), y: Double($0.y)) })
            marks.append(path.end)
        }
        self.path = path
        self.marks = marks
        clear()
    }

    /// Fills anew would be filled over the old ones.
    func clear() { page.surface.fill(page.surface.bounds, with: .white) }

    /// - Parameter color: instead of the workload's.
    mutating func fill(_ index: Int, color: Color? = nil) {
        let fill = fills[index]
        rasterizer.begin(clip: page.surface.bounds)
        rasterizer.add(path, from: marks[fill.contours.lowerBound], to: marks[fill.contours.upperBound])
        rasterizer.fill(rule, with: color ?? fill.color, into: page.surface)
    }

    mutating func fillAll(color: Color? = nil) {
        for index in fills.indices { fill(index, color: color) }
    }

    var count: Int { fills.count }
}
