// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Raster
import TestSupport
import Testing

@testable import Pad
@testable import Pages

@Suite("Texts in large letters, with real fonts")
struct LargeTextPageTests {
    private static let texts = [
        "I have received twelve parcels in good order, and the driver has shown me each of them before I signed here.",
        "Ich habe zwölf Pakete in gutem Zustand erhalten; die Datenschutzerklärung habe ich gelesen und verstanden.",
        "لقد استلمت اثني عشر طردا بحالة جيدة، وقد أراني السائق كل واحد منها قبل أن أوقع هنا على هذه الشاشة.",
        "קיבלתי שנים עשר חבילות במצב טוב, והנהג הראה לי כל אחת מהן לפני שחתמתי כאן על המסך הזה.",
        "ฉันได้รับพัสดุสิบสองชิ้นในสภาพดีและคนขับรถได้แสดงให้ฉันดูทุกชิ้นก่อนที่ฉันจะลงชื่อที่นี่ ขอบคุณมาก",
        "荷物を十二個、良い状態で受け取りました。署名する前に、運転手がひとつずつ見せてくれました。ありがとうございます。",
        "我已收到十二件完好无损的包裹,司机在我签字之前向我逐一展示了每一件包裹。谢谢您的服务。",
        "저는 소포 열두 개를 좋은 상태로 받았으며, 서명하기 전에 기사님이 하나씩 보여 주었습니다.",
        "मुझे बारह पार्सल अच्छी हालत में मिले हैं और ड्राइवर ने हस्ताक्षर से पहले मुझे हर एक दिखाया है।",
    ]
    private static let screens: [(width: Int, height: Int, dots: Int)] = [
        (480, 272, 128), (480, 320, 165), (800, 480, 187), (480, 800, 187), (1024, 600, 170), (1280, 400, 170),
        (1280, 800, 149),
    ]

    private static func unbroken(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.properties.isWhitespace }))
    }

    private static func read(_ page: Page) -> String {
        page.elements.map { element -> String in
            switch element {
            case .text(let text): text.role == .corner ? "" : unbroken(text.text)
            case .row(let label, let value, _): unbroken("\(label): \(value)")
            case .option(_, let label, _): unbroken(label)
            default: ""
            }
        }.joined()
    }

    @Test("the lines of a text are the text, and break no more words than they say")
    func lines() throws {
        let fonts = try Fonts()
        for text in Self.texts + ["", "one", "a\n\nb c\n", "Donau\u{AD}dampf\u{AD}schiff fährt", " two  spaces "] {
            for em in [10.0, 22, 51] {
                for width in [60, 130, 400, 1000] {
                    let style = TextStyle(em: em)
                    let lines = fonts.lines(text, style, width)
                    #expect(lines.map(\.text).joined() == text, "\(text) \(em) \(width)")
                    let size = fonts.measure(text, style, width)
                    #expect(lines.count * fonts.measure("x", style, width).height <= size.height + lines.count)
                    let isSoft = text.contains("\u{AD}")
                    #expect(isSoft || lines.contains { !$0.isWhole } == size.breaksWords, "\(text) \(em) \(width)")
                }
            }
        }
    }

    @Test("in all scripts no word is cut, none is missing, and the letters are as high as was asked for")
    func scripts() throws {
        let fonts = try Fonts()
        let painter = PagePainter(theme: .light, fonts: try Fonts())
        var large = 0
        for screen in Self.screens {
            let size = PixelSize(width: screen.width, height: screen.height)
            let density = PixelDensity(dotsPerInch: Double(screen.dots))
            for (index, text) in Self.texts.enumerated() {
                let isMirrored = index == 2 || index == 3
                var page = Page(
                    [
                        .text(PageText(text, .heading, of: .prompt)), .row(label: "No.", value: "4711-0815"),
                        .text(PageText(text, .body, of: .prompt)), .inkField(.signing(hint: "Sign")),
                        .text(PageText("Ada Lovelace", .detail, of: .signer)),
                        .text(PageText("2026-11-30", .trailingDetail, of: .date)),
                        .button(.cancel, label: "Cancel"), .button(.undo, label: nil), .button(.clear, label: nil),
                        .button(.accept, label: "Accept"),
                    ], direction: isMirrored ? .rightToLeft : .leftToRight)
                page.turning = PageTurning(next: "Next", back: "Back")
                let comment: Comment = "\(size) \(text)"
                guard let placed = try? painter.placeWithTexts(page, size: size, density: density, letters: 4.9) else {
                    // No letters are small enough for such a page.
                    #expect(screen.width == 480, comment)
                    continue
                }
                let own = try #require(placed.leastLetters(unit: density.pixelsPerMillimetre))
                if own >= 4.9 { continue }
                let parts = placed.largeTexts
                #expect(!parts.isEmpty, comment)
                large += 1
                #expect(parts.map { Self.read($0.page) }.joined() == Self.read(page), comment)
                for part in parts {
                    let least = try #require(part.leastLetters(unit: density.pixelsPerMillimetre))
                    #expect(least >= 4.9 - 1e-9 || size.width == 480 && least > own, comment)
                    for (index, element) in part.elements.enumerated() {
                        for other in part.elements[..<index] {
                            #expect(element.rect.intersection(other.rect).isEmpty, comment)
                        }
                        guard let style = element.style, let words = element.text?.text else { continue }
                        let needed = fonts.measure(words, style, element.rect.width)
                        #expect(needed.width <= element.rect.width && needed.height <= element.rect.height, comment)
                        #expect(!needed.breaksWords, comment)
                    }
                }
                // Words that spaces end are whole on their pages.
                if (4...6).contains(index) { continue }
                let words = Set((text + " 4711-0815 No. No.: Ada Lovelace 2026-11-30").split(separator: " "))
                for part in parts {
                    for case .text(let text) in part.page.elements where text.role != .corner {
                        #expect(words.isSuperset(of: text.text.split(separator: " ")), comment)
                    }
                }
            }
        }
        #expect(large > 20)
    }
}
