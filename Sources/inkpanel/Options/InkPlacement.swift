// SPDX-License-Identifier: Apache-2.0
import Formats
import Geometry
import Ink
import Record

/// Where imported ink lies on a page in pixels.
struct InkPlacement {
    /// Around ink whose page is not known, in pixels.
    private static let margin = 20.0
    /// The longer side of a page for ink whose size nobody knows, in pixels: some words in the hand of an adult are
    /// 10 cm, at the standard density.
    private static let usualSide = 600.0

    /// May be larger than what can be drawn.
    let page: PixelSize
    private let scale: Double
    private let offset: Point

    /// - Parameters:
    ///   - size: the page; nil is all ink and a margin.
    ///   - density: of the page, for ink in millimetres.
    ///   - keepsPlace: the ink is not moved, and what has no size is not scaled.
    init(of ink: ImportedInk, size: PixelSize?, density: PixelDensity, keepsPlace: Bool) {
        var bounds = Rect.empty
        for sample in ink.strokes.joined() { bounds.include(sample.position) }
        // Written for any box, also that of no ink, which is inside out, and that of one sample.
        let (width, height) = (max(bounds.maxX - bounds.minX, 0), max(bounds.maxY - bounds.minY, 0))
        let isFitted = ink.unit == .arbitrary && !keepsPlace
        switch ink.unit {
        case .millimetres: scale = density.pixelsPerMillimetre
        case .arbitrary where isFitted:
            func room(_ side: Int?) -> Double { max((side.map(Double.init) ?? Self.usualSide) - 2 * Self.margin, 1) }
            let fitting = min(room(size?.width) / width, room(size?.height) / height)
            scale = fitting.isFinite ? fitting : 1
        case .arbitrary, .pixels: scale = 1
        }

        let scale = scale
        func shift(_ minimum: Double, _ length: Double, _ side: Int?) -> Double {
            let start = minimum * scale
            if keepsPlace || !start.isFinite { return 0 }
            if isFitted, let side { return (Double(side) - length * scale) / 2 - start }
            // A page that somebody asked for stays where it is.
            if side != nil { return 0 }
            switch ink.unit {
            case .arbitrary, .millimetres: return Self.margin - start
            // Only ink that left its page at the left or the top is moved.
            case .pixels: return start < 0 ? (Self.margin - start).rounded(.up) : 0
            }
        }
        let offset = Point(
            x: shift(bounds.minX, width, size?.width), y: shift(bounds.minY, height, size?.height))
        self.offset = offset
        // Without strokes the box is empty and the page is the margin alone.
        func side(_ maximum: Double, _ offset: Double) -> Int {
            Int(min(max(maximum * scale + offset, 0) + Self.margin, 1e9).rounded(.up))
        }
        page = size ?? PixelSize(width: side(bounds.maxX, offset.x), height: side(bounds.maxY, offset.y))
    }

    func apply(_ sample: Sample) -> Sample {
        var sample = sample
        sample.position = sample.position * scale + offset
        return sample
    }
}
