// SPDX-License-Identifier: Apache-2.0
import Document
import Formats
import Geometry
import Pad
import Pages

/// Lays a ``SummaryPage`` out. Lengths are points; `y` counts from the top of the page.
final class SummaryLayout {
    private static let (pageWidth, pageHeight) = PDFPageWriter.a4
    private static let (left, top, bottom) = (56.0, 56.0, 64.0)
    private static let width = pageWidth - 2 * left
    /// Columns: ink or a section's title; labels; values.
    private static let inkBox = (width: 150.0, height: 64.0)
    private static let labelWidth = 62.0
    private static let columnGap = 16.0
    private static let codeSide = 92.0
    /// Between sections, rows, and the parts of a value.
    private static let (sectionGap, rowGap, partGap) = (19.0, 4.5, 2.0)
    /// The longest value, in characters; longer ones end in an ellipsis. Parts of a value can be on different pages.
    private static let (longestValue, longestPart) = (10_000, 1200)

    private static let dark: Color = 0x171B22
    private static let muted: Color = 0x6B7280
    private static let line: Color = 0xDDE1E7
    private static let paper: Color = 0xF6F7F9
    private static let accent: Color = 0x1F5FA8

    private let fonts: Fonts
    private var pages: [String] = []
    private var content = ""
    /// The upper edge of the next part.
    private var y = SummaryLayout.top

    private init(fonts: consuming Fonts) { self.fonts = fonts }

    /// The contents of the pages.
    static func pages(of page: SummaryPage) throws -> [String] {
        let layout = SummaryLayout(fonts: try Fonts())
        try layout.addHead(page)
        for section in page.sections { try layout.add(section) }
        layout.pages.append(layout.content)
        return try layout.pages(with: page.footer)
    }

    // MARK: parts

    private func addHead(_ page: SummaryPage) throws {
        fill(x: Self.left, y: y, width: 36, height: 3, Self.accent)
        var codeBottom = 0.0
        var room = Self.width
        if let code = page.code {
            let x = Self.left + Self.width - Self.codeSide
            // The quiet zone may reach into the margins.
            let ink = code.ink(width: Self.codeSide)
            let zone = Self.codeSide * Double(QRCode.quietZone) / Double(code.side + 2 * QRCode.quietZone)
            draw(ink, x: x + zone, y: y - zone)
            codeBottom = y + Self.codeSide - 2 * zone
            if let words = page.codeLabel {
                let label = try text(words, em: 7, color: Self.muted, width: Self.codeSide, alignment: .center)
                draw(label.ink, x: x + zone, y: codeBottom + 3)
                codeBottom += 3 + label.height
            }
            room -= Self.codeSide + Self.columnGap
        }
        y += 14
        let title = try text(page.title, em: 22, weight: .semibold, width: room, height: 90)
        draw(title.ink, x: Self.left, y: y)
        y += title.height + 3
        if let words = page.subtitle {
            let subtitle = try text(words, em: 10.5, color: Self.muted, width: room, height: 60)
            draw(subtitle.ink, x: Self.left, y: y)
            y += subtitle.height
        }
        y = max(y, codeBottom)
    }

    /// A part of a row that stays on one page.
    private struct Part {
        var label: OutlinedText?
        var value: OutlinedText

        var height: Double { max(label?.height ?? 0, value.height) }
    }

    private func add(_ section: SummaryPage.Section) throws {
        y += Self.sectionGap
        let x = Self.left + Self.inkBox.width + Self.columnGap
        let width = Self.left + Self.width - x
        let hasInk = section.ink != nil
        let title = try text(
            section.title, em: hasInk ? 12.5 : 9.5, weight: .semibold, width: hasInk ? width : Self.inkBox.width,
            height: 60)
        var rows: [[Part]] = []
        for row in section.rows {
            rows.append(try parts(of: row, width: width - Self.labelWidth - Self.columnGap))
        }
        let first = rows.first?.first
        let titleHeight = hasInk ? title.height + 5 + (first?.height ?? 0) : max(title.height, first?.height ?? 0)
        makeRoom(10 + max(titleHeight, hasInk ? Self.inkBox.height : 0))
        fill(x: Self.left, y: y, width: Self.width, height: 0.6, Self.line)
        y += 10
        var leftBottom: Double
        if let ink = section.ink {
            draw(signature: ink, y: y)
            leftBottom = y + Self.inkBox.height
            draw(title.ink, x: x, y: y)
            y += title.height + 5
        } else {
            // On the baseline of the first row.
            let baseline = max(title.baseline, first?.value.baseline ?? 0, first?.label?.baseline ?? 0)
            draw(title.ink, x: Self.left, y: y + baseline - title.baseline)
            leftBottom = y + title.height
        }
        for row in rows {
            for part in row {
                let page = pages.count
                makeRoom(part.height)
                if pages.count > page { leftBottom = 0 }
                let baseline = max(part.label?.baseline ?? 0, part.value.baseline)
                if let label = part.label { draw(label.ink, x: x, y: y + baseline - label.baseline) }
                let column = x + Self.labelWidth + Self.columnGap
                draw(part.value.ink, x: column, y: y + baseline - part.value.baseline)
                y += part.height + Self.partGap
            }
            y += Self.rowGap - Self.partGap
        }
        y = max(y - Self.rowGap, leftBottom)
    }

