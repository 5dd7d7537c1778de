// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
public import Raster

extension Drawing {
    /// The strokes on their paper, in the order they were drawn.
    public func pixels() -> PixelBuffer {
        let buffer = PixelBuffer(unwritten: size)
        buffer.surface.fill(buffer.surface.bounds, with: background)
        var painter = InkPainter(buffer.surface, isTransparent: false)
        for stroke in strokes { painter.paint(stroke, of: self) }
        return buffer
    }

    /// The strokes without paper: native words 0xAARRGGBB, not premultiplied, as PNG has them.
    func transparentPixels() -> PixelBuffer {
        let buffer = PixelBuffer(size: size)
        var painter = InkPainter(buffer.surface, isTransparent: true)
        for stroke in strokes { painter.paint(stroke, of: self) }
        return buffer
    }
}

/// Paints strokes run after run. A run that comes in several parts is put together in a mask, because translucent ink
/// must not be laid on twice.
private struct InkPainter: ~Copyable {
    private let surface: Surface
    private let isTransparent: Bool
    private var rasterizer = Rasterizer()
    /// Of the run that the last part ended with and that the next one goes on with.
    private var mask: InkMask?

    init(_ surface: Surface, isTransparent: Bool) {
        self.surface = surface
        self.isTransparent = isTransparent
    }

    mutating func paint(_ stroke: Drawing.Stroke, of drawing: Drawing) {
        // Only with the part after it is it known whether the last run of a part ends.
        var waiting: InkPart?
        stroke.forEachPart { part in
            if let before = waiting { paint(before, isContinued: part.sharedCount > 0, stroke, of: drawing) }
            waiting = part
        }
        if let last = waiting { paint(last, isContinued: false, stroke, of: drawing) }
    }

    private mutating func paint(
        _ part: InkPart, isContinued: Bool, _ stroke: Drawing.Stroke, of drawing: Drawing
    ) {
        let (ink, runs) = (part.ink, part.ink.runs)
        var end = 0
        for (number, run) in runs.enumerated() {
            let first = end
            while end < ink.pieces.count, ink.pieces[end].run == number { end += 1 }
            let goesOn = isContinued && number == runs.count - 1
            let color = drawing.color(of: run, in: stroke)
            if maskIsEmpty, !goesOn {
                fill(run, of: ink, color)
            } else {
                var mask = self.mask.take() ?? InkMask(bounds: surface.bounds)
                mask.add(first..<end, of: ink, with: &rasterizer)
                if goesOn { self.mask = consume mask } else { mask.withCoverage { lay($0, color) } }
            }
        }
    }

    private var maskIsEmpty: Bool {
        switch mask {
        case .none: true
        case .some: false
        }
    }

    private mutating func fill(_ run: StrokeInk.Run, of ink: StrokeInk, _ color: Color) {
        let bounds = PixelRect(covering: run.bounds, within: surface.bounds)
        if bounds.isEmpty { return }
        rasterizer.begin(clip: bounds)
        rasterizer.add(ink.outline, from: run.start, to: run.end)
        if isTransparent {
            let coverage = CoverageBuffer(bounds: bounds)
            rasterizer.fill(.nonZero, into: coverage)
            lay(coverage, color)
        } else {
            rasterizer.fill(.nonZero, with: color, into: surface)
        }
    }

    private func lay(_ coverage: borrowing CoverageBuffer, _ color: Color) {
        if !isTransparent { return surface.blend(coverage, with: color) }
        let bounds = coverage.bounds
        for y in bounds.minY..<bounds.maxY {
            let row = surface.row(y)
            for x in bounds.minX..<bounds.maxX where coverage[x, y] != 0 {
                row[x] = Self.composited(color, coverage[x, y], over: row[x])
            }
        }
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
