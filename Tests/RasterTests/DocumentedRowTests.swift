// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

/// The example of docs/raster.md, whose numbers `tools/raster-figure` computes by itself.
@Suite("The row of pixels in the docs")
struct DocumentedRowTests {
    private static let bounds = PixelRect(0, 0, 10, 1)

    private static let first = Path(polygon: [
        Point(x: 1.25, y: 0), Point(x: 1.75, y: 1), Point(x: 4.25, y: 1), Point(x: 5.5, y: 0),
    ])
    private static let second = Path(polygon: [
        Point(x: 4.125, y: 0), Point(x: 1204.0 / 256, y: 90.0 / 256), Point(x: 5.25, y: 1), Point(x: 8.75, y: 1),
        Point(x: 8.25, y: 0),
    ])

    @Test("is what they say")
    func row() {
        var rasterizer = Rasterizer()
        #expect(
            coverage(of: [Self.first, Self.second], clip: Self.bounds, with: &rasterizer)
                == [0, 128, 255, 255, 203, 246, 255, 255, 128, 0])
    }

    @Test("would be full where both shapes meet if areas were added")
    func areas() {
        var rasterizer = Rasterizer()
        let first = coverage(of: [Self.first], clip: Self.bounds, with: &rasterizer)
        let second = coverage(of: [Self.second], clip: Self.bounds, with: &rasterizer)
        for x in 4...5 { #expect(Int(first[x]) + Int(second[x]) >= 255) }
    }
}
