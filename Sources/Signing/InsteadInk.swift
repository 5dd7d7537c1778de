// SPDX-License-Identifier: Apache-2.0
import Document
import Formats
import Geometry
import Pages

/// What a signature field of a document shows in place of a signature: words, and the ink of those who took part, as
/// the page on the glass has them (`InsteadLayout`).
enum InsteadInk {
    /// - Parameters:
    ///   - inks: none for a confirmation, that of a representative, or a mark and those of its witnesses.
    ///   - plain: the words if no font has the characters of `words`: somebody has accepted already, and the page has
    ///     shown boxes in their place.
    static func make(_ inks: [DocumentInk], _ words: String, plain: String, in field: Field) throws -> DocumentInk {
        let (width, height) = (field.rectangle.width, field.rectangle.height)
        let layout = InsteadLayout(inkCount: inks.count, in: Rect(minX: 0, minY: 0, maxX: width, maxY: height))
        var whole = DocumentInk(width: width, height: height, content: "", texts: [])
        for (ink, room) in zip(inks, layout.inks) { whole.add(ink, in: room) }
        do { whole.add(try text(words, in: layout.words, field), in: layout.words) } catch FieldTextFault.missing {
            whole.add(try text(plain, in: layout.words, field), in: layout.words)
        }
        return whole
    }

    /// Words that wrap. They are smaller than a text may be rather than that a capture fails which somebody has
    /// accepted.
    private static func text(_ words: String, in room: Rect, _ field: Field) throws -> DocumentInk {
        var factor = 1.0
        while true {
            let place = Field(
                name: field.name, kind: .text, page: field.page,
                rectangle: DocumentRectangle(minX: 0, minY: 0, maxX: room.width * factor, maxY: room.height * factor),
                format: TextFormat(em: InsteadLayout.usualEm, isMultiline: true))
            do { return try FieldText.make(words, in: place) } catch FieldTextFault.tooLong where factor < 100 {
                factor *= 1.3
            }
        }
    }
}

extension DocumentInk {
    /// Adds ink in the middle of a room, at most in its own size.
    /// - Parameter room: y down from the upper edge.
    fileprivate mutating func add(_ ink: DocumentInk, in room: Rect) {
        let scale = min(room.width / ink.width, room.height / ink.height, 1)
        let x = room.minX + (room.width - ink.width * scale) / 2
        let y = height - room.maxY + (room.height - ink.height * scale) / 2
        content += ink.content(scaledBy: scale, x: x, y: y)
        texts = (texts ?? []) + (ink.texts ?? []).map { $0.moved(scaledBy: scale, x: x, y: y) }
    }
}

extension DocumentInk.Text {
    /// The text in ink that is drawn in another size and place.
    func moved(scaledBy scale: Double, x: Double, y: Double) -> Self {
        Self(text, x: x + self.x * scale, y: y + self.y * scale, width: width * scale, height: height * scale)
    }
}
