// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pad
import Raster
import TestSupport
import Testing

@testable import Pages

/// Move-only values do not fit into a suite.
private final class FontsBox {
    let fonts: Fonts
    init() throws { fonts = try Fonts() }

    /// The rows of a picture with the text on it, white on black, 20 pixels from the left and 10 from the top.
    func drawn(
        _ text: String, _ style: TextStyle = TextStyle(em: 20), width: Int? = nil, height: Int? = nil,
        alignment: TextBlock.Alignment = .left, color: Color = .white
    ) throws -> [[UInt32]] {
        let buffer = PixelBuffer(size: PixelSize(width: 400, height: 240))
        try TextBlock(text, style: style, width: width, height: height, alignment: alignment, fonts: fonts)
            .draw(on: buffer.surface, x: 20, y: 10, color: color)
        return (0..<240).map { y in (0..<400).map { buffer.surface.row(y)[$0] & 0xFF_FFFF } }
    }
}

@Suite("Texts", .serialized)
struct TextTests {
    private static let style = TextStyle(em: 20)
    private let box: FontsBox

    init() throws { box = try FontsBox() }

    private func block(
        _ text: String, _ style: TextStyle = style, width: Int? = nil, height: Int? = nil
    ) throws -> TextBlock {
        try TextBlock(text, style: style, width: width, height: height, fonts: box.fonts)
    }

    @Test("a text is within its bounds and has the size of its style")
    func size() throws {
        let small = try block("Hxn")
        #expect(small.inkBounds.minY > 0 && small.inkBounds.maxY < small.size.height, "no letter has a descender")
        #expect(20...30 ~= small.size.height && small.size.width >= small.inkBounds.width - 2)
        #expect(14...16 ~= small.inkBounds.height, "capitals are 0.7 em high")
        let large = try block("Hxn", TextStyle(em: 80))
        #expect(abs(large.size.width - 4 * small.size.width) < 8)
        let (twice, single) = (try block("HxnHxn").size.width, small.size.width)
        #expect(abs(twice - 2 * single) <= 1)
        let widths = try [TextStyle.Weight.regular, .medium, .semibold, .bold].map { weight in
            try block("Hxn", TextStyle(em: 80, weight: weight)).size.width
        }
        #expect(zip(widths, widths.dropFirst()).allSatisfy { $0 < $1 }, "\(widths)")
    }

    @Test("a text has ink exactly within its ink bounds")
    func ink() throws {
        let bounds = try block("fjÅgß\nß").inkBounds
        let rows = try box.drawn("fjÅgß\nß")
        for (y, row) in rows.enumerated() {
            for (x, pixel) in row.enumerated() where pixel != 0 {
                let isInside = bounds.minX...bounds.maxX ~= x - 20 && bounds.minY...bounds.maxY ~= y - 10
                if !isInside { Issue.record("ink at \(x), \(y)") }
            }
        }
        #expect(rows.joined().contains(0xFF_FFFF))
    }

