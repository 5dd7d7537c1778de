// SPDX-License-Identifier: Apache-2.0
public import Document
import Linux

extension PDFRenderer {
    /// Finds a text as people read it (``SearchLetters``), which may have several words and go over ends of lines.
    public func find(_ text: String, in document: [UInt8]) throws(PDFError) -> DocumentHits {
        let wanted = SearchLetters.of(text)
        if wanted.isEmpty { return DocumentHits() }
        let pages = try PDFPage.all(of: PDFFile(document))
        let texts = try texts(of: document, ["-bbox-layout"], pages.count)
        for spaces in [TextStream.Spaces.asWritten, .ignored] {
            let places = try places(of: wanted, on: pages, texts.map { [$0, $0.byColumns] }, spaces)
            if !places.isEmpty { return DocumentHits(places) }
        }
        let raw = try self.texts(of: document, ["-raw", "-bbox"], pages.count, isRaw: true)
        let places = try places(of: wanted, on: pages, raw.map { [$0] }, .ignored)
        if !places.isEmpty { return DocumentHits(places) }
        var near = NearTexts(of: wanted)
        for text in texts { text.byColumns.addRows(to: &near) }
        return DocumentHits(near: near.texts)
    }

    private func texts(
        of document: [UInt8], _ options: [String], _ count: Int, isRaw: Bool = false
    ) throws(PDFError) -> [PDFText] {
        let output = try run(
            "pdftotext", ["-q"] + options + ["-cropbox", "-", "-"], document, doing: "find a text",
            mostOutput: HelperLimits.document)
        guard let texts = try PDFText.pages(in: output, isRaw: isRaw), texts.count == count else {
            throw .failed(doing: "find a text", reason: "pdftotext writes something unexpected")
        }
        return texts
    }

    /// - Parameter texts: of each page, in one order or two.
    private func places(
        of wanted: [UInt32], on pages: [PDFPage], _ texts: [[PDFText]], _ spaces: TextStream.Spaces
    ) throws(PDFError) -> [DocumentHit] {
        var places: [DocumentHit] = []
        for (page, texts) in zip(pages, texts) {
            for box in try PDFText.places(of: wanted, in: texts, spaces) {
                let height = page.size.height
                let rectangle = DocumentRectangle(
                    minX: box.minX * page.unit, minY: height - box.maxY * page.unit,
                    maxX: box.maxX * page.unit, maxY: height - box.minY * page.unit)
                let least = DocumentRectangle.leastSide
                guard rectangle.width >= least, rectangle.height >= least else { continue }
                if places.count == HelperLimits.hits { throw PDFText.isTooOften }
                places.append(DocumentHit(page: page.number, rectangle: rectangle))
            }
        }
        return places
    }
}

extension PDFRenderer {
    /// The text of a page in UTF-8, in the order of reading, cut at the limit.
    public func text(of page: Int, in document: [UInt8]) throws(PDFError) -> [UInt8] {
        let output = try run(
            "pdftotext", ["-q", "-enc", "UTF-8", "-nopgbrk", "-f", "\(page)", "-l", "\(page)", "-", "-"], document,
            doing: "read page \(page)", mostOutput: HelperLimits.facts)
        if output.count <= HelperLimits.pageText { return output }
        // At the end of a line or a word, so that no character is cut.
        let start = output.prefix(HelperLimits.pageText)
        return Array(start[..<(start.lastIndex { $0 <= UInt8(ascii: " ") } ?? start.startIndex)])
    }
}
