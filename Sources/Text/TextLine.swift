// SPDX-License-Identifier: Apache-2.0
import CPango
public import Geometry
public import Raster
import Synchronization

/// A short text on one line, shaped: letters joined, marks placed, and each script in its direction (Unicode's
/// bidirectional algorithm), by Pango.
///
/// Positions are whole pixels from the start of the base line at its left end, y down, so what is above the base line
/// has negative y.
public struct TextLine: ~Copyable {
    /// In Unicode scalars. With ``TextStyle/sizeRange`` it keeps a line within Pango's numbers.
    public static let maximumLength = 1024

    /// The pixels that may have ink; empty for a text without any.
    public let inkBounds: PixelRect
    /// The place that the line takes among others: as wide as the pen moves, as high as the font's lines.
    public let bounds: PixelRect
    /// So many characters are in no font and drawn as boxes.
    public let unknownGlyphCount: Int
    private let color: Color
    /// A PangoLayout, which keeps its context.
    private let layout: UnsafeMutableRawPointer

    /// - Parameters:
    ///   - text: line breaks and tabs become spaces, other control characters the replacement character.
    ///   - maximumWidth: in pixels; a longer text ends in an ellipsis, which may stick out when even that is too wide.
    ///     nil is any.
    /// - Throws: ``TextError/tooLong(scalarCount:)``.
    public init(
        _ text: String, style: TextStyle, maximumWidth: Int? = nil, fonts: borrowing Fonts
    ) throws(TextError) {
        let length = text.unicodeScalars.count
        guard length <= Self.maximumLength else { throw .tooLong(scalarCount: length) }
        let utf8 = Array(Self.printable(text).utf8CString)
        let width = maximumWidth.map { Self.units(Double($0), 0...1_000_000) } ?? -1
        let context = fonts.context
        var ink = PangoRectangle()
        var logical = PangoRectangle()
        var unknown: CInt = 0
        var made: UnsafeMutableRawPointer?
        Fonts.lock.withLock { _ in
            made = cpango_layout(
                context, utf8, CInt(utf8.count - 1), Self.printable(style.family), CInt(style.weight.rawValue),
                Self.units(style.size, TextStyle.sizeRange), width)
            cpango_extents(made, &ink, &logical)
            unknown = cpango_unknown_glyphs(made)
        }
        // GLib ends the program when memory runs out.
        layout = made!
        inkBounds = PixelRect(ink)
        bounds = PixelRect(logical)
        unknownGlyphCount = Int(unknown)
        color = style.color
    }

    deinit { Fonts.release(layout) }

    /// Blends the text over the pixels of a surface; what lies outside it is left out.
    /// - Parameters:
    ///   - x: where the line starts.
    ///   - baseline: the row below the feet of letters that have no descender.
    public func draw(on surface: Surface, x: Int, baseline: Int) {
        let limit = 1 << 24  // further away no line reaches the surface
        guard abs(x) < limit, abs(baseline) < limit else { return }
        let target = PixelRect(
            minX: inkBounds.minX + x, minY: inkBounds.minY + baseline, maxX: inkBounds.maxX + x,
            maxY: inkBounds.maxY + baseline
        ).intersection(surface.bounds)
        if target.isEmpty { return }
        let coverage = CoverageBuffer(bounds: target)
        let layout = layout
        coverage.withUnsafeMutableBytes { bytes in
            Fonts.lock.withLock { _ in
                cpango_render(
                    layout, bytes, UInt32(target.width), UInt32(target.height), CInt(x - target.minX),
                    CInt(baseline - target.minY))
            }
        }
        surface.blend(coverage, with: color)
    }

    /// In Pango's units, 1024 a pixel.
    private static func units(_ pixels: Double, _ range: ClosedRange<Double>) -> CInt {
        let clamped = pixels > range.lowerBound ? min(pixels, range.upperBound) : range.lowerBound
        return CInt((clamped * Double(PANGO_SCALE)).rounded())
    }

    /// As many scalars as the text has.
    static func printable(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where (0x09...0x0D).contains(scalar.value) || scalar.value == 0x85: result.append(" ")
            case .lineSeparator, .paragraphSeparator: result.append(" ")
            case .control: result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}

extension PixelRect {
    /// Negative sizes, which Pango has for lines beyond its numbers, are empty.
    fileprivate init(_ rectangle: PangoRectangle) {
        let (x, y) = (Int(rectangle.x), Int(rectangle.y))
        self.init(
            minX: x, minY: y, maxX: x + max(0, Int(rectangle.width)), maxY: y + max(0, Int(rectangle.height)))
    }
}
