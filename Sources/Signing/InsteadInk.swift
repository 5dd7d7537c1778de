// SPDX-License-Identifier: Apache-2.0
import Document
import Formats
import Geometry
import Pages

/// The contents of a document's signature field that has no signature: words, and the ink of everybody who took part,
/// placed as on the glass (`InsteadLayout`).
enum InsteadInk {
    /// - Parameters:
    ///   - inks: none for a confirmation and a typed name, that of a representative, or a mark and those of its
    ///     witnesses.
    ///   - plain: English words in place of `words` if no font has their characters. The page has shown boxes for
    ///     these, and somebody has accepted it.
    static func make(
        _ inks: [DocumentInk], _ words: String, _ plain: String, in field: Field
    ) throws -> DocumentInk {
        let (width, height) = (field.rectangle.width, field.rectangle.height)
        let layout = InsteadLayout(inkCount: inks.count, in: Rect(minX: 0, minY: 0, maxX: width, maxY: height))
        var whole = DocumentInk(width: width, height: height, content: "", texts: [])
        for (ink, room) in zip(inks, layout.inks) { whole.add(ink, in: room) }
        do { try whole.add(layout.lines(of: words), in: layout.words) } catch is MissingCharacters {
            try whole.add(layout.lines(of: plain), in: layout.words)
        }
        return whole
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
    }

    /// Adds words from the top of a room, in these lines. If necessary, they shrink below the smallest size of other
    /// texts: somebody has accepted the capture, so it must not fail.
    /// - Throws: `MissingCharacters`, or `TextError` without fonts.
    fileprivate mutating func add(_ words: String, in room: Rect) throws {
        let fonts = try Fonts()
        let lines = try words.split(separator: "\n").map { line in
            (text: String(line), drawn: try OutlinedText(String(line), em: InsteadLayout.usualEm, fonts: fonts))
        }
        let width = lines.reduce(0) { max($0, $1.drawn.width) } + 2 * InsteadLayout.margin
        let scale = min(1, room.width / width, room.height / lines.reduce(0) { $0 + $1.drawn.height })
        let x = room.minX + InsteadLayout.margin * scale
        var y = height - room.minY
        for (text, line) in lines {
            y -= line.height * scale
            content += line.ink.content(scaledBy: scale, x: x, y: y)
            // Without the space between lines: poppler takes lines that touch for one.
            let high = line.height * scale
            texts?.append(Text(text, x: x, y: y + high * 0.2, width: line.width * scale, height: high * 0.6))
        }
    }
}

extension DocumentInk.Text {
    /// The text in ink that is drawn in another size and place.
    func moved(scaledBy scale: Double, x: Double, y: Double) -> Self {
        Self(text, x: x + self.x * scale, y: y + self.y * scale, width: width * scale, height: height * scale)
    }
}
