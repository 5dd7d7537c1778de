// SPDX-License-Identifier: Apache-2.0

/// Cuts a text into the pieces that are spoken and recorded, so that silence and repetition need not wait for its end.
enum SpokenText {
    /// The longest piece, in Unicode scalars: half a minute.
    static let longestPiece = 300
    /// The most combining marks that a letter keeps: more cannot be heard, and readers of records refuse more than a
    /// hundred.
    private static let mostMarks = 10

    /// Cuts a text at the ends of lines and sentences, or else between words. Linear in its length.
    static func pieces(of text: String) -> [String] {
        var (pieces, piece) = ([String](), [Unicode.Scalar]())
        // The number of scalars to the last end of a sentence, and to the last space.
        var (sentence, word, marks) = (0, 0, 0)
        func finish(_ count: Int) {
            let cut = piece.prefix(count)
            if cut.contains(where: { !$0.properties.isWhitespace }) {
                var scalars = String.UnicodeScalarView()
                scalars.append(contentsOf: cut)
                pieces.append(String(scalars))
            }
            piece.removeFirst(count)
            // The rest contains no end of a sentence, so only its last space is searched.
            (sentence, word) = (0, piece.lastIndex { $0.properties.isWhitespace }.map { $0 + 1 } ?? 0)
        }
        for scalar in text.unicodeScalars {
            if isLineEnd(scalar) {
                finish(piece.count)
                continue
            }
            guard let said = spoken(scalar) else { continue }
            marks = said.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            if marks > mostMarks { continue }
            if said.properties.isWhitespace {
                // A point within a number ends nothing.
                if let last = piece.last, ".!?;:\u{61F}\u{964}".unicodeScalars.contains(last) { sentence = piece.count }
                word = piece.count + 1
            }
            piece.append(said)
            if "\u{3002}\u{FF01}\u{FF1F}".unicodeScalars.contains(said) { sentence = piece.count }
            if piece.count == longestPiece { finish(sentence > 0 ? sentence : word > 0 ? word : piece.count) }
        }
        finish(piece.count)
        return pieces
    }

    private static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        [0xA, 0xB, 0xC, 0xD, 0x85, 0x2028, 0x2029].contains(scalar.value)
    }

    /// The character as it is spoken; nil for one without a sound, such as a soft hyphen. Joiners are kept, because
    /// they shape the letters of Indic scripts.
    private static func spoken(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.properties.generalCategory {
        case .control, .privateUse, .surrogate, .unassigned: " "
        case .format: scalar.value == 0x200C || scalar.value == 0x200D ? scalar : nil
        default: scalar
        }
    }
}
