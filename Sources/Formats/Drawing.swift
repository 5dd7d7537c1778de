// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Ink
public import Raster

/// Finished strokes on a page: what every exporter takes.
public struct Drawing: Sendable {
    /// What is kept of the outlines of long strokes, in bytes; what is beyond it is modelled again when it is drawn.
    /// Some 50,000 samples; a signature's are a fiftieth of that.
    static let keptByteCount = 12 << 20

    public var size: PixelSize
    public var background: Color
    public var color: Color
    public private(set) var strokes: [Stroke]

    /// A stroke in a colour of its own, or else that of the drawing.
    public struct Stroke: Sendable {
        private let parts: InkParts
        fileprivate var keptByteCount: Int { parts.byteCount }
        private let scale: Double
        private let offset: Point
        public var color: Color?

        public init(_ ink: StrokeInk, color: Color? = nil) { self.init(InkParts(ink), color: color) }

        /// - Parameters:
        ///   - scale: from the pixels of `parts` to those of the drawing.
        ///   - offset: then.
        init(_ parts: InkParts, scale: Double = 1, then offset: Point = .zero, color: Color? = nil) {
            self.parts = parts
            self.scale = scale
            self.offset = offset
            self.color = color
        }

        /// All of it, which may be large.
        public var ink: StrokeInk { placed(parts.whole) }

        /// Calls `body` with one part after the other, each of which is gone before the next is made.
        func forEachPart(_ body: (InkPart) -> Void) {
            parts.forEach { body(InkPart(ink: placed($0.ink), sharedCount: $0.sharedCount)) }
        }

        private func placed(_ ink: StrokeInk) -> StrokeInk {
            scale == 1 && offset == .zero ? ink : ink.scaled(scale, then: offset)
        }
    }

    /// - Parameter strokes: in the drawing's colour.
    public init(size: PixelSize, background: Color = .white, color: Color = .black, strokes: [StrokeInk] = []) {
        self.size = size
        self.background = background
        self.color = color
        self.strokes = strokes.map { Stroke($0) }
    }

    /// Draws a stroke over the others.
    public mutating func add(_ ink: StrokeInk, color: Color? = nil) { add(Stroke(ink, color: color)) }

    /// Draws a stroke over the others.
    /// - Parameters:
    ///   - samples: in pixels of the drawing.
    ///   - density: of the drawing, for the pen.
    public mutating func add(
        _ samples: [Sample], pen: Pen, density: PixelDensity, color: Color? = nil
    ) {
        let source = StrokeSamples(count: samples.count) { samples[$0] }
        add(Stroke(
            InkParts(of: source, pen: pen, density: density, byteLimit: Self.keptByteCount - keptByteCount),
            color: color))
    }

    mutating func add(_ stroke: Stroke) {
        keptByteCount += stroke.keptByteCount
        strokes.append(stroke)
    }

    private var keptByteCount = 0

    /// What a run of a stroke is filled with.
    func color(of run: StrokeInk.Run, in stroke: Stroke) -> Color {
        let color = stroke.color ?? color
        return run.tone.map { color.mixed(with: background, $0.paperShare) } ?? color
    }
}
