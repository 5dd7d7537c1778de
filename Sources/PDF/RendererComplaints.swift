// SPDX-License-Identifier: Apache-2.0
import Document

/// The messages of poppler on standard error while it draws a page: those about something that is missing from the
/// picture, and others.
enum RendererComplaints {
    /// The lines about something that was not drawn, or not as the file says; each once.
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
    static func isHarmless(_ line: String) -> Bool {
        // The sandbox has no place where fontconfig could keep what it has found: it looks for the fonts anew.
        if line.hasPrefix("Fontconfig error: No writable cache directories") { return true }
        // `Syntax Warning (120): Invalid Font Weight`. The words begin the message, and names from the document follow.
        guard let kind = line.firstRange(of: ": "), line.hasPrefix("Syntax ") else { return false }
        let message = line[kind.upperBound...]
        return harmless.contains { message.hasPrefix($0) }
    }

    private static let harmless = [
        // The box of a glyph only says whether poppler may keep its picture. Chrome's files for Korean have it.
        "Bad bounding box in Type 3 glyph",
        // The weight helps to choose a font in place of one that is missing; readers pass over others than 100 to 900.
        "Invalid Font Weight",
        // The target of a link is not drawn.
        "Bad annotation destination", "Unknown annotation destination type", "Illegal annotation destination",
        "Illegal URI-type link",
        // The characters that programs copy, not how they look.
        "Illegal entry in ToUnicode CMap", "Couldn't find ToUnicode CMap file for",
        "Illegal entry in bfchar block in ToUnicode CMap", "Invalid entry in bfchar block in ToUnicode CMap",
        "Illegal entry in bfrange block in ToUnicode CMap", "Invalid entry in bfrange block in ToUnicode CMap",
    ]
}
