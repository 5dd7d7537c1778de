// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

extension Drawing {
    /// The strokes on their paper, in the order they were drawn.
    func pixels() -> PixelBuffer {
        let buffer = PixelBuffer(unwritten: size)
        buffer.surface.fill(buffer.surface.bounds, with: background)
        var rasterizer = Rasterizer()
        for (stroke, run) in strokes.lazy.flatMap({ stroke in stroke.ink.runs.map { (stroke, $0) } }) {
            rasterizer.begin(clip: PixelRect(covering: run.bounds, within: buffer.surface.bounds))
            rasterizer.add(stroke.ink.outline, from: run.start, to: run.end)
            rasterizer.fill(.nonZero, with: color(of: run, in: stroke), into: buffer.surface)
        }
        return buffer
    }

    /// The strokes without paper: native words 0xAARRGGBB, not premultiplied, as PNG has them.
    func transparentPixels() -> PixelBuffer {
        let buffer = PixelBuffer(size: size)
        var rasterizer = Rasterizer()
        for (stroke, run) in strokes.lazy.flatMap({ stroke in stroke.ink.runs.map { (stroke, $0) } }) {
            let bounds = PixelRect(covering: run.bounds, within: buffer.surface.bounds)
            if bounds.isEmpty { continue }
            let coverage = CoverageBuffer(bounds: bounds)
            rasterizer.begin(clip: bounds)
            rasterizer.add(stroke.ink.outline, from: run.start, to: run.end)
            rasterizer.fill(.nonZero, into: coverage)
            let color = color(of: run, in: stroke)
            for y in bounds.minY..<bounds.maxY {
                let row = buffer.surface.row(y)
                for x in bounds.minX..<bounds.maxX where coverage[x, y] != 0 {
                    row[x] = Self.composited(color, coverage[x, y], over: row[x])
                }
            }
        }
        return buffer
    }

    /// Source over destination (T. Porter, T. Duff 1984), not premultiplied.
    private static func composited(_ color: Color, _ coverage: UInt8, over pixel: UInt32) -> UInt32 {
        // Both alphas in 255ths of 255ths, so that only the result is rounded.
        let own = Int(color.alpha) * Int(coverage)
        let other = Int(pixel >> 24) * (255 * 255 - own) / 255
        let sum = own + other
        guard sum > 0 else { return pixel }
        func channel(_ value: UInt8, _ shift: UInt32) -> UInt32 {
            let below = Int(pixel >> shift & 0xFF)
            return UInt32((Int(value) * own + below * other + sum / 2) / sum) << shift
        }
        let alpha = UInt32((sum + 127) / 255)
        return alpha << 24 | channel(color.red, 16) | channel(color.green, 8) | channel(color.blue, 0)
    }
}
