// SPDX-License-Identifier: Apache-2.0
import Document
import Formats
import Pages
import Record

/// What a signature field of a document shows in place of a signature: words, and the ink of those who took part.
struct InsteadInk {
    private let field: Field
    private var content = ""
    private var texts: [DocumentInk.Text] = []

    private init(in field: Field) { self.field = field }

    private var ink: DocumentInk {
        DocumentInk(
            width: field.rectangle.width, height: field.rectangle.height, content: content,
            texts: texts.isEmpty ? nil : texts)
    }

    // MARK: layouts

    /// Words alone, as large as a text in the field.
    static func words(_ words: String, in field: Field) throws -> DocumentInk {
        var whole = InsteadInk(in: field)
        try whole.add(words, in: Room(x: 0...1, y: 0...1))
        return whole.ink
    }

    /// The ink of a representative below the words.
    static func representative(_ ink: DocumentInk, _ words: String, in field: Field) throws -> DocumentInk {
        var whole = InsteadInk(in: field)
        try whole.add(words, in: Room(x: 0...1, y: 0.65...1))
        whole.add(ink, in: Room(x: 0...1, y: 0...0.65))
        return whole.ink
    }

    /// A mark, and beside it the ink of its witnesses below their words.
    static func mark(
        _ mark: DocumentInk, _ witnesses: [DocumentInk], _ words: String, in field: Field
    ) throws -> DocumentInk {
        var whole = InsteadInk(in: field)
        whole.add(mark, in: Room(x: 0...0.3, y: 0...1))
        try whole.add(words, in: Room(x: 0.32...1, y: 0.65...1))
        let width = 0.68 / Double(max(witnesses.count, 1))
        for (index, ink) in witnesses.enumerated() {
            let left = 0.32 + width * Double(index)
            whole.add(ink, in: Room(x: left...min(left + width * 0.95, 1), y: 0...0.62))
        }
        return whole.ink
    }

    // MARK: parts

    /// A part of the field, as shares of its width and its height, y up.
    private struct Room {
        var x, y: ClosedRange<Double>
    }

    /// Adds ink in the middle of a room, at most in its own size.
    private mutating func add(_ ink: DocumentInk, in room: Room) {
        let size = size(of: room)
        let scale = min(size.width / ink.width, size.height / ink.height, 1)
        let x = room.x.lowerBound * field.rectangle.width + (size.width - ink.width * scale) / 2
        let y = room.y.lowerBound * field.rectangle.height + (size.height - ink.height * scale) / 2
        content += ink.content(scaledBy: scale, x: x, y: y)
        texts += (ink.texts ?? []).map { $0.moved(scaledBy: scale, x: x, y: y) }
    }

    /// Adds words, which wrap. They are smaller than a text may be rather than that a capture fails which somebody has
    /// accepted.
    private mutating func add(_ words: String, in room: Room) throws {
        let size = size(of: room)
        var (factor, ink): (Double, DocumentInk?) = (1, nil)
        while ink == nil {
            let place = Field(
                name: field.name, kind: .text, page: field.page,
                rectangle: DocumentRectangle(
                    minX: 0, minY: 0, maxX: size.width * factor, maxY: size.height * factor),
                format: TextFormat(em: Self.em, isMultiline: true))
            do { ink = try FieldText.make(words, in: place) } catch FieldTextFault.tooLong where factor < 100 {
                factor *= 1.3
            }
        }
        if let ink { add(ink, in: room) }
    }

    private static let em = 9.0

    private func size(of room: Room) -> (width: Double, height: Double) {
        let (x, y) = (room.x.upperBound - room.x.lowerBound, room.y.upperBound - room.y.lowerBound)
        return (x * field.rectangle.width, y * field.rectangle.height)
    }
}

extension DocumentInk.Text {
    /// The text in ink that is drawn in another size and place.
    func moved(scaledBy scale: Double, x: Double, y: Double) -> Self {
        Self(text, x: x + self.x * scale, y: y + self.y * scale, width: width * scale, height: height * scale)
    }
}
