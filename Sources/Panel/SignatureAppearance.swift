// SPDX-License-Identifier: Apache-2.0
import Document
import Formats
import Pages

/// The appearance of a signature in its field: the ink, at most in the size in which it was written, above a line of
/// text. The text is drawn as outlines, so the file needs no font.
enum SignatureAppearance {
    /// The em of the line, in points: the usual one, and the smallest that can be read.
    private static let (usualEm, smallestEm) = (7.0, 4.0)
    /// The least share of the field's height that stays for the ink.
    private static let inkShare = 0.5

    /// - Parameter caption: nil for none.
    /// - Throws: ``AppearanceFault``, or `TextError` without fonts.
    static func make(_ ink: PDFInk, caption: String?, in field: DocumentField) throws -> DocumentUpdate.Ink {
        guard let caption else {
            return DocumentUpdate.Ink(width: ink.width, height: ink.height, content: ink.content)
        }
        let (width, height) = (field.rectangle.width, field.rectangle.height)
        let fonts = try Fonts()
        // Widths grow in proportion to the em.
        let usual = try Self.text(caption, em: usualEm, fonts)
        let em = min(usualEm, usualEm * width / usual.width, usualEm * height * (1 - inkShare) / usual.height)
        guard em >= smallestEm else { throw AppearanceFault.tooSmall(field: field.name) }
        let text = try Self.text(caption, em: em, fonts)
        let scale = min(width / ink.width, (height - text.height) / ink.height, 1)
        let left = (width - ink.width * scale) / 2
        let bottom = text.height + (height - text.height - ink.height * scale) / 2
        let start = max(0, (width - text.width) / 2)
        let content =
            ink.content(scaledBy: scale, x: left, y: bottom) + text.ink.content(scaledBy: 1, x: start, y: 0)
        return DocumentUpdate.Ink(
            width: width, height: height, content: content,
            texts: [DocumentUpdate.Text(caption, x: start, y: 0, width: text.width, height: text.height)])
    }

    private static func text(_ text: String, em: Double, _ fonts: borrowing Fonts) throws -> OutlinedText {
        do { return try OutlinedText(text, em: em, fonts: fonts) } catch let error as MissingCharacters {
            throw AppearanceFault.missing(error.text)
        }
    }
}

/// The reason why the line below a signature cannot be drawn.
package enum AppearanceFault: Error, Equatable, Sendable, CustomStringConvertible {
    case tooSmall(field: String)
    /// No font has these characters.
    case missing(String)

    package var description: String {
        switch self {
        case .tooSmall(let field):
            "name and date do not fit into the field \(field.debugDescription): make it larger, or leave them out"
        case .missing(let characters):
            "no font has \(characters.debugDescription), so name and date cannot be drawn: install a font, or leave "
                + "them out"
        }
    }
}