    private func parts(of row: SummaryPage.Row, width: Double) throws -> [Part] {
        let label = try text(row.label, em: 8.5, color: Self.muted, width: Self.labelWidth, height: 60)
        // Not higher than a page, whatever it consists of.
        let height = Self.pageHeight - Self.top - Self.bottom - 40
        var parts: [Part] = []
        for words in Self.parts(of: row.value) {
            let value =
                switch row.style {
                case .text: try text(words, em: 9.5, width: width, height: height)
                case .muted: try text(words, em: 9.5, color: Self.muted, width: width, height: height)
                case .code: try text(words, em: 7.5, face: .code, width: width, height: height)
                }
            parts.append(Part(label: parts.isEmpty ? label : nil, value: value))
        }
        return parts
    }

    /// The lines of a value; long ones are cut at spaces.
    private static func parts(of value: String) -> [String] {
        let isLong = value.unicodeScalars.count > longestValue
        let words = isLong ? String(value.unicodeScalars.prefix(longestValue)) + "…" : value
        var parts: [String] = []
        for line in words.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            var rest = line.unicodeScalars
            while rest.count > longestPart {
                let start = rest.prefix(longestPart)
                let end = start.lastIndex(of: " ").map { rest.index(after: $0) } ?? start.endIndex
                parts.append(String(Substring(rest[..<end])))
                rest = rest[end...]
            }
            parts.append(String(Substring(rest)))
        }
        return parts
    }

    /// A box with the ink in its middle.
    private func draw(signature ink: DocumentInk, y: Double) {
        let (width, height) = Self.inkBox
        fill(x: Self.left, y: y, width: width, height: height, Self.paper)
        let margin = 7.0
        let scale = min((width - 2 * margin) / ink.width, (height - 2 * margin) / ink.height, 1)
        let x = Self.left + (width - ink.width * scale) / 2
        draw(ink, scale: scale, x: x, y: y + (height - ink.height * scale) / 2)
    }

    /// Adds the footer to each page.
    private func pages(with footer: String) throws -> [String] {
        let words = try text(footer, em: 7, color: Self.muted, width: Self.width - 60, height: 36)
        for (index, page) in pages.enumerated() {
            content = page
            let y = Self.pageHeight - Self.bottom + 16
            fill(x: Self.left, y: y, width: Self.width, height: 0.6, Self.line)
            draw(words.ink, x: Self.left, y: y + 7)
            if pages.count > 1 {
                let number = try text("\(index + 1) / \(pages.count)", em: 7, color: Self.muted)
                draw(number.ink, x: Self.left + Self.width - number.width, y: y + 7)
            }
            pages[index] = content
        }
        return pages
    }

    /// Begins another page if less than `height` is left on this one.
    private func makeRoom(_ height: Double) {
        guard y + height > Self.pageHeight - Self.bottom, y > Self.top else { return }
        pages.append(content)
        content = ""
        y = Self.top
    }

    // MARK: drawing

    /// A text in which characters that no font has are boxes.
    private func text(
        _ text: String, em: Double, weight: TextStyle.Weight = .regular, face: TextStyle.Face = .text,
        color: Color = dark, width: Double? = nil, height: Double? = nil, alignment: TextBlock.Alignment = .left
    ) throws -> OutlinedText {
        let text = String(text.unicodeScalars.prefix(Self.longestValue))
        var words = text
        while true {
            do {
                return try OutlinedText(
                    words, em: em, weight: weight, face: face, width: width, height: height, alignment: alignment,
                    color: color, fonts: fonts)
            } catch let error as MissingCharacters where words == text {
                let missing = error.text.unicodeScalars
                words = String(
                    String.UnicodeScalarView(text.unicodeScalars.map { missing.contains($0) ? "\u{25A1}" : $0 }))
            }
        }
    }

    private func draw(_ ink: DocumentInk, scale: Double = 1, x: Double, y: Double) {
        content += ink.content(scaledBy: scale, x: x, y: Self.pageHeight - y - ink.height * scale)
    }

    private func fill(x: Double, y: Double, width: Double, height: Double, _ color: Color) {
        let corners = [(0, 0), (width, 0), (width, height), (0, height)] as [(Double, Double)]
        let box = Path(polygon: corners.map { Point(x: $0.0, y: $0.1) })
        draw(PDFInkEncoder.encode(box, width: width, height: height, scale: 1, color: color), x: x, y: y)
    }
}
