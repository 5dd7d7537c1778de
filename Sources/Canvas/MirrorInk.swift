// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Ink

/// The ink of a page as it is mirrored: outlines only. Pressure and times, by which a signature could be forged, end
/// here: they shape the outlines and are not kept, except for those of the last end until the next stroke.
///
/// Outlines are SVG path data in units of 1/16 pixel: closed contours with relative coordinates, filled together with
/// the non-zero rule. No eye sees that they differ from the screen's.
public struct MirrorInk: Sendable {
    private static let unitsPerPixel = 16.0
    /// Bytes of outlines of a sheet, beyond which no ink is mirrored: undo makes the outlines that are left anew. A
    /// signature has a few kilobytes.
    private static let byteLimit = 1 << 20
    /// The tolerance in pixels; half of a unit.
    private static let tolerance = 0.03

    private let pen: Pen
    private let density: PixelDensity
    private var wet: Wet?
    /// The trail that the last finished stroke left to the next one.
    private var trail: StrokeTrail?
    private var byteCount = 0

    private struct Wet {
        var model: any StrokeModel
        var ink = StrokeInk()
        /// The number of pieces whose outlines were handed out.
        var finalPieceCount = 0

        mutating func add(_ samples: some Collection<Sample>) {
            // Only the last tail is looked at.
            for sample in samples.dropLast() { model.add(followed: sample, to: &ink) }
            for sample in samples.suffix(1) { model.add(sample, to: &ink) }
        }

        mutating func finish() { model.finish(&ink) }
    }

    /// The new part of the wet stroke.
    public struct Change: Equatable, Sendable {
        /// The outlines to add to the stroke.
        public var final: String
        /// Replaces the tail before.
        public var tail: String
    }

    public init(pen: Pen, density: PixelDensity) {
        self.pen = pen
        self.density = density
    }

    /// Adds reports to the wet stroke, which begins with its first.
    public mutating func add(_ samples: [Sample]) {
        if byteCount > Self.byteLimit { return }
        var stroke = wet ?? Wet(model: pen.makeStroke(density: density, after: trail))
        // Moved out and back, so that appending does not copy.
        wet = nil
        stroke.add(samples)
        wet = stroke
    }

    /// The part of the wet stroke that is new since the last call.
    /// - Returns: nil if there is no wet stroke.
    public mutating func change() -> Change? {
        guard var stroke = wet else { return nil }
        wet = nil
        defer { wet = stroke }
        let dry = stroke.ink.dryPieceCount
        let final = Self.outline(of: stroke.ink, stroke.finalPieceCount..<dry)
        stroke.finalPieceCount = dry
        byteCount += final.utf8.count
        return Change(final: final, tail: Self.outline(of: stroke.ink, dry..<stroke.ink.pieces.count))
    }

    /// Ends the wet stroke.
    /// - Returns: its last outlines; nil without a wet stroke.
    public mutating func finish() -> String? {
        wet?.finish()
        guard let change = change(), let stroke = wet else { return nil }
        (wet, trail) = (nil, stroke.model.trail)
        return change.final
    }

    /// Removes the wet stroke.
    public mutating func cancel() { wet = nil }

    /// Begins a sheet without ink.
    public mutating func clear() { (wet, trail, byteCount) = (nil, nil, 0) }

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
