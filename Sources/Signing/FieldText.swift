// SPDX-License-Identifier: Apache-2.0
import Document
import Formats
import Pages

/// The text of a field of the document's own form, as outlines: in the field's size and place of lines, or smaller if
/// it does not fit.
enum FieldText {
    /// The largest em for a field that states none, and the smallest legible em, in points.
    private static let (usualEm, smallestEm) = (12.0, 4.0)
    /// The em of a field with one line that states none, as a share of the field's height.
    private static let emShare = 0.7
    /// The space at the left and right, in points.
    private static let margin = 2.0

    /// - Returns: ink of the field's size.
    /// - Throws: ``FieldTextFault``, or `TextError` without fonts.
    static func make(_ text: String, in field: Field) throws -> DocumentInk {
        let format = field.format ?? TextFormat()
        let (width, height) = size(of: field)
        if !format.isMultiline, text.contains(where: \.isNewline) { throw FieldTextFault.severalLines(field.name) }
        let fonts = try Fonts()
        let usual = format.isMultiline ? usualEm : min(usualEm, height * emShare)
        var em = min(format.em ?? usual, 32)
        if text.isEmpty { return DocumentInk(width: width, height: height, content: "") }
        while true {
            do {
                if let ink = try ink(text, em: em, in: field, format, fonts) { return ink }
            } catch let error as MissingCharacters {
                throw FieldTextFault.missing(error.text, field: field.name)
            }
            guard em > smallestEm else { throw FieldTextFault.tooLong(field.name) }
            em = max(smallestEm, em * 0.95)
        }
    }

    /// The size of the field for a reader of its text, which may be turned.
    private static func size(of field: Field) -> (width: Double, height: Double) {
        let rectangle = field.rectangle
        let isOnItsSide = field.format?.turn == 90 || field.format?.turn == 270
        return isOnItsSide ? (rectangle.height, rectangle.width) : (rectangle.width, rectangle.height)
    }

    /// - Returns: nil if it does not fit.
    private static func ink(
        _ text: String, em: Double, in field: Field, _ format: TextFormat, _ fonts: borrowing Fonts
    ) throws -> DocumentInk? {
        let (width, height) = size(of: field)
        func ink(_ content: String, _ texts: [DocumentInk.Text]) -> DocumentInk {
            DocumentInk(width: width, height: height, content: content, texts: texts)
        }
        if format.isComb, let longest = format.longest {
            let cell = width / Double(longest)
            guard let content = try cells(text, em: em, width: cell, height: height, fonts) else { return nil }
            return ink(content, [.init(text, x: 0, y: 0, width: cell * Double(text.count), height: height)])
        }
        let room = width - 2 * margin
        guard room > 0 else { return nil }
        if format.isMultiline {
            let lines = try OutlinedText(
                text, em: em, width: room, alignment: TextBlock.Alignment(format.alignment), fonts: fonts)
            guard lines.width <= room + 0.1, lines.height <= height else { return nil }
            let bottom = height - lines.height
            // The layout does not say where it breaks a long line.
            let paragraphs = text.split(separator: "\n", omittingEmptySubsequences: false)
            let step = lines.height / Double(paragraphs.count)
            let texts = paragraphs.enumerated().map { index, line in
                DocumentInk.Text(
                    String(line), x: margin, y: height - step * Double(index + 1), width: lines.width, height: step)
            }
            return ink(lines.ink.content(scaledBy: 1, x: margin, y: bottom), texts.filter { !$0.text.isEmpty })
        }
        let line = try OutlinedText(text, em: em, fonts: fonts)
        // The space between lines may be cut, which letters do not reach.
        guard line.width <= room, line.height <= height * 1.2 else { return nil }
        let left: Double =
            switch format.alignment {
            case .left: margin
            case .center: (width - line.width) / 2
            case .right: width - margin - line.width
            }
        let bottom = (height - line.height) / 2
        return ink(
            line.ink.content(scaledBy: 1, x: left, y: bottom),
            [.init(text, x: left, y: bottom, width: line.width, height: line.height)])
    }

    /// A character in the middle of each cell.
    private static func cells(
        _ text: String, em: Double, width: Double, height: Double, _ fonts: borrowing Fonts
    ) throws -> String? {
        var content = ""
        for (index, character) in text.enumerated() {
            let cell = try OutlinedText(String(character), em: em, fonts: fonts)
            guard cell.width <= width, cell.height <= height * 1.2 else { return nil }
            let left = (Double(index) + 0.5) * width - cell.width / 2
            content += cell.ink.content(scaledBy: 1, x: left, y: (height - cell.height) / 2)
        }
        return content
    }
}

extension TextBlock.Alignment {
    fileprivate init(_ alignment: TextFormat.Alignment) {
        switch alignment {
        case .left: self = .left
        case .center: self = .center
        case .right: self = .right
        }
    }
}

/// The reason why the text of a field cannot be drawn.
package enum FieldTextFault: Error, Equatable, Sendable, CustomStringConvertible {
    case severalLines(String)
    case tooLong(String)
    /// No font has these characters.
    case missing(String, field: String)

    package var description: String {
        switch self {
        case .severalLines(let field): "the text for \(field.debugDescription) has several lines; the field has one"
        case .tooLong(let field): "the text for \(field.debugDescription) does not fit into the field: shorten it"
        case .missing(let characters, let field):
            "no font has \(characters.debugDescription) of the text for \(field.debugDescription): install a font"
        }
    }
}
