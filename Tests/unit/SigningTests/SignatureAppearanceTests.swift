// SPDX-License-Identifier: Apache-2.0
import Document
import Formats
import Pages
import Testing

@testable import Signing

@Suite("Appearance of signatures")
struct SignatureAppearanceTests {
    private func field(_ width: Double, _ height: Double) -> Field {
        Field(
            name: "S01", kind: .signature, page: 1,
            rectangle: DocumentRectangle(minX: 50, minY: 60, maxX: 50 + width, maxY: 60 + height))
    }

    private let ink = DocumentInk(width: 100, height: 30, content: "0 0 0 rg\n0 0 m\n100 0 l\n100 30 l\nh\nf\n")

    /// The box of all points.
    private func box(_ content: String) -> (minX: Double, minY: Double, maxX: Double, maxY: Double) {
        var (xs, ys): ([Double], [Double]) = ([], [])
        for line in content.split(separator: "\n") where "mlc".contains(line.last ?? " ") {
            for (index, number) in line.split(separator: " ").compactMap({ Double($0) }).enumerated() {
                if index % 2 == 0 { xs.append(number) } else { ys.append(number) }
            }
        }
        return (xs.min() ?? 0, ys.min() ?? 0, xs.max() ?? 0, ys.max() ?? 0)
    }

    @Test("without a caption, the ink is as it was written")
    func plain() throws {
        let made = try SignatureAppearance.make(ink, caption: nil, in: field(40, 20))
        #expect(made == DocumentInk(width: 100, height: 30, content: ink.content))
    }

    @Test("ink and caption are in the field, one above the other")
    func caption() throws {
        for (width, height) in [(160.0, 50.0), (60, 20), (300, 100)] {
            let made = try SignatureAppearance.make(ink, caption: "Anna Müller, 2026-11-27", in: field(width, height))
            #expect((made.width, made.height) == (width, height))
            let (low, high) = (box(String(made.content.prefix(60))), box(made.content))
            #expect(high.minX >= 0 && high.minY >= 0 && high.maxX <= width && high.maxY <= height, "\(high)")
            // The triangle comes first.
            #expect(low.maxX - low.minX <= 100.01 && low.minY > 3)
            // The line of a form is at the lower edge.
            #expect(high.minY >= min(2, height * 0.04), "\(high)")
        }
    }

    @Test("a caption has 8 points where there is room, and 5 at least")
    func legible() throws {
        let layout = SignatureCaption(width: 90, height: 10, fieldWidth: 160, fieldHeight: 50)
        #expect(layout.em == 8 && layout.lift == 2)
        #expect(SignatureCaption(width: 90, height: 10, fieldWidth: 45, fieldHeight: 50).em == 4)
        // The same in pixels.
        #expect(
            SignatureCaption(width: 270, height: 30, fieldWidth: 480, fieldHeight: 150, point: 3) == layout)
    }

    @Test("on a dark ground, the ink has a white plate of the field's size below it")
    func plate() throws {
        for caption in [nil, "Anna, 2026-11-27"] {
            let made = try SignatureAppearance.make(ink, caption: caption, in: field(160, 50), hasPlate: true)
            #expect((made.width, made.height) == (160, 50))
            #expect(made.content.hasPrefix("1 1 1 rg\n"))
            let end = made.content.firstRange(of: "f\n")!.upperBound
            #expect(box(String(made.content[..<end])) == (0, 0, 160, 50))
            #expect(made.content[end...].hasPrefix("0 0 0 rg\n"))
            let whole = box(String(made.content[end...]))
            #expect(whole.minX > 0 && whole.minY > 0 && whole.maxX < 160 && whole.maxY < 50)
        }
    }

    @Test("a caption with characters that no font has is refused")
    func missing() {
        #expect(throws: AppearanceFault.missing("\u{10FFFD}")) {
            try SignatureAppearance.make(ink, caption: "A\u{10FFFD}", in: field(160, 50))
        }
    }

    @Test("a caption that nobody could read is refused")
    func small() {
        let name = String(repeating: "Long ", count: 40)
        #expect(throws: AppearanceFault.tooSmall(field: "S01")) {
            try SignatureAppearance.make(ink, caption: name, in: field(160, 50))
        }
    }
}
