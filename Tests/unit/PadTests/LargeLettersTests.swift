// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import PadFixtures
import TestSupport
import Testing

@testable import Pad

/// For people who see little: EN 301 549, 5.1.4 asks for 0.7 degrees, which are 4.9 mm at 40 cm.
@Suite("Large letters")
struct LargeLettersTests {
    private static let wanted = 4.9

    private static func texts(_ placed: PlacedPage) -> [PlacedElement] {
        placed.elements.filter { $0.style != nil && ($0.text != nil || $0.words != nil) }
    }

    /// The height of the lowest capitals of a page in millimetres; capitals are at least 0.7 em high.
    private static func least(_ placed: PlacedPage, _ size: PixelSize, _ density: PixelDensity?) -> Double {
        let ems = texts(placed).compactMap { $0.style?.em }
        return (ems.min() ?? 0) * 0.7 / PageDesign.unit(size: size, density: density)
    }

    @Test(
        "on any page nothing overlaps, is cut or is broken within a word for large letters",
        arguments: Breadth.seeds(8, long: 40))
    func anyPage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var largeCount = 0
        for step in 0..<30 {
            let (size, density) = (SigningPageTests.randomSize(&random), SigningPageTests.randomDensity(&random))
            let isFlow = Bool.random(using: &random)
            let page = isFlow ? FlowPageTests.randomPage(&random) : SigningPageTests.randomPage(&random)
            let gloves = Bool.random(using: &random)
            let letters = Double.random(in: 1...12, using: &random)
            let measure = PlainMeasure(lineHeight: PlainMeasure.lineHeights.randomElement(using: &random)!)
            let comment: Comment = "seed \(seed), step \(step): \(size), \(density.map { "\($0)" } ?? "-")"
            let usual = try? SigningPageTests.place(page, size, density, measure, gloves: gloves)
            let large = try? SigningPageTests.place(page, size, density, measure, gloves: gloves, letters: letters)
            guard let large else {
                #expect(usual == nil, comment)
                continue
            }
            #expect(large.faults(measure, density: density).isEmpty, comment)
            guard let letters = large.design.letters else {
                #expect(large == usual, comment)
                continue
            }
            largeCount += 1
            if !Self.texts(large).isEmpty { #expect(Self.least(large, size, density) >= letters - 1e-9, comment) }
            for element in Self.texts(large) {
                let text = try #require(element.text?.text ?? element.words)
                let rect = element.button == nil ? element.rect : large.label(of: element).rect
                let needed = measure.measure(text, try #require(element.style), rect.width)
                #expect(needed.fits(rect.width, rect.height, wholeWords: true), comment)
            }
        }
        #expect(largeCount > 3)
    }

    @Test("the pages of counter panels have capitals of 4.9 mm in all languages; smaller panels have what fits")
    func realPanels() throws {
        for (width, height, dots, least) in [
            (1024, 600, 170, 4.9), (1280, 800, 149, 4.9), (800, 1280, 149, 4.9), (1920, 1080, 141, 4.9),
            (800, 480, 133, 4.9), (800, 480, 187, 2.5), (480, 800, 187, 2.5), (480, 320, 165, 2.1),
        ] as [(Int, Int, Double, Double)] {
            let (size, density) = (PixelSize(width: width, height: height), PixelDensity(dotsPerInch: dots))
            for (index, language) in MessageTable.Language.allCases.enumerated() {
                let measure = PlainMeasure(lineHeight: index % 2 == 0 ? 1.2 : 1.4)
                let messages = MessageTable(language)
                let idle = [nil, "Bank\n" + String(repeating: "Please take a seat. ", count: 9)].map { text in
                    let page = messages.idlePage(text)
                    // With the time of day.
                    return Page(page.elements + [.text(PageText("14:26", .corner))], direction: page.direction)
                }
                let signing = SigningPageTests.page(
                    prompt: ["Please sign here"], signer: "Ada Lovelace", date: "2026-11-21 14:26", language: language)
                let pages = [signing, messages.thanksPage(), messages.failedPage, messages.page(.saving)] + idle
                for page in pages {
                    let placed = try SigningPageTests.place(page, size, density, measure, letters: Self.wanted)
                    #expect(placed.faults(measure, density: density) == [], "\(size) \(language)")
                    let height = Self.least(placed, size, density)
                    #expect(height >= least - 1e-9, "\(size) \(language) \(page.allTexts): \(height)")
                }
            }
        }
    }

    @Test("who asks for larger letters gets no smaller ones")
    func larger() throws {
        for (width, height, dots) in [(1024, 600, 170), (800, 480, 133), (480, 320, 165)] as [(Int, Int, Double)] {
            let (size, density) = (PixelSize(width: width, height: height), PixelDensity(dotsPerInch: dots))
            let page = SigningPageTests.page(
                prompt: ["I have received twelve parcels in good order"], rows: [.init(label: "Order", value: "4711")],
                signer: "Ada Lovelace", date: "2026-11-21 14:26", language: .finnish)
            let heights = try stride(from: 1, through: 20, by: 0.5).map { letters in
                Self.least(try SigningPageTests.place(page, size, density, letters: letters), size, density)
            }
            for (smaller, larger) in zip(heights, heights.dropFirst()) { #expect(larger >= 0.84 * smaller, "\(size)") }
            #expect(heights.last! >= 0.84 * heights.max()!)
        }
    }

    @Test("the letters that a host asks for count more than those of the screen")
    func ofPage() throws {
        let (size, density) = (PixelSize(width: 1280, height: 800), PixelDensity(dotsPerInch: 149))
        var page = SigningPageTests.page(prompt: ["Please sign here"])
        let screens = try SigningPageTests.place(page, size, density, letters: 6)
        page.letters = 4
        let hosts = try SigningPageTests.place(page, size, density, letters: 6)
        #expect(screens.design.letters == 6 && hosts.design.letters == 4)
    }

    @Test("letters that are larger anyway stay as they are")
    func largeScreen() throws {
        let (size, density) = (PixelSize(width: 3840, height: 2160), PixelDensity(dotsPerInch: 60))
        let page = SigningPageTests.page(prompt: ["Please sign here"])
        let usual = try SigningPageTests.place(page, size, density)
        let large = try SigningPageTests.place(page, size, density, letters: 2)
        #expect(large.rects == usual.rects && large.elements.map(\.style) == usual.elements.map(\.style))
    }
}
