// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Pad
import Raster

/// Ink that people have accepted, modelled once, and as it is in one size.
struct SignedInkShapes: ~Copyable {
    /// A page of a document has a few fields; a zoom needs each in many sizes one after the other.
    private static let limit = 64
    /// The most pixels of ink in one size.
    private static let largestArea = 1 << 24

    private final class Shape {
        let ink: SignedInk
        /// The shapes in the order in which they are filled.
        let layers: [(color: Color, path: Path)]
        let bounds: Rect
        var drawn: Drawn?
        var lastUse = 0

        init(_ ink: SignedInk) {
            self.ink = ink
            var layers: [(color: Color, path: Path)] = []
            var trail: StrokeTrail?
            for stroke in ink.strokes {
                var model = ink.pen.makeStroke(density: ink.density, after: trail)
                var shape = StrokeInk()
                for (index, sample) in stroke.enumerated() {
                    if index + 1 < stroke.count {
                        model.add(followed: sample, to: &shape)
                    } else {
                        model.add(sample, to: &shape)
                    }
                }
                model.finish(&shape)
                trail = model.trail
                for run in shape.runs {
                    // The colour on white paper, because the signed document has no transparency.
                    let share = 1 - Double(ink.color.alpha) / 255
                    var color = ink.color.mixed(with: .white, share)
                    color.alpha = 255
                    if let tone = run.tone { color = color.mixed(with: .white, tone.paperShare) }
                    // All contours turn the same way, so that those of one colour may be one shape.
                    if layers.last?.color != color { layers.append((color, Path())) }
                    layers[layers.count - 1].path.append(shape.outline, from: run.start, to: run.end)
                }
            }
            self.layers = layers
            bounds = layers.reduce(.empty) { $0.union($1.path.bounds) }
        }
    }

    /// The coverage of the layers in one size, from 0, 0.
    private final class Drawn {
        let size: PixelSize
        let scale: Double
        let layers: [Layer]

        init(_ shape: Shape, scale: Double, with rasterizer: inout Rasterizer) {
            let bounds = shape.bounds
            self.scale = scale
            let whole = Rect(minX: 0, minY: 0, maxX: bounds.width * scale, maxY: bounds.height * scale)
            let limit = PixelRect(minX: 0, minY: 0, maxX: 1 << 16, maxY: 1 << 16)
            let pixels = PixelRect(covering: whole, within: limit)
            size = PixelSize(width: pixels.width, height: pixels.height)
            var path = Path()
            var layers: [Layer] = []
            for layer in shape.layers {
                path.truncate(to: .start)
                path.append(layer.path) {
                    Point(x: ($0.x - bounds.minX) * scale, y: ($0.y - bounds.minY) * scale)
                }
                let target = PixelRect(covering: path.bounds, within: pixels)
                if target.isEmpty { continue }
                let coverage = CoverageBuffer(bounds: target)
                rasterizer.begin(clip: target)
                rasterizer.add(path)
                rasterizer.fill(.nonZero, into: coverage)
                layers.append(Layer(color: layer.color, coverage: coverage))
            }
            self.layers = layers
        }
    }

    private final class Layer {
        let color: Color
        let coverage: CoverageBuffer

        init(color: Color, coverage: consuming CoverageBuffer) {
            self.color = color
            self.coverage = coverage
        }
    }

    private var shapes: [ObjectIdentifier: Shape] = [:]
    private var useCount = 0

    /// Draws ink in the middle of its field: as large as the field lets it, but never larger than life.
    /// - Parameters:
    ///   - pixelsPerPoint: those of the document on the screen; nil if unknown.
    ///   - clip: the only pixels that change.
    mutating func draw(
        _ ink: SignedInk, in place: Rect, pixelsPerPoint: Double?, within clip: PixelRect, of surface: Surface,
        with rasterizer: inout Rasterizer
    ) {
        let shape = shape(of: ink)
        let bounds = shape.bounds
        guard !shape.layers.isEmpty, !place.isEmpty else { return }
        // A line without width or height has a size, too.
        let (width, height) = (max(bounds.maxX - bounds.minX, 0.01), max(bounds.maxY - bounds.minY, 0.01))
        var scale = min(place.width / width, place.height / height)
        if let pixelsPerPoint { scale = min(scale, pixelsPerPoint * 72 / ink.density.dotsPerInch) }
        scale = min(scale, (Double(Self.largestArea) / (width * height)).squareRoot())
        guard scale.isFinite, scale > 0 else { return }
        let drawn: Drawn
        if let last = shape.drawn, last.scale == scale {
            drawn = last
        } else {
            drawn = Drawn(shape, scale: scale, with: &rasterizer)
            shape.drawn = drawn
        }
        let x = Int(((place.minX + place.maxX - width * scale) / 2).rounded()) - clip.minX
        let y = Int(((place.minY + place.maxY - height * scale) / 2).rounded()) - clip.minY
        let part = surface.part(clip)
        for layer in drawn.layers { part.blend(layer.coverage, with: layer.color, movedBy: x, y) }
    }

    /// Forgets all ink.
    mutating func removeAll() { shapes = [:] }

    private mutating func shape(of ink: SignedInk) -> Shape {
        useCount += 1
        let key = ObjectIdentifier(ink)
        if let shape = shapes[key] {
            shape.lastUse = useCount
            return shape
        }
        if shapes.count >= Self.limit, let oldest = shapes.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            shapes[oldest.key] = nil
        }
        let shape = Shape(ink)
        shape.lastUse = useCount
        shapes[key] = shape
        return shape
    }
}
