// SPDX-License-Identifier: Apache-2.0
import CPango
public import Geometry
import HostAPI
public import Pad
public import Raster
import Synchronization

/// A text, shaped and wrapped by Pango: letters joined, marks placed, each script in its direction.
///
/// Line feeds end lines. Positions are whole pixels from the text's upper left corner, y down.
public struct TextBlock: ~Copyable {
    /// Length in Unicode scalars.
    public static let maximumLength = 16_384
    /// Ems in pixels; others are clamped to this range, and to ``longestLine`` divided by the length of the text.
    public static let sizeRange = 1.0...512.0
    /// The ems of a text on one line, in pixels. The widths of some characters are several ems, and Pango's numbers end
    /// at two million pixels.
    private static let longestLine = 524_288.0
    /// The widest line, in pixels.
    private static let widest = 1 << 20

    /// The logical extents: as wide as the widest line, as high as the lines of the font.
    public let size: PixelSize
    /// The pixels that may have ink; may be empty.
    public let inkBounds: PixelRect
    public let lineCount: Int
    /// The distance from the top to the baseline of the first line.
    public let baseline: Int
    /// Whether a line ends within a word.
    public let breaksWords: Bool
    /// A PangoLayout, which retains its context.
    private let layout: UnsafeMutableRawPointer

    /// - Parameters:
    ///   - text: tabs become spaces, other control characters the replacement character.
    ///   - width: the width of the lines in pixels; nil wraps only at line feeds and puts all lines at the left.
    ///   - height: the height in pixels after which the text ends in an ellipsis; nil for no limit.
    ///   - alignment: where lines are within `width`: at the left, in the middle or at the right.
    /// - Throws: ``TextError/tooLong(scalarCount:)``.
    public init(
        _ text: String, style: TextStyle, width: Int? = nil, height: Int? = nil, alignment: Alignment = .left,
        fonts: borrowing Fonts
    ) throws(TextError) {
        let length = text.unicodeScalars.count
        guard length <= Self.maximumLength else { throw .tooLong(scalarCount: length) }
        let utf8 = Array(PhraseBreaks.joined(Self.printable(text)).utf8CString)
        let context = fonts.context
        let units = (
            size: Self.units(min(style.em, Self.longestLine / Double(max(1, length))), Self.sizeRange),
            width: Self.units(Double(width ?? Self.widest), 1...Double(Self.widest)),
            height: height.map { Self.units(Double($0), 1...1e6) } ?? 0
        )
        var (ink, logical) = (PangoRectangle(), PangoRectangle())
        var (lines, base, breaks): (CInt, CInt, CInt) = (0, 0, 0)
        var made: UnsafeMutableRawPointer?
        Fonts.lock.withLock { _ in
            made = cpango_layout(
                context, utf8, CInt(utf8.count - 1), style.face.families, style.features, CInt(style.weight.rawValue),
                units.size, units.width, units.height, width == nil ? 0 : CInt(alignment.rawValue),
                Float(PageDesign.lineSpacing))
            cpango_extents(made, &ink, &logical)
            lines = cpango_line_count(made)
            base = cpango_baseline(made)
            breaks = cpango_breaks_words(made)
        }
        // GLib aborts if memory runs out.
        layout = made!
        inkBounds = PixelRect(ink)
        let bounds = PixelRect(logical)
        size = PixelSize(width: bounds.width, height: bounds.height)
        lineCount = Int(lines)
        baseline = Int(base)
        breaksWords = breaks != 0
    }

    public enum Alignment: Int, Sendable {
        case left, center, right
    }

    deinit { Fonts.release(layout) }

    /// The lines, without the control characters of the text.
    var lines: [TextLine] {
        let layout = layout
        var ends = [CInt](repeating: 0, count: lineCount)
        var allowed = [UInt8](repeating: 0, count: lineCount)
        let text = ends.withUnsafeMutableBufferPointer { ends in
            allowed.withUnsafeMutableBufferPointer { allowed in
                Fonts.lock.withLock { _ in
                    _ = cpango_line_ends(layout, ends.baseAddress, allowed.baseAddress, CInt(ends.count))
                    return String(cString: cpango_text(layout))
                }
            }
        }
        let bytes = Array(text.utf8)
        let starts = [0] + ends.dropLast().map { Int($0) }
        return zip(starts, zip(ends, allowed)).map { start, line in
            let scalars = String(decoding: bytes[start..<Int(line.0)], as: UTF8.self).unicodeScalars
            let isWhole = line.1 != 0 && scalars.last?.value != 0xAD
            return TextLine(PhraseBreaks.separated(scalars), isWhole: isWhole)
        }
    }

