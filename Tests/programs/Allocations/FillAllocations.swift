// SPDX-License-Identifier: Apache-2.0
import CAllocations
import Geometry
import Raster
import TestSupport

/// Whether fills ask for memory once the rasterizer has done ones like them.
struct FillAllocations: ~Copyable {
    private var rasterizer = Rasterizer()

    init() {}

    /// Fills each path by itself, all of them twice, with both rules, into pixels and into coverage.
    /// - Returns: how often the second round asked for memory.
    mutating func count(_ paths: [Path], page: PixelSize) -> Int {
        let pixels = PixelBuffer(size: page)
        let coverage = CoverageBuffer(bounds: PixelRect(size: page))
        var asked = 0
        for _ in 0..<2 {
            let before = allocation_count()
            for path in paths {
                for rule in [FillRule.nonZero, .evenOdd] { fill(path, rule, pixels.surface, coverage) }
            }
            asked = allocation_count() - before
        }
        return asked
    }

    private mutating func fill(
        _ path: borrowing Path, _ rule: FillRule, _ surface: Surface, _ coverage: borrowing CoverageBuffer
    ) {
        rasterizer.begin(clip: surface.bounds)
        rasterizer.add(path)
        rasterizer.fill(rule, with: Color(red: 0, green: 0, blue: 90, alpha: 200), into: surface)
        rasterizer.begin(clip: surface.bounds)
        rasterizer.add(path)
        rasterizer.fill(rule, into: coverage)
    }

    /// Pieces of a live stroke, one by one.
    static func pieces(_ page: PixelSize) -> [Path] {
        var shapes = Shapes(seed: 1)
        return (0..<500).map { _ in Path(polygon: shapes.bentQuad(width: 2...6, length: 5...40, in: page)) }
    }

    /// Whole strokes across the page, with curves among them.
    static func strokes(_ page: PixelSize) -> [Path] {
        var shapes = Shapes(seed: 2)
        var paths = (0..<4).map { index in
            Path(
                polygon: Scribble(
                    &shapes, width: index < 2 ? 2...8 : 40...120, page: page, samples: 800, step: 5...12, bend: 0.2
                ).outline)
        }
        paths.append(shapes.curvedPath(contours: 3, in: -100...2000))
        return paths
    }
}
