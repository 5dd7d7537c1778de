// SPDX-License-Identifier: Apache-2.0
import Document
import Formats
import Pages

/// The appearance of a signature in its field: the ink, at most in the size in which it was written, above a line of
/// text. The text is drawn as outlines, so the file needs no font.
enum SignatureAppearance {
    /// - Parameters:
    ///   - caption: nil for none.
    ///   - hasPlate: whether the field is on a dark ground.
    /// - Throws: ``AppearanceFault``, or `TextError` without fonts.
    static func make(
        _ ink: DocumentInk, caption: String?, in field: Field, hasPlate: Bool = false
    ) throws -> DocumentInk {
        guard let caption else {
            return hasPlate ? ink.onPlate(in: field.rectangle) : ink
        }
        let (width, height) = (field.rectangle.width, field.rectangle.height)
        let fonts = try Fonts()
        let usual = try Self.text(caption, em: SignatureCaption.usualEm, fonts)
        let layout = SignatureCaption(
            width: usual.width, height: usual.height, fieldWidth: width, fieldHeight: height)
        guard layout.em >= SignatureCaption.smallestEm else { throw AppearanceFault.tooSmall(field: field.name) }
        let text = try Self.text(caption, em: layout.em, fonts)
        let foot = text.height + layout.lift
        let scale = min(width / ink.width, (height - foot) / ink.height, 1)
        let left = (width - ink.width * scale) / 2
        let bottom = foot + (height - foot - ink.height * scale) / 2
        let start = max(0, (width - text.width) / 2)
        let content =
            ink.content(scaledBy: scale, x: left, y: bottom)
            + text.ink.content(scaledBy: 1, x: start, y: layout.lift)
        let whole = DocumentInk(
            width: width, height: height, content: content,
            texts: (ink.texts ?? []).map { $0.moved(scaledBy: scale, x: left, y: bottom) }
                + [DocumentInk.Text(caption, x: start, y: layout.lift, width: text.width, height: text.height)])
        return hasPlate ? whole.onPlate(in: field.rectangle) : whole
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
