// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Ink
public import Raster

/// Finished strokes on a page, for all picture encoders.
public struct Drawing: Sendable {
    /// The size of the outlines that are kept, in bytes; the rest is modelled again for each use. Enough for 50,000
    /// samples, 50 times a signature.
    static let keptByteCount = 12 << 20

    public var size: PixelSize
    public var background: Color
    public var color: Color
    public private(set) var strokes: [Stroke]
    private var keptByteCount = 0
    private var trail: StrokeTrail?

    /// A stroke in its own colour, or in that of the drawing.
    public struct Stroke: Sendable {
        private let parts: InkParts
        fileprivate var keptByteCount: Int { parts.byteCount }
        private let scale: Double
        private let offset: Point
        public var color: Color?

        public init(_ ink: StrokeInk, color: Color? = nil) { self.init(InkParts(ink), color: color) }

        /// - Parameters:
        ///   - scale: from the pixels of `parts` to those of the drawing.
        ///   - offset: added after scaling.
        init(_ parts: InkParts, scale: Double = 1, then offset: Point = .zero, color: Color? = nil) {
            self.parts = parts
            self.scale = scale
            self.offset = offset
            self.color = color
        }

        /// The whole stroke, which may be large.
        public var ink: StrokeInk { placed(parts.whole) }

        /// Calls `body` with one part after the other. Only one is in memory at a time.
        func forEachPart(_ body: (InkPart) -> Void) {
            parts.forEachPart { body(InkPart(ink: placed($0.ink), sharedCount: $0.sharedCount)) }
        }

        /// The same, until `body` returns false.
        func whileTrue(_ body: (InkPart) -> Bool) {
            parts.whileTrue { body(InkPart(ink: placed($0.ink), sharedCount: $0.sharedCount)) }
        }

        private func placed(_ ink: StrokeInk) -> StrokeInk {
            scale == 1 && offset == .zero ? ink : ink.scaled(scale, then: offset)
        }
    }

    /// - Parameter strokes: drawn in `color`.
    public init(size: PixelSize, background: Color = .white, color: Color = .black, strokes: [StrokeInk] = []) {
        self.size = size
        self.background = background
        self.color = color
        self.strokes = strokes.map { Stroke($0) }
    }

    /// Adds a stroke over the others.
    public mutating func add(_ ink: StrokeInk, color: Color? = nil) { add(Stroke(ink, color: color)) }

    /// Adds a stroke over the others.
    /// - Parameters:
    ///   - samples: in pixels of the drawing.
    ///   - density: the drawing's, for the width of the pen.
    ///   - continues: whether the stroke may continue the one that was added so before. False if their times do not
    ///     count from the same moment.
    public mutating func add(
        _ samples: [Sample], pen: Pen, density: PixelDensity, color: Color? = nil, continues: Bool = true
    ) {
        let source = StrokeSamples(count: samples.count) { samples[$0] }
        let parts = InkParts(
            of: source, pen: pen, density: density, after: continues ? trail : nil,
            byteLimit: Self.keptByteCount - keptByteCount)
        trail = parts.trail
        add(Stroke(parts, color: color))
    }

    mutating func add(_ stroke: Stroke) {
        keptByteCount += stroke.keptByteCount
        strokes.append(stroke)
    }

    func color(of run: StrokeInk.Run, in stroke: Stroke) -> Color {
        let color = stroke.color ?? color
        return run.tone.map { color.mixed(with: background, $0.paperShare) } ?? color
    }
}

extension Drawing {
    /// A pixel without ink of a transparent picture: the paper with alpha 0. Readers that drop alpha then show ink on
    /// paper, as in the opaque picture.
    public var clearPixel: UInt32 { background.xrgb8888 & 0xFF_FFFF }

    /// Draws the strokes on their paper.
    /// - Parameter isTransparent: without paper: native words 0xAARRGGBB, not premultiplied, as in PNG.
    public func pixels(isTransparent: Bool = false) -> PixelBuffer {
        let buffer = PixelBuffer(unwritten: size)
        if isTransparent {
            for y in 0..<size.height { buffer.surface.row(y).update(repeating: clearPixel, count: size.width) }
        } else {
            buffer.surface.fill(buffer.surface.bounds, with: background)
        }
        var painter = InkPainter(buffer.surface, isTransparent: isTransparent)
        for stroke in strokes { painter.paint(stroke, of: self) }
        return buffer
    }
}

/// Paints strokes run by run. A run in several parts is collected in a mask first, because translucent ink must not be
/// applied twice.
private struct InkPainter: ~Copyable {
    private let surface: Surface
    private let isTransparent: Bool
    private var rasterizer = Rasterizer()
    /// The mask of a run that continues in the next part.
    private var mask: InkMask?

    init(_ surface: Surface, isTransparent: Bool) {
        self.surface = surface
        self.isTransparent = isTransparent
    }

    mutating func paint(_ stroke: Drawing.Stroke, of drawing: Drawing) {
        // The next part tells whether the last run of a part is complete.
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
        // Alphas in units of 1/255², so that only the result is rounded.
        let own = Int(color.alpha) * Int(coverage)
        let other = Int(pixel >> 24) * (255 * 255 - own) / 255
        let sum = own + other
        let alpha = UInt32((sum + 127) / 255)
        // A pixel whose alpha rounds to 0 stays clear.
        guard alpha > 0 else { return pixel }
        func channel(_ value: UInt8, _ shift: UInt32) -> UInt32 {
            let below = Int(pixel >> shift & 0xFF)
            return UInt32((Int(value) * own + below * other + sum / 2) / sum) << shift
        }
        return alpha << 24 | channel(color.red, 16) | channel(color.green, 8) | channel(color.blue, 0)
    }
}
