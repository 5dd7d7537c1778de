// SPDX-License-Identifier: Apache-2.0
import Document
import Formats
import HostAPI
import Pad
import Testing

@testable import Signing

@Suite("What a field shows in place of a signature")
struct InsteadInkTests {
    private let ink = DocumentInk(width: 100, height: 30, content: "0 0 0 rg\n0 0 m\n100 0 l\n100 30 l\nh\nf\n")

    private func field(_ width: Double, _ height: Double) -> Field {
        Field(
            name: "S01", kind: .signature, page: 1,
            rectangle: DocumentRectangle(minX: 50, minY: 60, maxX: 50 + width, maxY: 60 + height))
    }

    private static func joined(_ texts: [DocumentInk.Text]) -> String {
        let text = texts.map(\.text).joined(separator: " ")
        // Chinese and Japanese have no spaces.
        return text.unicodeScalars.contains { $0.value > 0x3040 && $0.value < 0xAC00 }
            ? text.replacing(" ", with: "") : text
    }

    /// The boxes of the filled paths, in their order.
    private func boxes(_ content: String) -> [(minX: Double, minY: Double, maxX: Double, maxY: Double)] {
        content.split(separator: "f\n").compactMap { part in
            var (xs, ys): ([Double], [Double]) = ([], [])
            for line in part.split(separator: "\n") where "mlc".contains(line.last ?? " ") {
                for (index, number) in line.split(separator: " ").compactMap({ Double($0) }).enumerated() {
                    if index % 2 == 0 { xs.append(number) } else { ys.append(number) }
                }
            }
            guard let minX = xs.min(), let minY = ys.min(), let maxX = xs.max(), let maxY = ys.max() else { return nil }
            return (minX, minY, maxX, maxY)
        }
    }

    @Test("words and ink are in the field and do not overlap, in any language and size")
    func layout() throws {
        for (width, height) in [(160.0, 50.0), (60, 20), (400, 30), (20, 60)] {
            let field = field(width, height)
            for language in MessageTable.Language.allCases {
                let messages = MessageTable(language)
                let comment: Comment = "\(width) x \(height), \(language.rawValue)"
                func made(_ inks: [DocumentInk], _ words: Message) throws -> DocumentInk {
                    try InsteadInk.make(inks, messages[words], "Witnesses", in: field)
                }
                let confirmed = try made([], .insteadConfirm)
                let signed = try made([ink], .representative)
                let marked = try made([ink, ink, ink], .markWitness)
                for made in [confirmed, signed, marked] {
                    #expect(made.width == width && made.height == height)
                    #expect(made.texts?.isEmpty == false, comment)
                    for box in boxes(made.content) {
                        #expect(box.minX >= -0.01 && box.maxX <= width + 0.01, comment)
                        #expect(box.minY >= -0.01 && box.maxY <= height + 0.01, comment)
                    }
                }
                // The mark comes first, then the witnesses, and the words last.
                let all = boxes(marked.content)
                let (mark, inks, words) = (all[0], all[1...2], all.dropFirst(3))
                #expect(inks.allSatisfy { $0.minX >= mark.maxX }, comment)
                #expect((inks.first?.maxX ?? 0) <= (inks.last?.minX ?? 0), comment)
                let lowest = words.map(\.minY).min() ?? 0
                // Without fonts for a script, the plain words are there.
                #expect([messages[.markWitness], "Witnesses"].contains(Self.joined(marked.texts ?? [])), comment)
                #expect(!words.isEmpty && inks.allSatisfy { $0.maxY <= lowest + 0.01 }, comment)
            }
        }
    }

    @Test("words whose characters no font has are said in plain ones")
    func plain() throws {
        let made = try InsteadInk.make([], "\u{10FFFD}", "Confirmed without a signature", in: field(160, 50))
        #expect(made.texts?.map(\.text).joined(separator: " ") == "Confirmed without a signature")
    }

    @Test("the longest name that a host may send is legible in a field of the usual size")
    func longName() throws {
        let bytes = TypeNameCall.longestName
        for name in ["N", "й", "名"].map({ String(repeating: $0, count: bytes / $0.utf8.count) }) {
            let words = MessageTable(.english).text(.typedByStaff, of: name)
            let texts = try InsteadInk.make([], words, "Name entered by staff", in: field(160, 50)).texts ?? []
            #expect(!texts.isEmpty)
            // A line is about 1.25 em high, of which the text has six tenths.
            let em = (texts.map(\.height).min() ?? 0) / 0.6 / 1.25
            #expect(em >= 4, "\(name.prefix(1)): \(em)")
        }
    }

    @Test("the reason of a signature is within the helper's limit, and says what stands in its place first")
    func reason() {
        let limit = HelperLimits.text
        let long = String(repeating: "й", count: limit)
        #expect(FieldContents.reason("Rental", "S01 is a mark") == "Rental. S01 is a mark")
        #expect(FieldContents.reason(nil, nil).isEmpty)
        for (request, way) in [(long, "S01 is a mark"), (long, long), (nil, long), ("Rental", long)] {
            let reason = FieldContents.reason(request, way)
            #expect(reason.utf8.count <= limit && reason.utf8.count > limit - 8)
            #expect(way == long || reason.hasSuffix("S01 is a mark"))
        }
    }
}
