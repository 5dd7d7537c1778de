// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pages
import Raster
import Testing
import TestSupport

@Suite("Text line", .serialized)
struct TextLineTests {
    private static let style = TextStyle(size: 20)
    private let fonts: FontsBox

    /// Move-only values do not fit into a suite.
    private final class FontsBox {
        let fonts: Fonts
        init() throws { fonts = try Fonts() }
    }

    init() throws { fonts = try FontsBox() }

    private func line(_ text: String, _ style: TextStyle = style, maximumWidth: Int? = nil) throws -> TextLine {
        try TextLine(text, style: style, maximumWidth: maximumWidth, fonts: fonts.fonts)
    }

    /// The rows of a picture with the text on it, so large that all of it fits.
    private func drawn(_ text: String, _ style: TextStyle = style) throws -> [[UInt32]] {
        let buffer = PixelBuffer(size: PixelSize(width: 300, height: 60))
        try line(text, style).draw(on: buffer.surface, x: 20, baseline: 40)
        return (0..<60).map { y in (0..<300).map { buffer.surface.row(y)[$0] & 0xFF_FFFF } }
    }

    @Test("is on its baseline, within its bounds, and has the size of its style")
    func size() throws {
        let small = try line("Hxn")
        #expect(small.inkBounds.minY < -10 && -1...1 ~= small.inkBounds.maxY, "no letter has a descender")
        #expect(small.bounds.minY <= small.inkBounds.minY && small.bounds.maxY > 0)
        #expect(15...30 ~= small.bounds.height && small.bounds.width >= small.inkBounds.width - 2)
        let large = try line("Hxn", TextStyle(size: 80))
        #expect(abs(large.bounds.width - 4 * small.bounds.width) < 8)
        #expect(try line("HxnHxn").bounds.width == 2 * small.bounds.width)
        #expect(try line("Hxn", TextStyle(size: 20, weight: .bold)).bounds.width >= small.bounds.width)
    }

    @Test("has ink exactly within its ink bounds")
    func ink() throws {
        let white = TextStyle(size: 20, color: .white)
        let bounds = try line("fjÅgß", white).inkBounds
        for (y, row) in try drawn("fjÅgß", white).enumerated() {
            for (x, pixel) in row.enumerated() where pixel != 0 {
                let isInside = bounds.minX...bounds.maxX ~= x - 20 && bounds.minY...bounds.maxY ~= y - 40
                if !isInside { Issue.record("ink at \(x), \(y)") }
            }
        }
        #expect(try drawn("fjÅgß", white).joined().contains(0xFF_FFFF))
    }

    @Test("has the colour of its style")
    func color() throws {
        let red = Array(try drawn("M", TextStyle(size: 40, color: Color(red: 255, green: 0, blue: 0))).joined())
        #expect(red.contains(0xFF_0000))
        let otherColors = red.filter { $0 & 0xFFFF != 0 }
        #expect(otherColors.isEmpty)
        let clear = try drawn("M", TextStyle(size: 40, color: Color(red: 255, green: 0, blue: 0, alpha: 0)))
        let inked = clear.joined().filter { $0 != 0 }
        #expect(inked.isEmpty)
    }

    @Test("runs in the direction of its script")
    func bidirectional() throws {
        let white = TextStyle(size: 20, color: .white)
        // The override turns Latin letters round, so two spellings are one picture.
        #expect(try drawn("\u{202E}ox", white) == drawn("xo", white))
        #expect(try drawn("xo", white) != drawn("ox", white))
        // A number within Hebrew keeps its direction, and so do the letters around it.
        #expect(try drawn("\u{5D0}\u{5D1}", white) == drawn("\u{202D}\u{5D1}\u{5D0}", white))
    }

    @Test(
        "accepts every string", arguments: [
            "", " ", "\0", "a\0b", "\n", "a\r\nb\u{2028}c", "\u{FEFF}", "\u{301}", "\u{202E}", "\u{10FFFF}",
            "\u{E000}", String(repeating: "\u{301}", count: 500), String(repeating: "👩‍👩‍👧‍👦", count: 100),
            "\u{7F}\u{9B}31m",
        ])
    func anyString(text: String) throws {
        let line = try line(text)
        #expect(line.bounds.height > 0)
        let buffer = PixelBuffer(size: PixelSize(width: 30, height: 30))
        for x in [-10_000, -20, 0, 29, 10_000, Int.max / 2, -Int.max / 2] {
            line.draw(on: buffer.surface, x: x, baseline: 20)
        }
    }