    @Test(
        "the outlines of a text cover what the text covers",
        arguments: ["Åß fjord 0O1l", "לקוח", "عميل", "数", "हिन्दी"])
    func outline(text: String) throws {
        let style = TextStyle(em: 100)
        let block = try block(text, style)
        let size = PixelSize(width: 1000, height: 240)
        let drawn = PixelBuffer(size: size)
        let filled = PixelBuffer(size: size)
        block.draw(on: drawn.surface, x: 20, y: 10, color: .white)
        var path = Path()
        path.append(block.outline) { Point(x: $0.x + 20, y: $0.y + 10) }
        var rasterizer = Rasterizer()
        rasterizer.begin(clip: filled.surface.bounds)
        rasterizer.add(path)
        rasterizer.fill(.nonZero, with: .white, into: filled.surface)
        var (sum, difference) = (0, 0)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let (a, b) = (Int(drawn.surface.row(y)[x] & 0xFF), Int(filled.surface.row(y)[x] & 0xFF))
                sum += a
                difference += abs(a - b)
            }
        }
        // Hints for pixels move edges by parts of a pixel.
        #expect(sum > 255 * 1000 && Double(difference) < 0.12 * Double(sum), "\(difference) of \(sum)")
    }

    @Test("a text without characters has no outlines") func emptyOutline() throws {
        #expect(try block("").outline.isEmpty && block(" ").outline.isEmpty)
    }

    @Test("a text has the colour that it is drawn in")
    func color() throws {
        let red = Array(try box.drawn("M", TextStyle(em: 40), color: 0xFF0000).joined())
        #expect(red.contains(0xFF_0000))
        let otherColors = red.filter { $0 & 0xFFFF != 0 }
        #expect(otherColors.isEmpty)
        let clear = try box.drawn("M", TextStyle(em: 40), color: Color(red: 255, green: 0, blue: 0, alpha: 0))
        let inked = clear.joined().filter { $0 != 0 }
        #expect(inked.isEmpty)
    }

    @Test("a text runs in the direction of its script")
    func bidirectional() throws {
        // The override turns Latin letters round, so two spellings are one picture.
        #expect(try box.drawn("\u{202E}ox") == box.drawn("xo"))
        #expect(try box.drawn("xo") != box.drawn("ox"))
        // A number within Hebrew keeps its direction, and so do the letters around it.
        #expect(try box.drawn("\u{5D0}\u{5D1}") == box.drawn("\u{202D}\u{5D1}\u{5D0}"))
    }

    @Test(
        "lines are at the left, in the middle or at the right of the width, whatever their direction",
        arguments: ["Ada", "\u{5D0}\u{5D1}"])
    func alignment(text: String) throws {
        func columns(_ alignment: TextBlock.Alignment) throws -> ClosedRange<Int> {
            let rows = try box.drawn(text, width: 300, alignment: alignment)
            let inked = rows.flatMap { row in row.indices.filter { row[$0] != 0 } }
            return (inked.min() ?? 0)...(inked.max() ?? 0)
        }
        let (left, center, right) = (try columns(.left), try columns(.center), try columns(.right))
        #expect(20...24 ~= left.lowerBound && 315...320 ~= right.upperBound)
        #expect(abs(center.lowerBound + center.upperBound - 2 * 170) <= 4)
        #expect(left.count == right.count && left.count == center.count)
    }

    @Test(
        "every string can be drawn",
        arguments: [
            "", " ", "\0", "a\0b", "\n", "a\r\nb\u{2028}c", "\u{FEFF}", "\u{301}", "\u{202E}", "\u{10FFFF}",
            "\u{E000}", String(repeating: "\u{301}", count: 500), String(repeating: "👩‍👩‍👧‍👦", count: 100),
            "\u{7F}\u{9B}31m",
        ])
    func anyString(text: String) throws {
        for (width, height) in [(nil, nil), (100, nil), (1, nil), (100, 1), (0, 0)] as [(Int?, Int?)] {
            let block = try block(text, width: width, height: height)
            #expect(block.size.height > 0 && block.lineCount > 0)
            let buffer = PixelBuffer(size: PixelSize(width: 30, height: 30))
            for x in [-10_000, -20, 0, 29, 10_000, Int.max / 2, -Int.max / 2] {
                block.draw(on: buffer.surface, x: x, y: 20, color: .black)
            }
        }
    }

    @Test("an empty text has the height of a line and no ink")
    func empty() throws {
        let empty = try block("")
        let height = try block("x").size.height
        #expect(empty.size.width == 0 && empty.size.height == height && empty.lineCount == 1)
        #expect(empty.inkBounds.isEmpty)
    }

    @Test("control characters show as line ends, spaces or replacement characters")
    func control() throws {
        #expect(try box.drawn("b\tc") == box.drawn("b c"))
        #expect(try box.drawn("a\0b") == box.drawn("a\u{FFFD}b"))
        for end in ["\r\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"] {
            #expect(try box.drawn("a\(end)b") == box.drawn("a\nb"), "\(end.unicodeScalars.first?.value ?? 0)")
        }
        #expect(try block("a\nb").lineCount == 2)
        #expect(try block("a\n\rb").lineCount == 3)
    }

    @Test("characters that no font has are found and show as boxes")
    func unknownCharacter() throws {
        let block = try block("a\u{10FFFF}")
        #expect(block.missingCharacters == ["\u{10FFFF}"])
        let (ink, known) = (block.inkBounds, try self.block("a").inkBounds)
        #expect(ink.width > known.width + 5, "\(ink) and \(known)")
        // Also as the mark of a letter, in several lines, and once for each character.
        let several = try self.block("e\u{1DFFF}x\n\u{10FFFF}\u{1DFFE}\u{10FFFF}", width: 30)
        #expect(several.missingCharacters == ["\u{1DFFE}", "\u{1DFFF}", "\u{10FFFF}"])
        let whole =
            "abc é e\u{301} 签 نص क्ष\u{A0}\u{3000}- \u{5D0}\u{200F} क्\u{200D}ष ی\u{200C}ه 葛\u{E0100} 1\u{2009}2\t\n"
        #expect(try self.block(whole).missingCharacters == [])
    }

    @Test("a text has a maximum length")
    func long() throws {
        // Pango takes long to wrap a long word.
        let long = String(repeating: "W ", count: TextBlock.maximumLength / 2)
        // Beyond the widest line it wraps; the whole of it stays within Pango's numbers.
        let large = try block(long, TextStyle(em: 512))
        #expect(large.size.width > 100_000)
        let wrapped = try block(long, width: 100)
        #expect(wrapped.size.width <= 100 && wrapped.lineCount * 16 > TextBlock.maximumLength)
        let error = thrownError { _ = try block(long + "W").size }
        #expect(error as? TextError == .tooLong(scalarCount: TextBlock.maximumLength + 1))
        for width in [0, -5, Int.min, Int.max] { _ = try block("Wide", width: width).size }
        for height in [0, -5, Int.min, Int.max] { _ = try block("Wide", height: height).size }
    }

    @Test("a text that is higher than its limit ends in an ellipsis")
    func ellipsis() throws {
        let text = "one two three four five six"
        let whole = try block(text, width: 60)
        #expect(whole.lineCount > 3)
        let cut = try block(text, width: 60, height: whole.size.height / 2)
        #expect(cut.lineCount < whole.lineCount && cut.lineCount > 0)
        #expect(cut.size.height <= whole.size.height / 2 && cut.size.width <= 60)
        // One line is always left.
        let least = try block(text, width: 60, height: 1)
        #expect(least.lineCount == 1 && least.size.width <= 60 && least.inkBounds.width > 20)
        #expect(try box.drawn(text, width: 60, height: whole.size.height) == box.drawn(text, width: 60))
    }

    @Test("every em is accepted", arguments: [-1.0, 0, .nan, .infinity, 1e300, 0.001])
    func anySize(em: Double) throws {
        #expect(try block("x", TextStyle(em: em)).size.height > 0)
        #expect(try block("x", TextStyle(em: em), width: 10, height: 10).size.height > 0)
    }

    @Test("concurrent threads with fonts of their own omit no glyph")
    func threads() async throws {
        let texts = ["Please sign here", "يرجى التوقيع هنا", "请在此处签名", "कृपया यहाँ हस्ताक्षर करें"]
        @Sendable func written(_ text: String, _ em: Double) throws -> [UInt32] {
            let buffer = PixelBuffer(size: PixelSize(width: 300, height: 60))
            let block = try TextBlock(text, style: TextStyle(em: em), width: 280, fonts: try Fonts())
            block.draw(on: buffer.surface, x: 4, y: 10, color: .white)
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

@Suite("Figures and baselines", .serialized)
struct FigureTests {
    @Test(
        "all figures of a text that aligns them have one width; in others a 1 is narrower",
        arguments: [TextStyle.Weight.regular, .medium, .semibold])
    func figures(weight: TextStyle.Weight) throws {
        let fonts = try Fonts()
        func widths(alignsFigures: Bool) throws -> [Int] {
            let style = TextStyle(em: 40, weight: weight, alignsFigures: alignsFigures)
            return try (0...9).map { figure in
                try TextBlock(String(repeating: "\(figure)", count: 20), style: style, fonts: fonts).size.width
            }
        }
        let (aligned, usual) = (try widths(alignsFigures: true), try widths(alignsFigures: false))
        #expect(Set(aligned).count == 1, "\(aligned)")
        #expect(usual[1] < usual[0] * 4 / 5, "\(usual)")
    }

    @Test("capitals stand on the baseline of the first line", arguments: [10, 14.5, 40, 100] as [Double])
    func baseline(em: Double) throws {
        let fonts = try Fonts()
        let line = try TextBlock("H", style: TextStyle(em: em), fonts: fonts)
        #expect(abs(line.baseline - line.inkBounds.maxY) <= 1 && line.baseline < line.size.height)
        #expect(try TextBlock("H\nH", style: TextStyle(em: em), fonts: fonts).baseline == line.baseline)
    }
}

@Suite("Line breaks", .serialized)
struct LineBreaksTests {
    private static let style = TextStyle(em: 20)
    private let box: FontsBox

    init() throws { box = try FontsBox() }

    private func block(_ text: String, width: Int?, em: Double = 20) throws -> TextBlock {
        try TextBlock(text, style: TextStyle(em: em), width: width, fonts: box.fonts)
    }

    /// Checks that a text breaks into the lines at the width of the widest of them.
    private func check(_ text: String, _ lines: [String]) throws {
        let width = try lines.map { try block($0, width: nil).size.width }.max() ?? 0
        let whole = try block(text, width: width)
        #expect(whole.lineCount == lines.count && whole.size.width <= width && !whole.breaksWords, "\(text)")
        #expect(try box.drawn(text, width: width) == box.drawn(lines.joined(separator: "\n")), "\(text)")
    }

    @Test("are after spaces and hyphens")
    func words() throws {
        try check("one two  three-four", ["one", "two", "three-", "four"])
        try check("word", ["word"])
        // A no-break space.
        try check("10\u{A0}mm wide", ["10\u{A0}mm", "wide"])
        // A soft hyphen.
        try check("deliver\u{AD}ies", ["deliver\u{2010}", "ies"])
    }

    @Test("are between ideographs, but not before closing punctuation")
    func ideographs() throws {
        try check("请在此处签名。谢谢", ["请在", "此处", "签", "名。", "谢谢"])
    }

    @Test(
        "are within words if nothing else fits, but not within grapheme clusters",
        arguments: [
            "word", "कृपया", "يرجى", "請在此", "e\u{301}te\u{301}",
        ])
    func clusters(text: String) throws {
        let narrow = try block(text, width: 1)
        #expect(narrow.lineCount == text.count)
        // No hyphen that the text does not have.
        let widest = try text.map { try block(String($0), width: nil).size.width }.max()
        // Letters of Arabic are a little wider joined than alone.
        #expect(abs(narrow.size.width - (widest ?? 0)) <= 2)
        let isIdeographic = text.first == "請"
        #expect(narrow.breaksWords != isIdeographic)
        let wide = try block(text, width: 1000)
        let unlimited = try block(text, width: nil).size
        #expect(wide.lineCount == 1 && !wide.breaksWords && wide.size == unlimited)
    }

    @Test("make a narrower text no lower, and a larger one no lower either", arguments: Breadth.seeds(6, long: 20))
    func monotonic(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let words = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                String(repeating: "nem", count: Int.random(in: 1...4, using: &random))
            }
            let text = words.joined(separator: Bool.random(using: &random) ? " " : "-")
            let width = Int.random(in: 30...400, using: &random)
            let wide = try block(text, width: width)
            let narrow = try block(text, width: width * 3 / 4)
            let large = try block(text, width: width, em: 26).size
            #expect(narrow.size.height >= wide.size.height && large.height > wide.size.height)
            #expect(wide.size.width <= width && narrow.size.width <= width * 3 / 4)
            #expect(narrow.breaksWords || wide.breaksWords == false)
            let line = try block("n", width: nil).size.height
            #expect(wide.size.height >= line * wide.lineCount - wide.lineCount)
        }
    }
}
