// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport

extension PixelRect {
    init(_ minX: Int, _ minY: Int, _ maxX: Int, _ maxY: Int) {
        self.init(minX: minX, minY: minY, maxX: maxX, maxY: maxY)
    }
}

/// The coverage of a path, from a new rasterizer.
func coverage(of path: Path, _ rule: FillRule = .nonZero, clip: PixelRect) -> [UInt8] {
    var rasterizer = Rasterizer()
    return coverage(of: [path], rule, clip: clip, with: &rasterizer)
}

/// The coverage of paths in one fill.
func coverage(
    of paths: [Path], _ rule: FillRule = .nonZero, clip: PixelRect, with rasterizer: inout Rasterizer
) -> [UInt8] {
    let buffer = CoverageBuffer(bounds: clip)
    rasterizer.begin(clip: clip)
    for path in paths { rasterizer.add(path) }
    rasterizer.fill(rule, into: buffer)
    return buffer.bytes
}

/// Cuts `part` out of the bytes of `whole`.
func crop(_ bytes: [UInt8], of whole: PixelRect, to part: PixelRect) -> [UInt8] {
    var result: [UInt8] = []
    for y in part.minY..<max(part.minY, part.maxY) {
        let row = (y - whole.minY) * whole.width - whole.minX
        result += bytes[(row + part.minX)..<(row + part.maxX)]
    }
    return result
}

/// Fills a surface with random pixels, X bytes included.
func mottle(_ surface: Surface, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for y in 0..<surface.size.height {
        for x in 0..<surface.size.width { surface.row(y)[x] = UInt32(truncatingIfNeeded: random.next()) }
    }
}

extension Rasterizer {
    /// One fill of one path.
    mutating func draw(_ path: Path, _ rule: FillRule, with color: Color, into surface: Surface, clip: PixelRect) {
        begin(clip: clip)
        add(path)
        fill(rule, with: color, into: surface)
    }
}
