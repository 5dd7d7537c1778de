// SPDX-License-Identifier: Apache-2.0
import Document
import Formats
import Geometry
import Pad
import Pages

/// A text as outlines in PDF, so that a file with it needs no font.
struct OutlinedText {
    /// The outlines. Left-aligned ones are as wide as the widest line, others at least as wide as `width`. The height
    /// is that of the font's lines.
    let ink: DocumentInk
    /// The distance from the top to the baseline of the first line, in points.
    let baseline: Double

    var width: Double { ink.width }
    var height: Double { ink.height }

    /// The layout's pixels in a point. There are many, because the widths of letters are whole pixels.
    private static let pixelsPerPoint = 16.0

    /// - Parameters:
    ///   - em: in points, at most 32.
    ///   - width: of the lines, in points; nil wraps only at line feeds.
    ///   - height: after which the text ends in an ellipsis, in points; nil for no limit.
    /// - Throws: ``MissingCharacters``, or `TextError`.
    init(
        _ text: String, em: Double, weight: TextStyle.Weight = .regular, face: TextStyle.Face = .text,
        width: Double? = nil, height: Double? = nil, alignment: TextBlock.Alignment = .left, color: Color = .black,
        fonts: borrowing Fonts
    ) throws {
        let scale = Self.pixelsPerPoint
        let style = TextStyle(em: em * scale, weight: weight, face: face)
        let pixels = width.map { Int(($0 * scale).rounded(.down)) }
        let block = try TextBlock(
            text, style: style, width: pixels, height: height.map { Int(($0 * scale).rounded(.down)) },
            alignment: alignment, fonts: fonts)
        let missing = block.missingCharacters
        guard missing.isEmpty else { throw MissingCharacters(missing) }
        // Lines in the middle or at the right are placed within the whole width.
        let full = alignment == .left ? block.size.width : max(block.size.width, pixels ?? 0)
        ink = PDFInkEncoder.encode(
            block.outline, width: Double(full), height: Double(block.size.height), scale: 1 / scale, color: color)
        baseline = Double(block.baseline) / scale
    }
}

/// No font has these characters.
struct MissingCharacters: Error, Equatable, CustomStringConvertible {
    let text: String

    init(_ scalars: [Unicode.Scalar]) { text = scalars.map { String($0) }.joined() }

    var description: String { "no font has \(text.debugDescription): install a font" }
}
