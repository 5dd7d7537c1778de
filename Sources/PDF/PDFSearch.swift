// SPDX-License-Identifier: Apache-2.0
public import Document
import Linux

extension PDFRenderer {
    /// Finds a text, which may have several words, on one line of a page. Words are compared as people read them, with
    /// upper and lower case; any white space between them counts as one space.
    public func find(_ text: String, in document: [UInt8]) throws(PDFError) -> [DocumentHit] {
        let words = text.split(whereSeparator: \.isWhitespace).map { PDFText.letters(of: Array($0.utf8)) }
        let wanted = Array(words.joined(separator: [PDFText.space]))
        if wanted.isEmpty { return [] }
        let file = try PDFFile(document)
        let pages = try PDFPage.all(of: file)
        let output = try run(
            "pdftotext", ["-q", "-bbox", "-cropbox", "-", "-"], document, doing: "find a text",
            mostOutput: HelperLimits.document)
        guard let texts = PDFText.pages(in: output), texts.count == pages.count else {
            throw .failed(doing: "find a text", reason: "pdftotext writes something unexpected")
        }
        var hits: [DocumentHit] = []
        for (page, text) in zip(pages, texts) {
            for box in text.places(of: wanted) {
                let height = page.size.height
                let rectangle = DocumentRectangle(
                    minX: box.minX * page.unit, minY: height - box.maxY * page.unit,
                    maxX: box.maxX * page.unit, maxY: height - box.minY * page.unit)
                let least = DocumentRectangle.leastSide
                guard rectangle.width >= least, rectangle.height >= least else { continue }
                if hits.count == HelperLimits.hits { throw .tooComplex(reason: "the text is there too often") }
                hits.append(DocumentHit(page: page.number, rectangle: rectangle))
            }
        }
        return hits
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
        return Array(start[..<(start.lastIndex { $0 <= PDFText.space } ?? start.startIndex)])
    }
}

/// The words of a page, in the order of reading, as `pdftotext -bbox` writes them.
struct PDFText {
    static let space = UInt8(ascii: " ")

    /// A rectangle in points of the page as it is shown, y down from its top.
    struct Box: Equatable {
        var minX, minY, maxX, maxY: Double

        func union(_ other: Box) -> Box {
            Box(
                minX: min(minX, other.minX), minY: min(minY, other.minY), maxX: max(maxX, other.maxX),
                maxY: max(maxY, other.maxY))
        }

        /// Whether at least half of the height of the less tall box is beside the other.
        func isBeside(_ other: Box) -> Bool {
            let shared = min(maxY, other.maxY) - max(minY, other.minY)
            return shared >= min(maxY - minY, other.maxY - other.minY) / 2
        }
    }

    /// All words, with a space between two.
    private var text: [UInt8] = []
    /// The words' boxes, and where they begin in the text.
    private var words: [(start: Int, box: Box)] = []

    /// Reads the output of `pdftotext -bbox`: of its lines, only those of pages and words count.
    /// - Returns: nil if it is not such output.
    static func pages(in output: [UInt8]) -> [PDFText]? {
        var pages: [PDFText] = []
        for line in output.split(separator: UInt8(ascii: "\n")) {
            let line = line.drop { $0 == space }
            if line.starts(with: "<page ".utf8) {
                pages.append(PDFText())
            } else if line.starts(with: "<word ".utf8) {
                guard !pages.isEmpty, pages[pages.count - 1].add(word: line) else { return nil }
            }
        }
        return pages
    }

    /// - Parameter line: such as `<word xMin="1.0" yMin="2.0" xMax="3.0" yMax="4.0">text</word>`.
    private mutating func add(word line: ArraySlice<UInt8>) -> Bool {
        guard let end = line.firstIndex(of: UInt8(ascii: ">")) else { return false }
        let parts = line[..<end].split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        let names = ["<word xMin=", " yMin=", " xMax=", " yMax="]
        guard parts.count == 9 else { return false }
        var numbers: [Double] = []
        for (index, name) in names.enumerated() {
            guard parts[2 * index].elementsEqual(name.utf8),
                let number = Double(String(decoding: parts[2 * index + 1], as: UTF8.self)), number.isFinite
            else { return false }
            numbers.append(number)
        }
        let content = line[(end + 1)...]
        guard let close = content.firstIndex(of: UInt8(ascii: "<")), content[close...].starts(with: "</word>".utf8)
        else { return false }
        if !text.isEmpty { text.append(Self.space) }
        words.append((text.count, Box(minX: numbers[0], minY: numbers[1], maxX: numbers[2], maxY: numbers[3])))
        text += Self.letters(of: Self.unescaped(content[..<close]))
        return true
    }

    /// The ligatures of fonts as letters (U+FB00 to U+FB06), and no soft hyphens (U+00AD): programs that write texts
    /// put them in, and nobody sees them.
    static func letters(of word: [UInt8]) -> [UInt8] {
        // Both begin with a byte that ASCII does not have.
        guard word.contains(where: { $0 == 0xEF || $0 == 0xC2 }) else { return word }
        var letters: [UInt8] = []
        for scalar in String(decoding: word, as: UTF8.self).unicodeScalars where scalar.value != 0xAD {
            switch scalar.value {
            case 0xFB00...0xFB06: letters += ligatures[Int(scalar.value - 0xFB00)].utf8
            default: letters += String(scalar).utf8
            }
        }
        return letters
    }

    private static let ligatures = ["ff", "fi", "fl", "ffi", "ffl", "st", "st"]

    private static let entities: [([UInt8], UInt8)] = [
        (Array("&lt;".utf8), UInt8(ascii: "<")), (Array("&gt;".utf8), UInt8(ascii: ">")),
        (Array("&quot;".utf8), UInt8(ascii: "\"")), (Array("&apos;".utf8), UInt8(ascii: "'")),
        (Array("&amp;".utf8), UInt8(ascii: "&")),
    ]

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes
        while let byte = rest.first {
            if byte == UInt8(ascii: "&"), let (name, value) = entities.first(where: { rest.starts(with: $0.0) }) {
                result.append(value)
                rest = rest.dropFirst(name.count)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    /// The places of a text, which has single spaces between its words. Each place is on one line.
    func places(of wanted: [UInt8]) -> [Box] {
        var places: [Box] = []
        var word = 0
        var start = 0
        while start + wanted.count <= text.count {
            guard text[start..<start + wanted.count].elementsEqual(wanted) else {
                start += 1
                continue
            }
            let end = start + wanted.count
            // The words that the text touches.
            while word + 1 < words.count, words[word + 1].start <= start { word += 1 }
            var box = words[word].box
            var isOneLine = true
            var next = word + 1
            while next < words.count, words[next].start < end {
                if !words[next].box.isBeside(box) { isOneLine = false }
                box = box.union(words[next].box)
                next += 1
            }
            if isOneLine { places.append(box) }
            start = end
        }
        return places
    }
}
