// SPDX-License-Identifier: Apache-2.0
@testable import Pad
import Geometry
import TestSupport
import Testing

@Suite("The signature page's layout")
struct SignatureLayoutTests {
    /// Common panel sizes in landscape; each is also tested in portrait.
    static let panels = [
        PixelSize(width: 320, height: 240), PixelSize(width: 480, height: 320), PixelSize(width: 800, height: 480),
        PixelSize(width: 720, height: 720), PixelSize(width: 1024, height: 600), PixelSize(width: 1280, height: 800),
        PixelSize(width: 1920, height: 1080), PixelSize(width: 3840, height: 2160),
    ]
    static let densities: [PixelDensity?] = [nil] + [60, 110, 167, 226, 326].map { PixelDensity(dotsPerInch: $0) }

    static func labels(_ buttons: [PageButton], _ language: MessageTable.Language = .german) -> [PageButton: String] {
        let table = MessageTable(language)
        return Dictionary(uniqueKeysWithValues: buttons.map { ($0, table[Message(labelOf: $0)!]) })
    }

    static func layout(
        _ size: PixelSize, _ density: PixelDensity?, _ texts: PageTexts, direction: LayoutDirection = .leftToRight,
        lineHeight: Double = 1.2
    ) throws -> SignatureLayout {
        let measure = PlainMeasure(lineHeight: lineHeight)
        return try SignatureLayout(
            size: size, density: density, direction: direction, texts: texts, measure: measure.measure)
    }

    private static func randomTexts(_ random: inout SeededGenerator) -> PageTexts {
        func text(_ longest: Int) -> String {
            // Words, and sometimes one that is longer than a line.
            let word = Int.random(in: 1...40, using: &random)
            return String((0..<Int.random(in: 0...longest, using: &random)).map { $0 % word == word - 1 ? " " : "x" })
        }
        func some(_ longest: Int) -> String? { Bool.random(using: &random) ? text(longest) : nil }
        let buttons = PageButton.signing.filter { _ in Int.random(in: 0..<6, using: &random) > 0 }
        let long = Int.random(in: 0..<5, using: &random) == 0 ? 400 : 60
        return PageTexts(
            prompt: (0..<Int.random(in: 0...9, using: &random)).map { _ in text(long) }, signer: some(long),
            reason: some(long), date: some(40),
            labels: Dictionary(uniqueKeysWithValues: buttons.map { ($0, text(20)) }))
    }

