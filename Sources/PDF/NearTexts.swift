// SPDX-License-Identifier: Apache-2.0

/// The texts of a document that are most like one that is not in it, for the message.
struct NearTexts {
    private static let most = 3
    /// The least likeness: the share of pairs of letters that both have.
    private static let least = 0.5
    /// The longest text of the message, in letters.
    private static let longest = 100
    /// The most letters that are compared.
    private static let budget = 2 << 20

    private let wanted: [Pair: Int]
    private let wantedCount: Int
    private let wordCount: Int
    private var found: [(likeness: Double, text: [UInt32])] = []
    private var compared = 0

    private struct Pair: Hashable { var first, second: UInt32 }

    init(of wanted: [UInt32]) {
        let words = wanted.split(separator: SearchLetters.space)
        let pairs = Self.pairs(of: words.flatMap { $0 }.prefix(Self.longest))
        self.wanted = Dictionary(pairs.map { ($0, 1) }, uniquingKeysWith: +)
        (wantedCount, wordCount) = (pairs.count, words.count)
    }

    /// The most alike first.
    var texts: [String] { found.map { SearchLetters.text($0.text) } }

    /// Whether no more rows are compared.
    var isFull: Bool { compared > Self.budget }

    private static func pairs(of letters: some Sequence<UInt32>) -> [Pair] {
        let letters = letters.map(SearchLetters.lowercase)
        return zip(letters, letters.dropFirst()).map { Pair(first: $0, second: $1) }
    }

    /// Compares the parts of a row, and keeps the most alike.
    mutating func add(row words: [[UInt32]]) {
        if wantedCount == 0 { return }
        var best: (likeness: Double, part: ArraySlice<[UInt32]>)?
        defer { if let best { add(best.part, likeness: best.likeness) } }
        for count in max(1, wordCount - 1)...(wordCount + 1) where words.count >= min(count, wordCount) {
            for start in 0...max(0, words.count - count) {
                let part = words[start..<min(words.count, start + count)]
                let letters = part.lazy.flatMap { $0 }
                let length = part.reduce(0) { $0 + $1.count }
                compared += length + 1
                if isFull { return }
                if length > Self.longest { continue }
                let likeness = likeness(of: letters)
                if likeness > best?.likeness ?? 0 { best = (likeness, part) }
            }
        }
    }

    /// The coefficient of L. Dice (1945) of the pairs of letters.
    private func likeness(of letters: some Sequence<UInt32>) -> Double {
        var rest = wanted
        var (shared, count) = (0, 0)
        for pair in Self.pairs(of: letters) {
            count += 1
            guard let left = rest[pair], left > 0 else { continue }
            rest[pair] = left - 1
            shared += 1
        }
        return count == 0 ? 0 : 2 * Double(shared) / Double(wantedCount + count)
    }

    private mutating func add(_ words: ArraySlice<[UInt32]>, likeness: Double) {
        if likeness < Self.least { return }
        let text = Array(words.joined(separator: [SearchLetters.space]))
        // Only the more alike of two texts stays if one contains the other.
        if let index = found.firstIndex(where: { Self.contains($0.text, text) || Self.contains(text, $0.text) }) {
            if found[index].likeness >= likeness { return }
            found.remove(at: index)
        }
        let place = found.firstIndex { $0.likeness < likeness } ?? found.count
        found.insert((likeness, text), at: place)
        if found.count > Self.most { found.removeLast() }
    }

    private static func contains(_ letters: [UInt32], _ part: [UInt32]) -> Bool {
        !LetterSearch(part).places(in: letters).isEmpty
    }
}
