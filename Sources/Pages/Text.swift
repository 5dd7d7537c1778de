// SPDX-License-Identifier: Apache-2.0
import CPango
public import Geometry
public import Raster
import Synchronization

/// A short text on one line, shaped by Pango: letters joined, marks placed, each script in its direction.
///
/// Positions are whole pixels from the left end of the baseline, y down, so that y is negative above the baseline.
public struct TextLine: ~Copyable {
    /// Length in Unicode scalars. With ``TextStyle/sizeRange`` it keeps lines within Pango's numbers.
    public static let maximumLength = 1024

    /// The pixels that may have ink; may be empty.
    public let inkBounds: PixelRect
    /// The logical extents: as wide as the advance, as high as lines of the font.
    public let bounds: PixelRect
    /// Number of characters that no font has, drawn as boxes.
    public let unknownGlyphCount: Int
    private let color: Color
    /// A PangoLayout, which retains its context.
    private let layout: UnsafeMutableRawPointer

    /// - Parameters:
    ///   - text: line breaks and tabs become spaces, other control characters the replacement character.
    ///   - maximumWidth: in pixels; a longer text ends in an ellipsis, even if that is too wide, too. nil for no limit.
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
        // GLib aborts if memory runs out.
        layout = made!
        inkBounds = PixelRect(ink)
        bounds = PixelRect(logical)
        unknownGlyphCount = Int(unknown)
        color = style.color
    }

    deinit { Fonts.release(layout) }

    /// Blends the text over a surface, clipped to it.
    /// - Parameters:
    ///   - x: start of the line.
    ///   - baseline: the row below letters without descender.
    public func draw(on surface: Surface, x: Int, baseline: Int) {
        let limit = 1 << 24  // No line is that long.
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

    /// Converts to Pango units, 1024 a pixel.
    private static func units(_ pixels: Double, _ range: ClosedRange<Double>) -> CInt {
        let clamped = pixels > range.lowerBound ? min(pixels, range.upperBound) : range.lowerBound
        return CInt((clamped * Double(PANGO_SCALE)).rounded())
    }

    /// Replaces control characters. Keeps the number of scalars.
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

/// The look of text.
public struct TextStyle: Equatable, Sendable {
    public enum Weight: Int, Sendable {
        case regular = 400
        case bold = 700
    }

    /// Other sizes are clamped to this range.
    public static let sizeRange = 1.0...512.0

    /// Families for fontconfig, separated by commas. Other fonts fill in missing characters.
    public var family: String
    /// Size of the em in pixels, in ``sizeRange``.
    public var size: Double
    public var weight: Weight
    public var color: Color

    public init(size: Double, family: String = "sans", weight: Weight = .regular, color: Color = .black) {
        self.size = size
        self.family = family
        self.weight = weight
        self.color = color
    }
}

/// The fonts that fontconfig finds. Finding them takes tens of milliseconds, so create one value and keep it.
///
/// Any thread. One lock serializes all calls of Pango in the process: with two threads at once, each with its own fonts,
/// Pango 1.50 omitted glyphs.
public struct Fonts: ~Copyable {
    /// A PangoContext.
    let context: UnsafeMutableRawPointer
    /// Protects the caches of Pango, FreeType and fontconfig.
    static let lock = Mutex(())

    /// - Throws: ``TextError/noFonts``.
    public init() throws(TextError) {
        guard let context = Self.lock.withLock({ _ in cpango_context() }) else { throw .noFonts }
        self.context = context
    }

    deinit { Self.release(context) }

    /// Releases a Pango object. Swift 6.0 crashes on a closure in the deinit of a move-only value.
    static func release(_ object: UnsafeMutableRawPointer) {
        lock.withLock { _ in cpango_release(object) }
    }
}

/// Why text cannot be drawn.
public enum TextError: Error, Equatable {
    /// fontconfig finds no font.
    case noFonts
    /// More than ``TextLine/maximumLength`` characters.
    case tooLong(scalarCount: Int)
}

extension TextError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noFonts: "there is no font; install one, such as the package fonts-dejavu-core"
        case .tooLong(let count):
            "a text of \(count) characters is too long for a line, which has \(TextLine.maximumLength) at most"
        }
    }
}

/// Possible line breaks by Unicode's line breaking algorithm (UAX #14), as Pango implements it.
public enum LineBreaks {
    /// The text, cut at each possible break. Spaces are at the ends of pieces.
    public static func pieces(of text: String) -> [String] {
        // Has as many scalars as the text, but no NUL, at which Pango would stop.
        let printable = TextLine.printable(text)
        let count = printable.unicodeScalars.count
        if count == 0 { return [] }
        // One more for the end of the text.
        var breaks = [UInt8](repeating: 0, count: count + 1)
        let utf8 = Array(printable.utf8CString)
        Fonts.lock.withLock { _ in cpango_line_breaks(utf8, CInt(utf8.count - 1), &breaks, CInt(breaks.count)) }
        var pieces: [String] = []
        var piece = String.UnicodeScalarView()
        for (index, scalar) in text.unicodeScalars.enumerated() {
            if breaks[index] != 0, !piece.isEmpty {
                pieces.append(String(piece))
                piece = String.UnicodeScalarView()
            }
            piece.append(scalar)
        }
        return pieces + [String(piece)]
    }
}

extension PixelRect {
    /// Negative sizes, which Pango returns on overflow, become empty.
    fileprivate init(_ rectangle: PangoRectangle) {
        let (x, y) = (Int(rectangle.x), Int(rectangle.y))
        self.init(
            minX: x, minY: y, maxX: x + max(0, Int(rectangle.width)), maxY: y + max(0, Int(rectangle.height)))
    }
}
