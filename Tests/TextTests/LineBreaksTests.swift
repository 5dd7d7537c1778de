// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing
import Text

@Suite("Line breaks", .serialized)
struct LineBreaksTests {
    @Test("are after spaces and hyphens, and not before them")
    func words() {
        #expect(LineBreaks.pieces(of: "one two  three-four") == ["one ", "two  ", "three-", "four"])
        #expect(LineBreaks.pieces(of: "word") == ["word"])
        #expect(LineBreaks.pieces(of: "") == [])
        // A no-break space.
        #expect(LineBreaks.pieces(of: "10\u{A0}mm wide") == ["10\u{A0}mm ", "wide"])
    }

    @Test("are between ideographs, but not before what ends a clause")
    func ideographs() {
        let pieces = LineBreaks.pieces(of: "请在此处签名。谢谢")
        #expect(pieces == ["请", "在", "此", "处", "签", "名。", "谢", "谢"])
    }

    @Test("are not within what is one letter to who reads it")
    func clusters() {
        let family = "👨‍👩‍👧‍👦"
        #expect(LineBreaks.pieces(of: "a \(family) b") == ["a ", "\(family) ", "b"])
        #expect(LineBreaks.pieces(of: "कृपया यहाँ") == ["कृपया ", "यहाँ"])
        #expect(LineBreaks.pieces(of: "يرجى التوقيع") == ["يرجى ", "التوقيع"])
    }

    @Test("leave any text whole", arguments: 0..<20 as Range<UInt64>)
    func joined(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                let top: UInt32 = Bool.random(using: &random) ? 0x7F : 0x1_FFFF
                if let scalar = Unicode.Scalar(UInt32.random(in: 0...top, using: &random)) { text.append(scalar) }
            }
            let pieces = LineBreaks.pieces(of: String(text))
            #expect(pieces.flatMap(\.unicodeScalars) == Array(text))
            #expect(pieces.allSatisfy { !$0.unicodeScalars.isEmpty })
        }
    }
}
