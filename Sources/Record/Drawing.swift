// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Ink
public import Raster

/// Finished strokes on a page: what every exporter takes.
public struct Drawing: Sendable {
    public var size: PixelSize
    public var background: Color
    public var color: Color
    public private(set) var strokes: [Stroke]

    /// A stroke in a colour of its own, or else that of the drawing.
    public struct Stroke: Sendable {
        public var ink: StrokeInk
        public var color: Color?

        public init(_ ink: StrokeInk, color: Color? = nil) {
            self.ink = ink
            self.color = color
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
    public mutating func add(_ ink: StrokeInk, color: Color? = nil) { strokes.append(Stroke(ink, color: color)) }

    /// What a run of a stroke is filled with.
    func color(of run: StrokeInk.Run, in stroke: Stroke) -> Color {
        let color = stroke.color ?? color
        return run.tone.map { color.mixed(with: background, $0.paperShare) } ?? color
    }
}
