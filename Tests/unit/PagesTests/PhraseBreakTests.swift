// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pad
import Testing

@testable import Pages

@Suite("Lines of Japanese and Korean")
struct PhraseBreakTests {
    /// The text with | wherever Unicode's rules or the joiners leave a place to end a line within Japanese or Korean.
    private static func pieces(_ text: String) -> String {
        var result = ""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            let joined = PhraseBreaks.joined(text).unicodeScalars.split(separator: "\u{2060}").map(\.count)
            var (start, starts) = (0, Set<Int>())
            for count in joined {
                for place in start + 1..<max(start + 1, start + count) { starts.insert(place) }
                start += count
            }
            if starts.contains(index) { result += "|" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    @Test(
        "a line ends between phrases",
        arguments: [
            ("署名が小さすぎます。もう少し大きく、もう一度ご署名ください。", "署名が|小さすぎます|。|もう|少し|大きく|、|もう|一度ご署名ください|。"),
            ("お名前をすべてご署名ください", "お名前を|すべてご署名ください"),
            ("荷物を受け取りました", "荷物を|受け|取りました"),
            ("クリアボタン", "クリアボタン"),
        ])
    func japanese(text: String, pieces: String) { #expect(Self.pieces(text) == pieces) }

    @Test("Korean lines end at spaces, and other texts are left alone")
    func others() {
        #expect(Self.pieces("서명이 너무 작습니다") == "서명이| |너무| |작습니다")
        for text in ["签名太小了。请再签一次，稍微写大一点。", "Please sign", "توقيع", ""] {
            #expect(PhraseBreaks.joined(text) == text)
        }
    }

    @Test("no word of a shipped refusal is broken at any width that has room for it", arguments: ["ja", "ko"])
    func drawn(tag: String) throws {
        let language = try #require(MessageTable.Language(rawValue: tag))
        let fonts = try Fonts()
        let text = MessageTable(language)[.refusedSmall]
        let style = TextStyle(em: 20)
        let whole = try TextBlock(text, style: style, fonts: fonts)
        #expect(whole.missingCharacters.isEmpty || whole.size.width > 0)
        for width in stride(from: 200, through: whole.size.width + 20, by: 7) {
            let block = try TextBlock(text, style: style, width: width, fonts: fonts)
            #expect(!block.breaksWords && block.size.width <= width)
        }
        // A word that is too wide is broken rather than cut.
        #expect(try TextBlock(text, style: style, width: 30, fonts: fonts).breaksWords)
    }
}
