// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

/// Polygons to fill one after the other, for comparing rasterizers: the contents of an .rpw file.
struct RasterWorkload: Equatable {
    /// Some contours filled together: a report's new ink, or a stroke.
    struct Fill: Equatable {
        /// Of ``RasterWorkload/contours``.
        var contours: Range<Int>
        /// Opaque.
        var color: Color
    }

    /// In figures and in names of files.
    var name: String
    var page: PixelSize
    var rule = FillRule.nonZero
    var fills: [Fill] = []
    /// Each a closed polygon of ``points``.
    var contours: [Range<Int>] = []
    /// Pixels of the page, x and y.
    var points: [SIMD2<Float>] = []

    init(name: String, page: PixelSize) {
        self.name = name
        self.page = page
    }

    /// Appends a fill of one contour.
    mutating func addFill(_ polygon: some Collection<SIMD2<Float>>, color: Color) {
        fills.append(Fill(contours: contours.count..<contours.count + 1, color: color))
        contours.append(points.count..<points.count + polygon.count)
        points.append(contentsOf: polygon)
    }
}
