// SPDX-License-Identifier: Apache-2.0
import Document

/// The words of a page in their lines, in the order of reading, as `pdftotext -bbox-layout` writes them.
struct PDFText {
    /// A rectangle in points of the page as it is shown, y down from its top.
    struct Box: Equatable {
        var minX, minY, maxX, maxY: Double

        var width: Double { maxX - minX }
        var height: Double { maxY - minY }

        func union(_ other: Box) -> Box {
            Box(
                minX: min(minX, other.minX), minY: min(minY, other.minY), maxX: max(maxX, other.maxX),
                maxY: max(maxY, other.maxY))
        }

        /// Whether at least a share of the smaller box is in the other.
        func covers(_ other: Box, _ share: Double = 0.5) -> Bool {
            let width = min(maxX, other.maxX) - max(minX, other.minX)
            let height = min(maxY, other.maxY) - max(minY, other.minY)
            if width <= 0 || height <= 0 { return self == other }
            return width * height >= min(self.width * self.height, other.width * other.height) * share
        }

        /// Whether the other box is as near as a letter is high, or nearer.
        func isNear(_ other: Box) -> Bool {
            let gap = max(
                max(minX, other.minX) - min(maxX, other.maxX), max(minY, other.minY) - min(maxY, other.maxY))
            return gap <= max(min(width, height), min(other.width, other.height))
        }
    }

    struct Word {
        var letters: [UInt32]
        var box: Box
        /// Whether it ends with a hyphen that is there only because the line ends.
        var endsSoftly: Bool
    }

    struct Line {
        private(set) var words: [Word] = []
        private(set) var box = Box(minX: 0, minY: 0, maxX: 0, maxY: 0)
        /// How it follows the line before it.
        var joint = Joint.none
        /// The number of its row; lines beside each other are in one.
        var row = 0

        mutating func add(_ word: Word) {
            box = words.isEmpty ? word.box : box.union(word.box)
            words.append(word)
        }
    }

    /// How a line follows the one before it in the order of reading.
    enum Joint {
        /// It is elsewhere on the page.
        case none
        case beside
        case below
    }

    static let isTooOften = PDFError.tooComplex(reason: "the text is there too often")
    /// The most letters of a page that are searched.
    private static let mostLetters = 4 << 20

    private(set) var lines: [Line] = []
    private var letterCount = 0
    /// The boxes of the last words with the same letters.
    private var boxes: [[UInt32]: [Box]] = [:]

    // MARK: reading

    /// Reads the output of `pdftotext -bbox-layout`: pages, lines and words count. `pdftotext -raw -bbox` writes
    /// only words, in the order in which they are drawn: words near each other are then one line, also at an angle.
    /// - Returns: nil if it is not such output.
    /// - Throws: ``PDFError/tooComplex(reason:)``
    static func pages(in output: [UInt8], isRaw: Bool = false) throws(PDFError) -> [PDFText]? {
        var pages: [PDFText] = []
        let space = UInt8(ascii: " ")
        for line in output.split(separator: UInt8(ascii: "\n")) {
            let line = line.drop { $0 == space }
            if line.starts(with: "<page ".utf8) {
                if !pages.isEmpty { pages[pages.count - 1].end(isRaw) }
                pages.append(PDFText())
            } else if line.starts(with: "<line ".utf8) {
                guard !pages.isEmpty else { return nil }
                pages[pages.count - 1].lines.append(Line())
            } else if line.starts(with: "<word ".utf8) {
                if isRaw, !pages.isEmpty { pages[pages.count - 1].lines.append(Line()) }
                guard !pages.isEmpty, pages[pages.count - 1].add(word: line) else { return nil }
                if pages[pages.count - 1].letterCount > mostLetters {
                    throw .tooComplex(reason: "page \(pages.count) has too much text to find one in it")
                }
            }
        }
        if !pages.isEmpty { pages[pages.count - 1].end(isRaw) }
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
        let text = String(decoding: Self.unescaped(content[..<close]), as: UTF8.self)
        let letters = SearchLetters.of(text)
        let box = Box(minX: numbers[0], minY: numbers[1], maxX: numbers[2], maxY: numbers[3])
        if lines.isEmpty { lines.append(Line()) }
        letterCount += letters.count + 1
        if letters.isEmpty || isRepeated(letters, box) { return true }
        let word = Word(letters: letters, box: box, endsSoftly: SearchLetters.endsSoftly(text))
        lines[lines.count - 1].add(word)
        return true
    }

