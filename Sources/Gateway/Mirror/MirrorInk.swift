// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

/// The ink of a page as it is mirrored: outlines only. Pressure and times, by which a signature could be forged, end
/// here: they shape the outlines and are not kept, except for those of the last end until the next stroke.
struct MirrorInk {
    /// Outlines are sent in units of 1/16 pixel: no eye sees that they differ from the panel's.
    static let unitsPerPixel = 16.0
    /// Strokes and bytes of outlines that are kept for followers that come later. A signature has a few kilobytes.
    private static let strokeLimit = 2000
    private static let byteLimit = 1 << 20
    /// The tolerance in pixels; half of a unit.
    private static let tolerance = 0.03

    private let pen: Pen
    private let density: PixelDensity
    private var wet: Wet?
    /// The thinned out end of the last finished stroke, for the next one.
    private var lastEnd: TaperedEnd?
    /// Outlines of the finished strokes, as in ``Change``.
    private(set) var strokes: [String] = []
    private var byteCount = 0

    private struct Wet {
        var model: any StrokeModel
        var ink = StrokeInk()
        /// The number of pieces whose outlines were sent.
        var toldPieces = 0
        /// The outline of the sent pieces.
        var outline = ""

        mutating func add(_ sample: Sample) { model.add(sample, to: &ink) }

        mutating func finish() { model.finish(&ink) }
    }

    /// The new part of the wet stroke. Outlines are SVG path data: closed contours in relative units, filled
    /// together with the non-zero rule.
    struct Change: Equatable {
        /// The outlines to add to the stroke.
        var final: String
        /// Replaces the tail before.
        var tail: String
    }

    init(pen: Pen, density: PixelDensity) {
        self.pen = pen
        self.density = density
    }

    /// Adds reports to the wet stroke, which begins with its first.
    mutating func add(_ samples: [Sample]) {
        var stroke = wet ?? Wet(model: pen.makeStroke(density: density, after: lastEnd))
        // Moved out and back, so that its memory has one owner.
        wet = nil
        for sample in samples { stroke.add(sample) }
        wet = stroke
    }

    /// - Returns: nil if there is no wet stroke.
    mutating func change() -> Change? {
        guard var stroke = wet else { return nil }
        wet = nil
        defer { wet = stroke }
        let dry = stroke.ink.dryPieceCount
        let final = Self.outline(of: stroke.ink, stroke.toldPieces..<dry)
        stroke.outline += final
        stroke.toldPieces = dry
        return Change(final: final, tail: Self.outline(of: stroke.ink, dry..<stroke.ink.pieces.count))
    }

    /// Ends the wet stroke.
    /// - Returns: its last outlines; nil without a wet stroke.
    mutating func finish() -> Change? {
        wet?.finish()
        guard let change = change(), let stroke = wet else { return nil }
        (wet, lastEnd) = (nil, stroke.model.taperedEnd)
        if strokes.count < Self.strokeLimit, byteCount + stroke.outline.utf8.count <= Self.byteLimit {
            strokes.append(stroke.outline)
            byteCount += stroke.outline.utf8.count
        }
        return change
    }

    /// Removes the wet stroke.
    mutating func cancel() { wet = nil }

    /// The sent outlines of the wet stroke, without its tail; nil without a wet stroke.
    var wetOutline: String? { wet?.outline }

    mutating func clear() {
        (wet, lastEnd) = (nil, nil)
        strokes = []
        byteCount = 0
    }

    private static func outline(of ink: StrokeInk, _ pieces: Range<Int>) -> String {
        guard !pieces.isEmpty else { return "" }
        var path = Path()
        path.append(ink.outline, from: ink.pieces[pieces.lowerBound].start, to: ink.pieces[pieces.upperBound - 1].end)
        return path.polygons(tolerance: tolerance).map(contour).joined()
    }

    /// `M x y l dx dy … z`, in whole units. Points that fall together are left out.
    private static func contour(_ polygon: [Point]) -> String {
        var text = ""
        var last: (x: Int, y: Int)?
        for point in polygon {
            let (x, y) = (unit(point.x), unit(point.y))
            if let last {
                if (x, y) == last { continue }
                text += "\(text.hasSuffix("l") || x < last.x ? "" : " ")\(x - last.x)"
                text += "\(y < last.y ? "" : " ")\(y - last.y)"
            } else {
                text = "M\(x) \(y)l"
            }
            last = (x, y)
        }
        return text.hasSuffix("l") ? text + "0 0z" : text + "z"
    }

    /// Clamped, because a device may report any number.
    private static func unit(_ value: Double) -> Int { Int(max(-1e6, min(1e6, value * unitsPerPixel)).rounded()) }
}
