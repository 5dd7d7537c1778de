// SPDX-License-Identifier: Apache-2.0

/// What somebody who mistyped a word may have meant.
package enum Suggestion {
    /// Longer words are nobody's slip of the finger, and comparing them takes long.
    private static let longestWord = 40

    /// The nearest of some words; nil when none is near.
    package static func nearest(to word: String, of candidates: [String]) -> String? {
        guard word.count <= longestWord else { return nil }
        let typed = word.lowercased()
        let near = candidates.map { (word: $0, distance: distance(typed, $0.lowercased())) }
            // A third of the letters wrong is as far as a guess is more often right than odd.
            .filter { $0.distance <= max(1, max(typed.count, $0.word.count) / 3) }
            .min { $0.distance < $1.distance }
        if let near { return near.word }
        // Half of a compound: `width` for `width-mm`.
        let longer = candidates.filter { typed.count >= 3 && $0.hasPrefix(typed + "-") }
        return longer.count == 1 ? longer[0] : nil
    }

    /// How many letters are to be left out, put in, replaced or exchanged with their neighbours to make one word of the
    /// other (optimal string alignment).
    static func distance(_ one: String, _ other: String) -> Int {
        let (a, b) = (Array(one), Array(other))
        var rows = [Array(0...b.count)]
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, rows[i - 1][j - 1] + 1) }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