    /// Whether the same word is there already: programs draw a shadow, or a bold letter, by drawing it twice, and put
    /// an invisible text over a scanned one.
    private mutating func isRepeated(_ letters: [UInt32], _ box: Box) -> Bool {
        var others = boxes[letters, default: []]
        if others.contains(where: { $0.covers(box, 0.3) }) { return true }
        others.append(box)
        boxes[letters] = Array(others.suffix(32))
        return false
    }

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

    /// Finds out how the lines follow each other.
    private mutating func end(_ isRaw: Bool) {
        boxes = [:]
        lines.removeAll(where: \.words.isEmpty)
        for index in lines.indices.dropFirst() {
            let (line, before) = (lines[index], lines[index - 1])
            if isRaw {
                lines[index].joint = line.box.isNear(before.box) ? .beside : .none
            } else {
                let joint = line.joint(after: before)
                // A line after texts beside each other is below only one of them.
                let isBelowAll = line.pieces.count == 1 && before.pieces.count == 1
                lines[index].joint = joint == .below && !isBelowAll ? .none : joint
            }
            lines[index].row = lines[index - 1].row + (lines[index].joint == .beside ? 0 : 1)
        }
    }

    /// The lines in the order in which they are below each other, in pieces where there is a wide space between words:
    /// pdftotext has texts beside each other, such as the words below two lines to sign on, as one line.
    var byColumns: PDFText {
        var pieces = lines.flatMap(\.pieces)
        /// The piece below each piece.
        var below = [Int?](repeating: nil, count: pieces.count)
        var isBelow = [Bool](repeating: false, count: pieces.count)
        for index in pieces.indices {
            let others = pieces[(index + 1)...].prefix(32).indices
            below[index] = others.first { !isBelow[$0] && pieces[$0].joint(after: pieces[index]) == .below }
            if let next = below[index] { isBelow[next] = true }
        }
        var ordered: [Line] = []
        for start in pieces.indices where !isBelow[start] {
            var (next, joint): (Int?, Joint) = (start, .none)
            while let index = next {
                pieces[index].joint = joint
                pieces[index].row = ordered.count
                ordered.append(pieces[index])
                (next, joint) = (below[index], .below)
            }
        }
        var columns = PDFText()
        columns.lines = ordered
        return columns
    }

    // MARK: searching

    /// The places of a text on a page. Places that overlap are one.
    /// - Parameters:
    ///   - wanted: see ``SearchLetters``.
    ///   - texts: the page, in several orders of its lines.
    static func places(
        of wanted: [UInt32], in texts: [PDFText], _ spaces: TextStream.Spaces
    ) throws(PDFError) -> [Box] {
        var hits: [Hit] = []
        for text in texts { try text.add(&hits, of: wanted, spaces) }
        return hits.map(\.box)
    }

    private func add(_ hits: inout [Hit], of wanted: [UInt32], _ spaces: TextStream.Spaces) throws(PDFError) {
        let isRightToLeft = wanted.contains(where: SearchLetters.isRightToLeft)
        try add(&hits, of: wanted, spaces, .leftToRight)
        if isRightToLeft {
            try add(&hits, of: wanted, spaces, .rightToLeft)
            // The order of words and numbers in a line does not always follow from the order in which they are drawn.
            for order in [TextStream.rightToLeft(wanted, wanted.indices), TextStream.leftToRight(wanted)] {
                try add(&hits, of: order.map { wanted[$0] }, spaces, .asDrawn)
            }
        }
    }

    private func add(
        _ hits: inout [Hit], of wanted: [UInt32], _ spaces: TextStream.Spaces, _ direction: TextStream.Direction
    ) throws(PDFError) {
        let isRightToLeft = wanted.contains(where: SearchLetters.isRightToLeft)
        var wanted = isRightToLeft ? SearchLetters.plain(wanted) : wanted
        if spaces == .ignored { wanted.removeAll { $0 == SearchLetters.space } }
        let search = LetterSearch(wanted)
        for hyphen in hasHyphens ? TextStream.Hyphen.allCases : [.endsWord] {
            let kind = TextStream.Kind(
                spaces: spaces, hyphen: hyphen, direction: direction, isPlain: isRightToLeft)
            let stream = TextStream(of: self, kind)
            var last: Hit?
            for start in search.places(in: stream.letters) {
                if spaces == .ignored, !stream.isStart(start) { continue }
                let hit = hit(of: stream.owners[start..<(start + wanted.count)])
                if hit == last || hits.contains(where: { $0.isSame(hit) }) { continue }
                if hits.count > HelperLimits.hits { throw Self.isTooOften }
                hits.append(hit)
                last = hit
            }
        }
    }