    /// Checks the rules for every page.
    private static func check(
        _ layout: SignatureLayout, _ texts: PageTexts, _ measure: TextMeasure, _ comment: Comment
    ) {
        checkWhole(layout, texts, measure, comment)
        let page = PixelRect(size: layout.size)
        var parts = layout.buttons.map(\.rect) + [layout.signingArea, layout.prompt.rect]
        parts += [layout.reason, layout.signer, layout.date].compactMap { $0?.rect }.filter { !$0.isEmpty }
        for (index, part) in parts.enumerated() {
            #expect(!part.isEmpty && page.contains(part), comment)
            for other in parts[..<index] { #expect(part.intersection(other).isEmpty, comment) }
        }
        let share = Double(layout.signingArea.area) / Double(page.area)
        #expect(share >= SignatureLayout.leastSigningShare, comment)
        #expect(layout.signingArea.contains(layout.signingLine) && layout.signingArea.contains(layout.mark), comment)
        #expect(!layout.signingLine.isEmpty && !layout.mark.isEmpty, comment)
        #expect(layout.signingLine.intersection(layout.mark).isEmpty, comment)
        for text in [layout.prompt, layout.reason, layout.signer, layout.date].compactMap({ $0 })
            + layout.buttons.compactMap(\.label)
        {
            for line in text.lines { #expect(line.rect.isEmpty || text.rect.contains(line.rect), comment) }
        }
        for button in layout.buttons { #expect(button.rect.contains(button.label!.rect), comment) }
        #expect(Set(layout.buttons.map(\.button)) == Set(texts.labels.keys), comment)
        #expect(layout.geometry.inkField == layout.signingArea, comment)
    }

    /// Checks that every text is complete and has enough room.
    private static func checkWhole(
        _ layout: SignatureLayout, _ texts: PageTexts, _ measure: TextMeasure, _ comment: Comment
    ) {
        func letters(_ texts: [String]) -> [String] { [texts.joined().filter { $0 != " " }] }
        func check(_ placed: PlacedText?, _ wanted: [String]?) {
            #expect(placed.map { letters($0.lines.map(\.text)) } == wanted.map(letters), comment)
            guard let placed else { return }
            #expect(!placed.isCut, comment)
            for line in placed.lines { #expect(line.rect.width == measure(line.text, placed.em).width, comment) }
            for line in placed.lines { #expect(line.rect.height >= measure(line.text, placed.em).height, comment) }
            for (a, b) in zip(placed.lines, placed.lines.dropFirst()) {
                #expect(a.rect.maxY <= b.rect.minY, comment)
            }
        }
        check(layout.prompt, texts.prompt)
        check(layout.signer, texts.signer.map { [$0] })
        check(layout.reason, texts.reason.map { [$0] })
        check(layout.date, texts.date.map { [$0] })
        for button in layout.buttons { check(button.label, texts.labels[button.button].map { [$0] }) }
    }

    @Test(
        "on any page everything is on it, nothing overlaps or is cut, and a quarter takes ink; else a text is too long",
        arguments: 0..<40 as Range<UInt64>)
    func anyPage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var refused: [PageTexts.Field] = []
        for step in 0..<25 {
            let size = PixelSize(
                width: Int.random(in: 240...3840, using: &random), height: Int.random(in: 240...2160, using: &random))
            // Includes sizes that displays state if they do not know their own.
            let dots = Double.random(in: 1...4, using: &random)
            let density =
                Bool.random(using: &random)
                ? nil : PixelDensity(dotsPerInch: (0..<Int(dots)).reduce(dots * 4) { value, _ in value * 8 })
            let texts = Self.randomTexts(&random)
            let height = PlainMeasure.lineHeights.randomElement(using: &random)!
            let comment: Comment = "seed \(seed), step \(step): \(size), \(density.map { "\($0)" } ?? "-")"
            do {
                let layout = try Self.layout(size, density, texts, lineHeight: height)
                Self.check(layout, texts, PlainMeasure(lineHeight: height).measure, comment)
            } catch let error as PageTooSmall {
                // The error must name a text.
                refused.append(try #require(error.field, comment))
            }
        }
        #expect(refused.count < 15, "\(refused)")
    }

    @Test("the layout of real panels, in landscape and portrait, with usual texts", arguments: panels, densities)
    func realPanel(panel: PixelSize, density: PixelDensity?) throws {
        for size in [panel, panel.transposed] {
            for height in PlainMeasure.lineHeights {
                let texts = PageTexts(
                    prompt: ["Please sign here for your delivery", "No. 4711"], signer: "Ada Lovelace",
                    reason: "Reason: received in good order", date: "2026-11-21 14:26",
                    labels: Self.labels(PageButton.signing))
                // This text needs 40 mm.
                let shorterSide = density.map { Double(min(size.width, size.height)) / $0.pixelsPerMillimetre }
                guard let layout = try? Self.layout(size, density, texts, lineHeight: height) else {
                    #expect(shorterSide ?? .infinity < 40, "\(size) \(height)")
                    continue
                }
                Self.check(layout, texts, PlainMeasure(lineHeight: height).measure, "\(size) \(height)")
                #expect(layout.density == density || density == nil)
                #expect(layout.buttons.allSatisfy { $0.label!.lines.count == 1 }, "\(size) \(height)")
                // The page is scaled down on smaller screens.
                let shorter = Double(min(size.width, size.height))
                let isLarge = shorterSide ?? .infinity >= 36
                for button in layout.buttons where isLarge {
                    let side = Double(min(button.rect.width, button.rect.height))
                    if let density {
                        #expect(side / density.pixelsPerMillimetre >= 9, "\(size) \(height)")
                    } else {
                        #expect(side >= 36 && side >= shorter / 10, "\(size) \(height)")
                    }
                }
            }
        }
    }

    @Test("a page from right to left is the mirror image of one from left to right", arguments: panels)
    func mirrored(size: PixelSize) throws {
        let texts = PageTexts(
            prompt: ["abc", "defghi"], signer: "s", reason: "r", date: "d", labels: Self.labels(PageButton.signing))
        let left = try Self.layout(size, nil, texts)
        let right = try Self.layout(size, nil, texts, direction: .rightToLeft)
        func mirrored(_ rect: PixelRect) -> PixelRect {
            PixelRect(minX: size.width - rect.maxX, minY: rect.minY, maxX: size.width - rect.minX, maxY: rect.maxY)
        }
        func rects(_ layout: SignatureLayout) -> [PixelRect] {
            let texts = [layout.prompt, layout.reason, layout.signer, layout.date].compactMap { $0 }
            let all = texts + layout.buttons.compactMap(\.label)
            return all.map(\.rect) + all.flatMap { $0.lines.map(\.rect) } + layout.buttons.map(\.rect)
                + [layout.signingArea, layout.signingLine, layout.mark]
        }
        #expect(rects(right) == rects(left).map(mirrored))
        #expect(rects(right) != rects(left))
        let accept = try #require(left.buttons.first { $0.button == .accept })
        #expect(left.buttons.allSatisfy { $0.rect.minX <= accept.rect.minX })
    }

    @Test("a longer prompt shrinks before it is refused; other lines keep their size until the prompt is as small")
    func shrinking() throws {
        let size = PixelSize(width: 800, height: 480)
        var ems: [Double] = []
        var details: [Double] = []
        var wasRefused = false
        for count in 1...40 {
            let texts = PageTexts(
                prompt: (1...count).map { "line \($0)" }, reason: "r", labels: Self.labels(PageButton.signing))
            do {
                let layout = try Self.layout(size, PixelDensity(dotsPerInch: 133), texts)
                #expect(layout.prompt.lines.count == count && !wasRefused)
                ems.append(layout.prompt.em)
                details.append(try #require(layout.reason).em)
            } catch let error as PageTooSmall {
                #expect(error.field == .prompt)
                wasRefused = true
            }
        }
        #expect(zip(ems, ems.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(zip(details, details.dropFirst()).allSatisfy { $0 >= $1 })
        let smallest = try #require(ems.last)
        #expect(details.last == smallest && details[0] > smallest)
        // The details keep their size until the prompt is as small.
        for (em, detail) in zip(ems, details) { #expect(detail == min(details[0], em)) }
        #expect(wasRefused && Set(ems).count > 3)
    }

    @Test("lines that are too wide are broken; those of the prompt at a size that reads well")
    func wide() throws {
        let texts = PageTexts(
            prompt: [String(repeating: "word ", count: 14) + "end", "short"],
            signer: String(repeating: "s", count: 200), date: "2026-11-21",
            labels: Self.labels(PageButton.signing))
        let density = PixelDensity(dotsPerInch: 165)
        let layout = try Self.layout(PixelSize(width: 480, height: 320), density, texts)
        let prompt = layout.prompt
        #expect(!prompt.isCut && prompt.lines.count > 2 && prompt.lines.last?.text == "short")
        #expect(prompt.lines.dropLast().map(\.text).joined(separator: " ") == texts.prompt[0])
        // 16 minutes of arc at the distance of the pen.
        #expect(prompt.em <= 3.5 * density.pixelsPerMillimetre)
        Self.check(layout, texts, PlainMeasure().measure, "")
        let (signer, date) = (try #require(layout.signer), try #require(layout.date))
        #expect(signer.lines.count > 1 && signer.rect.maxY <= date.rect.minY)
    }

    @Test("signer and date share a line if they fit; otherwise the date is below, or beside a broken name")
    func footer() throws {
        func footer(_ signer: String, _ date: String) throws -> (signer: PlacedText, date: PlacedText) {
            let texts = PageTexts(
                prompt: ["p"], signer: signer, date: date, labels: Self.labels(PageButton.signing))
            let layout = try Self.layout(PixelSize(width: 480, height: 320), PixelDensity(dotsPerInch: 165), texts)
            Self.check(layout, texts, PlainMeasure().measure, "\(signer) \(date)")
            return (try #require(layout.signer), try #require(layout.date))
        }
        let short = try footer("Ada Lovelace", "2026-11-21")
        #expect(short.signer.rect.minY == short.date.rect.minY && short.signer.rect.maxX < short.date.rect.minX)
        #expect(short.signer.lines.count == 1 && short.date.lines.count == 1)
        // One line each takes no more lines than the name broken beside the date.
        let below = try footer("Ada King, Countess of Lovelace", "2026-11-21")
        #expect(below.signer.lines.count == 1 && below.signer.rect.maxY <= below.date.rect.minY)
        // The name is broken in any case, and leaves room for the date.
        let beside = try footer("Ada King, Countess of Lovelace, writer", "2026-11-21")
        #expect(beside.signer.lines.count == 2 && beside.signer.rect.maxX < beside.date.rect.minX)
        let long = try footer("Ada Lovelace", "Saturday, the 21st of November 2026")
        #expect(long.signer.rect.maxY <= long.date.rect.minY)
    }

    @Test("the error names the text that is too long", arguments: PageTexts.Field.allCases)
    func named(field: PageTexts.Field) {
        let long = String(repeating: "word ", count: 800)
        var texts = PageTexts(
            prompt: ["p"], signer: "s", reason: "r", date: "d", labels: Self.labels(PageButton.signing))
        switch field {
        case .prompt: texts.prompt = [long]
        case .signer: texts.signer = long
        case .reason: texts.reason = long
        case .date: texts.date = long
        case .labels: texts.labels[.clear] = long
        }
        for size in [PixelSize(width: 320, height: 240), PixelSize(width: 480, height: 800)] {
            #expect(throws: PageTooSmall(field: field)) { try Self.layout(size, nil, texts) }
        }
    }

    @Test("a long reason shrinks with the prompt and takes as many lines as it needs")
    func reason() throws {
        let density = PixelDensity(dotsPerInch: 165)
        var ems: [Double] = []
        var counts: [Int] = []
        for count in stride(from: 1, to: 40, by: 3) {
            let texts = PageTexts(
                prompt: ["Please sign"], reason: (0..<count).map { "word\($0)" }.joined(separator: " "),
                labels: Self.labels(PageButton.signing))
            let layout = try Self.layout(PixelSize(width: 480, height: 320), density, texts)
            Self.check(layout, texts, PlainMeasure().measure, "\(count)")
            let reason = try #require(layout.reason)
            #expect(reason.em <= layout.prompt.em)
            ems.append(reason.em)
            counts.append(reason.lines.count)
        }
        #expect(zip(ems, ems.dropFirst()).allSatisfy { $0 >= $1 } && Set(ems).count > 2 && counts.last! > 3)
    }

    @Test("a label that is too long for a line is broken, between words if they are narrow enough")
    func labels() throws {
        var texts = PageTexts(prompt: ["p"], labels: Self.labels(PageButton.signing))
        texts.labels[.clear] = "Clear all that has been written here"
        let layout = try Self.layout(PixelSize(width: 320, height: 240), nil, texts)
        Self.check(layout, texts, PlainMeasure().measure, "")
        let label = try #require(layout.buttons.first { $0.button == .clear }?.label)
        #expect(label.lines.count > 1)
        #expect(label.lines.map(\.text).joined(separator: " ") == texts.labels[.clear])
        // The label is in the middle of its button.
        let (first, last) = (label.lines[0].rect, label.lines[label.lines.count - 1].rect)
        #expect(abs(first.minY - label.rect.minY - (label.rect.maxY - last.maxY)) <= 1)
    }

    @Test("the prompt keeps the host's lines while they read well, then is broken, then shrinks, then is refused")
    func longer() throws {
        let density = PixelDensity(dotsPerInch: 165)
        let unit = density.pixelsPerMillimetre
        var ems: [Double] = []
        var wasBroken = false
        var wasRefused = false
        for count in stride(from: 1, to: 200, by: 3) {
            let prompt = (0..<count).map { "word\($0)" }.joined(separator: " ")
            let texts = PageTexts(prompt: [prompt], labels: Self.labels(PageButton.signing))
            do {
                let layout = try Self.layout(PixelSize(width: 480, height: 320), density, texts).prompt
                #expect(!wasRefused && layout.lines.map(\.text).joined(separator: " ") == prompt)
                ems.append(layout.em)
                #expect(layout.lines.count > 1 || layout.em >= 3.5 * unit * 0.9)
                wasBroken = wasBroken || layout.lines.count > 1
            } catch let error as PageTooSmall {
                #expect(error.field == .prompt)
                wasRefused = true
            }
        }
        #expect(wasBroken && wasRefused && abs(ems.last! - 2.1 * unit) < 1e-9)
        #expect(zip(ems, ems.dropFirst()).allSatisfy { $0 >= $1 } && Set(ems).count > 4)
    }

    @Test("a word that is wider than the page is broken, and a host's line feeds are harmless")
    func unbreakable() throws {
        let word = String(repeating: "x", count: 300)
        let layout = try Self.layout(
            PixelSize(width: 480, height: 320), PixelDensity(dotsPerInch: 165),
            PageTexts(prompt: [word], labels: Self.labels(PageButton.signing)))
        #expect(layout.prompt.lines.map(\.text).joined() == word && !layout.prompt.isCut)
        // The largest number that a host can send. Lines beyond the limit are not measured.
        var measured = 0
        #expect(throws: PageTooSmall(field: .prompt)) {
            try SignatureLayout(
                size: PixelSize(width: 480, height: 320), density: nil, direction: .leftToRight,
                texts: PageTexts(
                    prompt: [String](repeating: word + " " + word, count: 10_000),
                    labels: Self.labels(PageButton.signing)),
                measure: { text, em in
                    measured += 1
                    return PlainMeasure().measure(text, em)
                })
        }
        #expect(measured < 100_000)
    }

    @Test("a single character that is wider than the page is refused, not shrunk until illegible")
    func wideCharacter() {
        // 301 emoji joined into one grapheme cluster.
        let family = String(repeating: "\u{1F469}\u{200D}", count: 300) + "\u{1F469}"
        #expect(family.count == 1)
        let texts = PageTexts(prompt: ["p"], signer: family, labels: Self.labels(PageButton.signing))
        #expect(throws: PageTooSmall(field: .signer)) {
            try Self.layout(PixelSize(width: 480, height: 320), nil, texts)
        }
    }

    @Test("a picture of very few pixels has no page and causes no trap", arguments: [0, 1, 3, 10])
    func tiny(side: Int) {
        let texts = PageTexts(prompt: ["a"], labels: Self.labels(PageButton.signing))
        #expect(throws: PageTooSmall(field: nil)) {
            try Self.layout(PixelSize(width: side, height: side), nil, texts)
        }
    }
}
