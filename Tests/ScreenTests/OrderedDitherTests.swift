// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Screen

@Suite("Ordered dithering")
struct OrderedDitherTests {
    private func level(_ color: Int, x: Int, y: Int, _ dither: OrderedDither) -> Int {
        dither.withRow(y) { Int($0[(x % 8) * 256 + color]) }
    }

    @Test("the matrix is Bayer's: his four fields, and every threshold once")
    func matrix() {
        let fields = (0..<2).map { y in (0..<2).map { x in OrderedDither.threshold(x: x, y: y) / 16 } }
        #expect(fields == [[0, 2], [3, 1]])
        let first = (0..<4).map { OrderedDither.threshold(x: $0, y: 0) }
        #expect(first == [0, 32, 8, 40], "as in the literature")
        let all = (0..<64).map { OrderedDither.threshold(x: $0 % 8, y: $0 / 8) }
        #expect(all.sorted() == Array(0..<64))
    }

    @Test("what a level shows exactly has no pattern: black, white and all levels between", arguments: [5, 6])
    func exactColors(bits: Int) {
        let dither = OrderedDither(bits: bits)
        for wanted in 0..<(1 << bits) {
            let color = OrderedDither.shown(wanted, bits: bits)
            for place in 0..<64 { #expect(level(color, x: place % 8, y: place / 8, dither) == wanted) }
        }
        #expect(OrderedDither.shown(0, bits: bits) == 0)
        #expect(OrderedDither.shown((1 << bits) - 1, bits: bits) == 255)
    }

    @Test("other colours are made of the levels around them, and right on average to 1/64 of a step", arguments: [5, 6])
    func average(bits: Int) {
        let dither = OrderedDither(bits: bits)
        // The widest: repeated bits make some levels a colour further apart than others.
        let step = (1 << (8 - bits)) + 1
        for color in 0...255 {
            var sum = 0
            for place in 0..<64 {
                let shown = OrderedDither.shown(level(color, x: place % 8, y: place / 8, dither), bits: bits)
                let error = abs(shown - color)
                #expect(error < step, "\(color)")
                sum += shown
            }
            let error = abs(sum - 64 * color)
            #expect(error <= step, "\(color)")
        }
    }

    @Test("a lighter colour is nowhere darker", arguments: [5, 6])
    func monotone(bits: Int) {
        let dither = OrderedDither(bits: bits)
        for place in 0..<64 {
            let levels = (0...255).map { level($0, x: place % 8, y: place / 8, dither) }
            #expect(levels == levels.sorted())
        }
    }
}