    /// Whether a word may go on after a hyphen.
    private var hasHyphens: Bool {
        lines.contains { line in
            line.words.contains { $0.letters.last == SearchLetters.hyphen || $0.letters.first == SearchLetters.hyphen }
        }
    }

    /// A place: a box in each row.
    private struct Hit: Equatable {
        var parts: [Box]

        var box: Box { parts.dropFirst().reduce(parts[0]) { $0.union($1) } }

        /// Whether each part of both overlaps with one of the other.
        func isSame(_ other: Hit) -> Bool {
            parts.allSatisfy { part in other.parts.contains { $0.covers(part) } }
                && other.parts.allSatisfy { part in parts.contains { $0.covers(part) } }
        }
    }

    /// - Parameter owners: not empty.
    private func hit(of owners: ArraySlice<TextStream.Owner>) -> Hit {
        var rows: [(row: Int, box: Box)] = []
        for owner in owners {
            let line = lines[Int(owner.line)]
            let box = line.words[Int(owner.word)].box
            if let index = rows.firstIndex(where: { $0.row == line.row }) {
                rows[index].box = rows[index].box.union(box)
            } else {
                rows.append((line.row, box))
            }
        }
        return Hit(parts: rows.map(\.box))
    }

    /// Adds the texts of the rows to those that may be meant.
    func addRows(to near: inout NearTexts) {
        var words: [[UInt32]] = []
        for line in lines {
            if line.joint != .beside {
                near.add(row: words)
                words = []
            }
            let letters = TextStream.letters(of: line, line.isMostlyRightToLeft ? .rightToLeft : .leftToRight)
            words += letters.split(separator: SearchLetters.space).map { Array($0) }
            if near.isFull { return }
        }
        near.add(row: words)
    }
}

extension PDFText.Line {
    /// Whether it goes up or down, as on a page that was turned; nil for short ones, of which one cannot say it.
    private var isVertical: Bool? {
        guard let first = words.first?.box, let last = words.last?.box else { return nil }
        if words.count == 1 {
            if words[0].letters.count < 3 { return nil }
            return first.height > first.width
        }
        let (x, y) = (last.minX + last.maxX - first.minX - first.maxX, last.minY + last.maxY - first.minY - first.maxY)
        return y.magnitude > x.magnitude
    }

    /// The parts between wide spaces.
    fileprivate var pieces: [PDFText.Line] {
        var pieces = [PDFText.Line()]
        for word in words {
            if let before = pieces[pieces.count - 1].words.last, !before.box.isNear(word.box) {
                pieces.append(PDFText.Line())
            }
            pieces[pieces.count - 1].add(word)
        }
        return pieces
    }

    var isRightToLeft: Bool { words.contains { $0.letters.contains(where: SearchLetters.isRightToLeft) } }

    var isMostlyRightToLeft: Bool {
        var sum = 0
        for letter in words.lazy.flatMap(\.letters) {
            if SearchLetters.isRightToLeft(letter) {
                sum += 1
            } else if SearchLetters.isLeftToRight(letter) {
                sum -= 1
            }
        }
        return sum > 0
    }

    fileprivate func joint(after other: PDFText.Line) -> PDFText.Joint {
        if let own = isVertical, let others = other.isVertical, own != others { return .none }
        let isVertical = isVertical ?? other.isVertical ?? false
        let (own, before) = (box, other.box)
        /// The edges along the line, and those across it.
        func edges(_ box: PDFText.Box, along: Bool) -> (low: Double, high: Double) {
            along != isVertical ? (box.minX, box.maxX) : (box.minY, box.maxY)
        }
        func shared(along: Bool) -> Double {
            let (a, b) = (edges(own, along: along), edges(before, along: along))
            return min(a.high, b.high) - max(a.low, b.low)
        }
        let (a, b) = (edges(own, along: false), edges(before, along: false))
        let least = min(a.high - a.low, b.high - b.low)
        let most = max(a.high - a.low, b.high - b.low)
        if shared(along: false) >= least / 2 { return .beside }
        return shared(along: true) > 0 && -shared(along: false) <= 1.5 * most ? .below : .none
    }
}
