// SPDX-License-Identifier: Apache-2.0
package import Document
package import Formats

/// A page that sums up how a document was signed: sections of rows, some with ink. ``file(program:time:)`` draws it; a
/// caller adds sections and rows for whatever else is known, such as pages that were shown, and answers.
package struct SummaryPage: Equatable, Sendable {
    /// A label and a value.
    package struct Row: Equatable, Sendable {
        package enum Style: Sendable {
            case text
            /// Less important.
            case muted
            /// Digits to compare, such as a digest.
            case code
        }

        package var label, value: String
        package var style: Style

        package init(_ label: String, _ value: String, style: Style = .text) {
            self.label = label
            self.value = value
            self.style = style
        }
    }

    package struct Section: Equatable, Sendable {
        package var title: String
        /// The signature, drawn in a box beside the rows, at most in the size in which it was written.
        package var ink: DocumentInk?
        package var rows: [Row]

        package init(_ title: String, ink: DocumentInk? = nil, rows: [Row]) {
            self.title = title
            self.ink = ink
            self.rows = rows
        }
    }

    package var title: String
    /// A line below the title; nil for none.
    package var subtitle: String?
    package var sections: [Section]
    /// At the top right of the first page.
    package var code: QRCode?
    /// A few words below the code.
    package var codeLabel: String?
    /// At the bottom of each page.
    package var footer: String

    package init(
        title: String, subtitle: String? = nil, sections: [Section], code: QRCode? = nil, codeLabel: String? = nil,
        footer: String
    ) {
        self.title = title
        self.subtitle = subtitle
        self.sections = sections
        self.code = code
        self.codeLabel = codeLabel
        self.footer = footer
    }

    /// Draws the page as a PDF file in A4, with further pages if there is no room on the first.
    /// - Parameters:
    ///   - program: the name and version of the program.
    ///   - time: for the file's date: seconds since 1970, UTC.
    /// - Throws: `TextError` without fonts.
    package func file(program: String, time: Int64) throws -> [UInt8] {
        let pages = try SummaryLayout.pages(of: self)
        var writer = PDFPageWriter(
            title: [title, subtitle].compactMap { $0 }.joined(separator: ": "), program: program, time: time)
        for page in pages { writer.addPage(page) }
        return writer.file()
    }
}