    @Test("has the height of a line and no ink if it is empty")
    func empty() throws {
        let (empty, full) = (try line("").bounds, try line("x").bounds)
        #expect(empty.width == 0 && empty.height == full.height && empty.minY == full.minY)
        #expect(try line("").inkBounds.isEmpty)
    }

    @Test("shows line breaks as spaces and control characters as replacement characters")
    func control() throws {
        #expect(try drawn("a\nb\tc") == drawn("a b c"))
        #expect(try drawn("a\0b") == drawn("a\u{FFFD}b"))
    }

    @Test("counts characters that no font has and shows them as boxes")
    func unknownCharacter() throws {
        let line = try line("a\u{10FFFF}")
        #expect(line.unknownGlyphCount == 1)
        let (ink, known) = (line.inkBounds, try self.line("a").inkBounds)
        #expect(ink.width > known.width + 5, "\(ink) and \(known)")
        #expect(try self.line("abc").unknownGlyphCount == 0)
    }

    @Test("has a maximum length and a maximum width")
    func long() throws {
        let long = String(repeating: "W", count: TextLine.maximumLength)
        #expect(try line(long, TextStyle(size: 512)).bounds.width > 100_000)
        let error = thrownError { _ = try line(long + "W") }
        #expect(error as? TextError == .tooLong(scalarCount: TextLine.maximumLength + 1))
        let cut = try line(long, maximumWidth: 100).bounds.width
        #expect(1...100 ~= cut)
        let (limited, free) = (try line("W", maximumWidth: 100).bounds, try line("W").bounds)
        #expect(limited == free)
        for width in [0, -5, Int.min, Int.max] { _ = try line("Wide", maximumWidth: width).bounds }
    }

    @Test("accepts every size and family", arguments: [-1.0, 0, .nan, .infinity, 1e300, 0.001])
    func anySize(size: Double) throws {
        for family in ["", "no such family", "sans\0", ",,,", "DejaVu Sans Bold 40", "a\u{301}\n"] {
            #expect(try line("x", TextStyle(size: size, family: family)).bounds.height > 0)
        }
    }

    @Test("concurrent threads with fonts of their own omit no glyph")
    func threads() async throws {
        let texts = ["Please sign here", "يرجى التوقيع هنا", "请在此处签名", "कृपया यहाँ हस्ताक्षर करें"]
        @Sendable func written(_ text: String, _ size: Double) throws -> [UInt32] {
            let buffer = PixelBuffer(size: PixelSize(width: 300, height: 60))
            let line = try TextLine(text, style: TextStyle(size: size, color: .white), fonts: try Fonts())
            line.draw(on: buffer.surface, x: 4, baseline: 40)
            return (0..<60).flatMap { y in (0..<300).map { buffer.surface.row(y)[$0] } }
        }
        let expected = try texts.map { try written($0, 20) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                let index = number % texts.count
                group.addTask {
                    let found = try written(texts[index], 20)
                    #expect(found == expected[index], "\(texts[index])")
                }
            }
            try await group.waitForAll()
        }
    }
}

@Suite("Line breaks", .serialized)
struct LineBreaksTests {
    @Test("are after spaces and hyphens")
    func words() {
        #expect(LineBreaks.pieces(of: "one two  three-four") == ["one ", "two  ", "three-", "four"])
        #expect(LineBreaks.pieces(of: "word") == ["word"])
        #expect(LineBreaks.pieces(of: "") == [])
        // A no-break space.
        #expect(LineBreaks.pieces(of: "10\u{A0}mm wide") == ["10\u{A0}mm ", "wide"])
    }

    @Test("are between ideographs, but not before closing punctuation")
    func ideographs() {
        let pieces = LineBreaks.pieces(of: "请在此处签名。谢谢")
        #expect(pieces == ["请", "在", "此", "处", "签", "名。", "谢", "谢"])
    }

    @Test("are not within grapheme clusters")
    func clusters() {
        let family = "👨‍👩‍👧‍👦"
        #expect(LineBreaks.pieces(of: "a \(family) b") == ["a ", "\(family) ", "b"])
        #expect(LineBreaks.pieces(of: "कृपया यहाँ") == ["कृपया ", "यहाँ"])
        #expect(LineBreaks.pieces(of: "يرجى التوقيع") == ["يرجى ", "التوقيع"])
    }

    @Test("keep all characters of a text", arguments: 0..<20 as Range<UInt64>)
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
