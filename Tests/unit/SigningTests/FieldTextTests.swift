// SPDX-License-Identifier: Apache-2.0
import Document
import Testing

@testable import Signing

@Suite("Texts of fields")
struct FieldTextTests {
    private func make(
        _ text: String, _ width: Double = 200, _ height: Double = 20, _ format: TextFormat? = nil
    ) throws -> (minX: Double, minY: Double, maxX: Double, maxY: Double) {
        let field = Field(
            name: "a", kind: .text, page: 1,
            rectangle: DocumentRectangle(minX: 50, minY: 60, maxX: 50 + width, maxY: 60 + height), format: format)
        let ink = try FieldText.make(text, in: field)
        #expect((ink.width, ink.height) == (width, height))
        var (xs, ys): ([Double], [Double]) = ([], [])
        for line in ink.content.split(separator: "\n") where "mlc".contains(line.last ?? " ") {
            for (index, number) in line.split(separator: " ").compactMap({ Double($0) }).enumerated() {
                if index % 2 == 0 { xs.append(number) } else { ys.append(number) }
            }
        }
        return (xs.min() ?? 0, ys.min() ?? 0, xs.max() ?? 0, ys.max() ?? 0)
    }

    @Test("A line is in the middle of the field's height, at the side that the field states")
    func line() throws {
        let left = try make("HHHH")
        #expect(left.minX > 1 && left.minX < 5 && left.maxX < 60 && abs(left.minY + left.maxY - 20) < 2.5, "\(left)")
        let right = try make("HHHH", 200, 20, TextFormat(em: 12, alignment: .right))
        #expect(right.maxX > 195 && right.maxX < 199 && right.minX > 140, "\(right)")
        let center = try make("HHHH", 200, 20, TextFormat(alignment: .center))
        #expect(abs(center.minX + center.maxX - 200) < 2, "\(center)")
        #expect(try make("") == (0, 0, 0, 0))
    }

    @Test("A text has the field's size, or is made smaller until it fits")
    func size() throws {
        let small = try make("H", 200, 60, TextFormat(em: 6))
        let large = try make("H", 200, 60, TextFormat(em: 24))
        #expect(abs((large.maxY - large.minY) / (small.maxY - small.minY) - 4) < 0.3)
        let long = try make("A text that is about as long as two of its fields", 120, 20, TextFormat(em: 12))
        #expect(long.maxX <= 118.1 && long.minX >= 2)
        #expect(throws: FieldTextFault.tooLong("a")) { try make(String(repeating: "word ", count: 60), 120, 20) }
        #expect(throws: FieldTextFault.tooLong("a")) { try make("x", 3, 20) }
    }

    @Test("Several lines begin at the top, and only in a field for them")
    func lines() throws {
        let format = TextFormat(em: 10, isMultiline: true)
        let lines = try make("One line, and one more that the field's width ends\nThird", 150, 80, format)
        #expect(lines.maxY > 68 && lines.maxY < 80 && lines.minY > 36 && lines.maxX <= 148.1, "\(lines)")
        let right = try make("One\nTwo", 150, 80, TextFormat(em: 10, alignment: .right, isMultiline: true))
        #expect(right.minX > 100 && right.maxX > 140 && right.maxX <= 149, "\(right)")
        #expect(throws: FieldTextFault.severalLines("a")) { try make("One\nTwo") }
    }

    @Test("Each character of a comb has its cell")
    func comb() throws {
        let format = TextFormat(em: 12, longest: 10, isComb: true)
        let four = try make("IIII", 200, 20, format)
        #expect(four.minX > 7 && four.minX < 11 && four.maxX > 69 && four.maxX < 73, "\(four)")
    }

    @Test("A text with characters that no font has is refused")
    func missing() {
        #expect(throws: FieldTextFault.missing("\u{10FFFD}", field: "a")) { try make("A\u{10FFFD}") }
    }
}
