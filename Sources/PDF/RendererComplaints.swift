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

    static func isHarmless(_ line: String) -> Bool { harmless.contains { line.contains($0) } }

    /// Messages that say nothing about what is drawn. All others count: a list of what counts would be as incomplete as
    /// the list of what poppler can say.
    private static let harmless: [String] = []
}
