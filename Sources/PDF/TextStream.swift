// SPDX-License-Identifier: Apache-2.0

/// The letters of a page one after the other, in one of the ways in which people read them.
struct TextStream {
    /// Whether the spaces between words count.
    enum Spaces { case asWritten, ignored }

    /// How a word goes on that ends with a hyphen at the end of its line.
    enum Hyphen: CaseIterable {
        /// The hyphen belongs to the word, and another word follows.
        case endsWord
        /// The hyphen is there because the line ends.
        case isLeftOut
        /// The hyphen belongs to the word, which goes on.
        case isPart
    }

    /// The direction of lines with letters from right to left.
    enum Direction {
        case leftToRight, rightToLeft
        /// All letters from the left, as pdftotext has them.
        case asDrawn
    }

    struct Kind {
        var spaces: Spaces
        var hyphen: Hyphen
        var direction: Direction
        /// Whether the letters are in the form of ``SearchLetters/plain(_:)``.
        var isPlain: Bool
    }

    /// A word of a line.
    struct Owner: Equatable { var line, word: UInt32 }

    private(set) var letters: [UInt32] = []
    /// The word of each letter; a space belongs to the word before it.
    private(set) var owners: [Owner] = []

    /// No letter; no text goes over it.
    private static let end: UInt32 = 0x11_0000

    init(of text: PDFText, _ kind: Kind) {
        var endsSoftly = false
        for (number, line) in text.lines.enumerated() {
            let part = Self.ordered(line, number: UInt32(number), kind.direction)
            guard let first = part.letters.first else { continue }
            join(first, line.joint, endsSoftly: endsSoftly, kind.hyphen)
            letters += kind.isPlain ? SearchLetters.plain(part.letters) : part.letters
            owners += part.owners
            endsSoftly = line.words.last?.endsSoftly == true
        }
        if kind.spaces == .ignored {
            owners = zip(letters, owners).filter { $0.0 != SearchLetters.space }.map(\.1)
            letters.removeAll { $0 == SearchLetters.space }
        }
    }

    /// Adds what is between two lines.
    private mutating func join(_ next: UInt32, _ joint: PDFText.Joint, endsSoftly: Bool, _ hyphen: Hyphen) {
        guard let last = letters.last, let owner = owners.last else { return }
        func add(_ letter: UInt32) {
            letters.append(letter)
            owners.append(owner)
        }
        switch joint {
        case .none: add(Self.end)
        case .beside: if SearchLetters.needsSpace(last, next) { add(SearchLetters.space) }
        case .below:
            if endsSoftly { return }
            if last == SearchLetters.hyphen, letters.count > 1, letters[letters.count - 2] != SearchLetters.space {
                switch hyphen {
                case .endsWord: break
                case .isLeftOut:
                    letters.removeLast()
                    owners.removeLast()
                    return
                case .isPart: return
                }
            }
            if SearchLetters.needsSpace(last, next) { add(SearchLetters.space) }
        }
    }

    /// Whether a word begins at a place.
    func isStart(_ place: Int) -> Bool { place == 0 || owners[place - 1] != owners[place] }

    // MARK: the direction of a line

    static func letters(of line: PDFText.Line, _ direction: Direction) -> [UInt32] {
        ordered(line, number: 0, direction).letters
    }

    /// The letters of a line in the order of reading. pdftotext has those of each line from left to right.
    private static func ordered(
        _ line: PDFText.Line, number: UInt32, _ direction: Direction
    ) -> (letters: [UInt32], owners: [Owner]) {
        var letters: [UInt32] = []
        var owners: [Owner] = []
        for (index, word) in line.words.enumerated() {
            if let last = letters.last, let first = word.letters.first, let owner = owners.last,
                SearchLetters.needsSpace(last, first)
            {
                letters.append(SearchLetters.space)
                owners.append(owner)
            }
            letters += word.letters
            owners += [Owner](repeating: Owner(line: number, word: UInt32(index)), count: word.letters.count)
        }
        guard direction != .asDrawn, line.isRightToLeft else { return (letters, owners) }
        let order = direction == .rightToLeft ? rightToLeft(letters, letters.indices) : leftToRight(letters)
        return (order.map { letters[$0] }, order.map { owners[$0] })
    }

    /// The order of reading of letters that are drawn in a line from right to left: from its end, but words of other
    /// scripts and numbers from their beginning (UAX #9). The same gives the order of drawing of letters that are read.
    static func rightToLeft(_ letters: [UInt32], _ range: Range<Int>) -> [Int] {
        var runs: [Range<Int>] = []
        var place = range.lowerBound
        while place < range.upperBound {
            let start = place
            guard SearchLetters.isLeftToRight(letters[place]) || SearchLetters.isDigit(letters[place]) else {
                runs.append(place..<(place + 1))
                place += 1
                continue
            }
            var isWord = false
            // The end of the run: the last letter or digit that belongs to it.
            var end = place + 1
            scan: while place < range.upperBound {
                let letter = letters[place]
                if SearchLetters.isLeftToRight(letter) {
                    // A space between a number and a word is not part of the run.
                    if !isWord, place > end { break scan }
                    isWord = true
                    end = place + 1
                } else if SearchLetters.isDigit(letter) {
                    if !isWord, place > end, place > end + 1 || !isSeparator(letters[end]) { break scan }
                    end = place + 1
                } else if SearchLetters.isRightToLeft(letter) {
                    break scan
                }
                place += 1
            }
            runs.append(start..<end)
            place = end
        }
        return runs.reversed().flatMap { Array($0) }
    }

    /// The order of reading of letters that are drawn in a line from left to right, with words from right to left.
    static func leftToRight(_ letters: [UInt32]) -> [Int] {
        var order: [Int] = []
        var place = 0
        while place < letters.count {
            guard SearchLetters.isRightToLeft(letters[place]) else {
                order.append(place)
                place += 1
                continue
            }
            let start = place
            var end = place + 1
            while place < letters.count, !SearchLetters.isLeftToRight(letters[place]) {
                if SearchLetters.isRightToLeft(letters[place]) { end = place + 1 }
                place += 1
            }
            order += rightToLeft(letters, start..<end)
            place = end
        }
        return order
    }

    /// Whether the letter can be within a number.
    private static func isSeparator(_ letter: UInt32) -> Bool {
        ",.:/-+".unicodeScalars.contains { $0.value == letter }
    }
}

/// Finds letters in letters, in a time that grows with the sum of both (D. Knuth, J. Morris, V. Pratt, 1977).
struct LetterSearch {
    private let wanted: [UInt32]
    /// The count of equal letters that still holds after the next letter differs, for each count.
    private var shorter: [Int]

    init(_ wanted: [UInt32]) {
        self.wanted = wanted
        shorter = [Int](repeating: 0, count: wanted.count + 1)
        var count = 0
        for index in wanted.indices.dropFirst() {
            while count > 0, wanted[count] != wanted[index] { count = shorter[count] }
            if wanted[count] == wanted[index] { count += 1 }
            shorter[index + 1] = count
        }
    }

    /// The starts of the text; places do not overlap.
    func places(in letters: [UInt32]) -> [Int] {
        if wanted.isEmpty { return [] }
        var places: [Int] = []
        var count = 0
        for (index, letter) in letters.enumerated() {
            while count > 0, wanted[count] != letter { count = shorter[count] }
            if wanted[count] == letter { count += 1 }
            guard count == wanted.count else { continue }
            places.append(index + 1 - count)
            count = 0
        }
        return places
    }
}