    /// The fonts that the text is drawn with, such as `Inter Regular 3.019`.
    var fontNames: Set<String> {
        var names: Set<String> = []
        var name = [CChar](repeating: 0, count: 256)
        let layout = layout
        for number in 0... {
            let isRun = Fonts.lock.withLock { _ in cpango_font_of_run(layout, CInt(number), &name, name.count) != 0 }
            if !isRun { break }
            names.insert(String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return names
    }

    /// Visible characters that no font has, or that a font has without ink, each once, in order of their numbers.
    package var missingCharacters: [Unicode.Scalar] {
        var values = [UInt32](repeating: 0, count: Self.maximumLength)
        let layout = layout
        let count = values.withUnsafeMutableBufferPointer { buffer in
            Fonts.lock.withLock { _ in cpango_missing(layout, buffer.baseAddress, CInt(buffer.count)) }
        }
        let scalars = values.prefix(Int(count)).compactMap { value in
            let scalar = Unicode.Scalar(value & ~CPANGO_NO_INK)
            return value & CPANGO_NO_INK == 0 || scalar?.isVisible == true ? scalar : nil
        }
        return Set(scalars).sorted()
    }

    /// Blends the text over a surface, clipped to it.
    /// - Parameters:
    ///   - x: the left side of the lines.
    ///   - y: the top of the first line.
    public func draw(on surface: Surface, x: Int, y: Int, color: Color) {
        let limit = 1 << 24  // No line is that long.
        guard abs(x) < limit, abs(y) < limit else { return }
        let target = PixelRect(
            minX: inkBounds.minX + x, minY: inkBounds.minY + y, maxX: inkBounds.maxX + x, maxY: inkBounds.maxY + y
        ).intersection(surface.bounds)
        if target.isEmpty { return }
        surface.blend(coverage(of: target, x: x, y: y), with: color)
    }

    /// The coverage of the text, whose upper left corner is at 0, 0.
    /// - Parameter bounds: the only pixels that it may have.
    func coverage(within bounds: PixelRect) -> CoverageBuffer {
        coverage(of: inkBounds.intersection(bounds), x: 0, y: 0)
    }

    private func coverage(of target: PixelRect, x: Int, y: Int) -> CoverageBuffer {
        let coverage = CoverageBuffer(bounds: target)
        if target.isEmpty { return coverage }
        let layout = layout
        coverage.withUnsafeMutableBytes { bytes in
            Fonts.lock.withLock { _ in
                cpango_render(
                    layout, bytes, UInt32(target.width), UInt32(target.height), CInt(x - target.minX),
                    CInt(y - target.minY))
            }
        }
        return coverage
    }

    /// The outlines of the glyphs, without hints for pixels, to fill by the non-zero rule. In pixels from the text's
    /// upper left corner, y down. Characters that no font has are left out (``missingCharacters``).
    public var outline: Path {
        var path = Path()
        let layout = layout
        withUnsafeMutablePointer(to: &path) { target in
            var pen = cpango_pen()
            pen.target = UnsafeMutableRawPointer(target)
            pen.move = { Self.path($0).pointee.move(to: Point(x: $1, y: $2)) }
            pen.line = { Self.path($0).pointee.addLine(to: Point(x: $1, y: $2)) }
            pen.cubic = {
                Self.path($0).pointee.addCubic(
                    control1: Point(x: $1, y: $2), control2: Point(x: $3, y: $4), end: Point(x: $5, y: $6))
            }
            Fonts.lock.withLock { _ in cpango_outline(layout, &pen) }
        }
        return path
    }

    private static func path(_ target: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<Path> {
        // The pen above has one.
        target!.assumingMemoryBound(to: Path.self)
    }

    /// Converts to Pango units, 1024 a pixel.
    private static func units(_ pixels: Double, _ range: ClosedRange<Double>) -> CInt {
        let clamped = pixels > range.lowerBound ? min(pixels, range.upperBound) : range.lowerBound
        return CInt((clamped * Double(PANGO_SCALE)).rounded())
    }

    /// Replaces control characters, and all line ends by line feeds.
    private static func printable(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var last: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            defer { last = scalar }
            switch scalar.properties.generalCategory {
            case .control where scalar == "\n" && last == "\r": break
            case .control where scalar == "\t": result.append(" ")
            case .control where (0x0A...0x0D).contains(scalar.value) || scalar.value == 0x85: result.append("\n")
            case .lineSeparator, .paragraphSeparator: result.append("\n")
            case .control: result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}

/// The fonts of outlines that fontconfig finds. Finding them takes tens of milliseconds, so create one value and keep
/// it.
///
/// Any thread. One lock serializes all calls of Pango in the process: with two threads at once, each with its own
/// fonts, Pango 1.50 omitted glyphs.
public struct Fonts: ~Copyable {
    /// A PangoContext.
    let context: UnsafeMutableRawPointer
    /// Protects the caches of Pango, FreeType and fontconfig.
    static let lock = Mutex(())

    /// Once for the process.
    private static let usesOutlines = lock.withLock { _ in cpango_use_outlines() != 0 }

    /// - Throws: ``TextError/noFonts``.
    public init() throws(TextError) {
        guard Self.usesOutlines else { throw .noFonts }
        guard let context = Self.lock.withLock({ _ in cpango_context() }) else { throw .noFonts }
        self.context = context
    }

    deinit { Self.release(context) }

    /// Releases a Pango object. Swift 6.0 crashes on a closure in the deinit of a move-only value.
    static func release(_ object: UnsafeMutableRawPointer) {
        lock.withLock { _ in cpango_release(object) }
    }

    /// Measures a text as ``TextBlock`` draws it. A text that is too long for a block is higher than any page.
    func measure(_ text: String, _ style: TextStyle, _ width: Int) -> TextSize {
        guard let block = try? TextBlock(text, style: style, width: width, fonts: self) else {
            return TextSize(width: width, height: 1 << 20)
        }
        return TextSize(
            width: block.size.width, height: block.size.height, baseline: block.baseline,
            breaksWords: block.breaksWords)
    }

    /// The lines of a text as ``TextBlock`` draws it; all of it in one if it is too long for a block.
    func lines(_ text: String, _ style: TextStyle, _ width: Int) -> [TextLine] {
        guard let block = try? TextBlock(text, style: style, width: width, fonts: self) else {
            return [TextLine(text, isWhole: true)]
        }
        return block.lines
    }
}

extension TextStyle {
    /// Figures of one width, where the font has them; in codes Inter's forms for disambiguation, with a slashed zero.
    fileprivate var features: String { face == .code ? "tnum=1, ss02=1, zero=1" : alignsFigures ? "tnum=1" : "" }
}

extension TextStyle.Face {
    /// Inter is made for screens (Debian's fonts-inter). Other fonts supply other scripts. The first face for codes is
    /// that of fonts-dejavu-core.
    fileprivate var families: String {
        self == .text ? "Inter, Noto Sans, sans" : Self.codeFamilies.joined(separator: ", ")
    }

    private static let codeFamilies = ["DejaVu Sans Mono", "Inter"]

    /// Whether a font with this name, as in ``TextBlock/fontNames``, has the face.
    func isFace(ofFont name: String) -> Bool {
        self == .text || Self.codeFamilies.contains { name.hasPrefix($0 + " ") }
    }
}

/// Why text cannot be drawn.
public enum TextError: Error, Equatable {
    /// fontconfig finds no font.
    case noFonts
    /// More than ``TextBlock/maximumLength`` characters.
    case tooLong(scalarCount: Int)
}

extension TextError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noFonts: "there is no font; install one, such as the package fonts-inter"
        case .tooLong(let count): "a text of \(count) characters is too long; the maximum is \(TextBlock.maximumLength)"
        }
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
