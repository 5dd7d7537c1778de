// SPDX-License-Identifier: Apache-2.0
import Document

/// What poppler says on standard error while it draws a page, sorted into what is missing from the picture and what is
/// not.
enum RendererComplaints {
    /// The lines that tell of something that was not drawn, or not as the file says; each once.
    static func complaints(in messages: [UInt8]) -> [String] {
        var complaints: [String] = []
        for line in messages.split(separator: UInt8(ascii: "\n")) {
            let text = PlainText.printable(String(decoding: line, as: UTF8.self), atMost: 200)
            guard text.contains(where: { $0 != " " }), !isHarmless(text), !complaints.contains(text) else { continue }
            complaints.append(text)
            if complaints.count == PageComparison.most { break }
        }
        return complaints
    }

    /// Whether a message says nothing about what is drawn. All others count: a list of what counts would be as
    /// incomplete as the list of what poppler can say.
    static func isHarmless(_ line: String) -> Bool { harmless.contains { line.contains($0) } }

    private static let harmless = [
        // The box of a glyph only says whether poppler may keep its picture. Chrome's files for Korean have it.
        "Bad bounding box in Type 3 glyph",
        // The weight helps to choose a font in place of one that is missing; readers pass over others than 100 to 900.
        "Invalid Font Weight",
        // Where a link leads is not drawn.
        "Bad annotation destination", "Illegal URI-type link",
        // What a text means to programs, not how it looks.
        "ToUnicode CMap", "Illegal entry in bf",
    ]
}
