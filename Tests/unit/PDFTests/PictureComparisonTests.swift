// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing

@testable import PDF

@Suite("Comparison of pictures")
struct PictureComparisonTests {
    fileprivate typealias Place = PictureComparison.Place

    /// A picture of three bytes a pixel.
    struct Canvas {
        let size: PixelSize
        var pixels: [UInt8]

        init(_ width: Int, _ height: Int, _ color: (UInt8, UInt8, UInt8) = (255, 255, 255)) {
            size = PixelSize(width: width, height: height)
            pixels = []
            for _ in 0..<(width * height) { pixels += [color.0, color.1, color.2] }
        }

        mutating func fill(_ rect: PixelRect, _ color: (UInt8, UInt8, UInt8)) {
            let rect = rect.intersection(PixelRect(size: size))
            for y in rect.minY..<max(rect.maxY, rect.minY) {
                for x in rect.minX..<max(rect.maxX, rect.minX) {
                    let place = 3 * (y * size.width + x)
                    (pixels[place], pixels[place + 1], pixels[place + 2]) = color
                }
            }
        }

        mutating func fill(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ grey: UInt8 = 0) {
            fill(PixelRect(minX: x, minY: y, maxX: x + width, maxY: y + height), (grey, grey, grey))
        }
    }

    private func places(_ first: Canvas, _ second: Canvas, ignoring: [PixelRect] = [], most: Int = .max) -> [Place] {
        first.pixels.withUnsafeBufferPointer { one in
            second.pixels.withUnsafeBufferPointer { other in
                PictureComparison.places(one, other, size: first.size, ignoring: ignoring, most: most)
            }
        }
    }

    @Test("Equal pictures, and those of other edges, are the same")
    func same() {
        var (first, second) = (Canvas(100, 80), Canvas(100, 80))
        first.fill(20, 20, 3, 24)
        #expect(places(first, first) == [])
        // Moved by a pixel, with a soft edge.
        second.fill(21, 20, 3, 24)
        second.fill(20, 20, 1, 24, 180)
        #expect(places(first, second) == [])
        // Moved by two, as a large glyph on whole pixels.
        second = Canvas(100, 80)
        second.fill(22, 20, 3, 24)
        #expect(places(first, second) == [])
        #expect(places(second, first) == [])
    }

    @Test("A stroke more is a place, whichever picture has it, and whatever its grey")
    func stroke() throws {
        for (paper, ink) in [(255, 0), (255, 200), (255, 226), (0, 255), (30, 90)] as [(UInt8, UInt8)] {
            let first = Canvas(100, 80, (paper, paper, paper))
            var second = first
            second.fill(40, 30, 2, 12, ink)
            for found in [places(first, second), places(second, first)] {
                #expect(found.map(\.measure) == [16], "\(ink) on \(paper)")
                let rect = try #require(found.first?.rectangle)
                #expect(rect.contains(PixelRect(minX: 40, minY: 30, maxX: 42, maxY: 42)))
                #expect(PixelRect(minX: 32, minY: 22, maxX: 50, maxY: 50).contains(rect))
            }
        }
    }

    @Test("What nobody sees, and areas in other colours of print, are the same")
    func unseen() {
        var (first, second) = (Canvas(100, 80), Canvas(100, 80))
        second.fill(40, 30, 2, 12, 235)
        #expect(places(first, second) == [])
        // Magenta, as poppler and MuPDF make it of the colours of print; then all four inks.
        for (one, other) in [((236, 0, 140), (255, 0, 255)), ((75, 65, 63), (0, 0, 0))]
            as [((UInt8, UInt8, UInt8), (UInt8, UInt8, UInt8))]
        {
            first.fill(PixelRect(minX: 10, minY: 10, maxX: 90, maxY: 70), one)
            second.fill(PixelRect(minX: 10, minY: 10, maxX: 90, maxY: 70), other)
            #expect(places(first, second) == [])
        }
    }

    @Test("Red for black is a place, and so are two areas whose greys differ much")
    func colours() {
        var (first, second) = (Canvas(100, 80), Canvas(100, 80))
        first.fill(40, 30, 3, 12)
        second.fill(PixelRect(minX: 40, minY: 30, maxX: 43, maxY: 42), (255, 0, 0))
        // The middle column has no neighbour outside the stroke.
        #expect(places(first, second).count == 1)
        (first, second) = (Canvas(40, 40, (200, 200, 200)), Canvas(40, 40, (110, 110, 110)))
        #expect(places(first, second).map(\.measure) == [64])
        #expect(places(Canvas(40, 40, (200, 200, 200)), Canvas(40, 40, (140, 140, 140))) == [])
    }

    @Test("Nothing counts in rectangles that are left out, and everything beside them")
    func ignored() {
        let first = Canvas(200, 80)
        var second = first
        second.fill(40, 30, 4, 12)
        second.fill(140, 30, 4, 12)
        let left = PixelRect(minX: 30, minY: 20, maxX: 60, maxY: 60)
        #expect(places(first, second).count == 2)
        #expect(places(first, second, ignoring: [left]).map(\.rectangle.minX) == [136])
        // A stroke that reaches out of the rectangle.
        #expect(places(first, second, ignoring: [PixelRect(minX: 30, minY: 20, maxX: 42, maxY: 60)]).count == 2)
    }

    @Test("Of many places, those with the greatest measure stay, in their order")
    func most() {
        let first = Canvas(800, 80)
        var second = first
        for index in 0..<8 { second.fill(100 * index + 22, 33, index % 4 + 1, 4) }
        #expect(places(first, second).count == 8)
        let kept = places(first, second, most: 2)
        #expect(kept.map(\.rectangle.minX).map { $0 / 100 } == [3, 7] && kept.map(\.measure) == [16, 16])
    }

    // MARK: against the definition

    @Test(
        "The fast comparison finds what the definition says, on random pictures",
        arguments: 0..<Breadth.count(4, long: 12))
    func definition(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let (width, height) = (Int.random(in: 1...50, using: &random), Int.random(in: 1...40, using: &random))
        let paper = [255, 255, 255, 20].randomElement(using: &random)!
        var first = Canvas(width, height, (UInt8(paper), UInt8(paper), UInt8(paper)))
        var second = first
        for _ in 0..<Int.random(in: 1...14, using: &random) {
            let (x, y) = (Int.random(in: -4...width, using: &random), Int.random(in: -4...height, using: &random))
            let (w, h) = [(2, 14), (14, 2), (3, 3), (1, 9), (20, 12)].randomElement(using: &random)!
            let color = [(0, 0, 0), (200, 200, 200), (255, 255, 255), (255, 0, 0), (0, 0, 255), (236, 0, 140)]
                .randomElement(using: &random)!
            let value = (UInt8(color.0), UInt8(color.1), UInt8(color.2))
            let (dx, dy) = (Int.random(in: -2...2, using: &random), Int.random(in: -2...2, using: &random))
            let isBoth = Int.random(in: 0..<4, using: &random) > 0
            first.fill(PixelRect(minX: x, minY: y, maxX: x + w, maxY: y + h), value)
            if isBoth {
                second.fill(PixelRect(minX: x + dx, minY: y + dy, maxX: x + dx + w, maxY: y + dy + h), value)
            }
        }
        for index in second.pixels.indices where Int.random(in: 0..<20, using: &random) == 0 {
            second.pixels[index] = UInt8(
                clamping: Int(second.pixels[index]) + Int.random(in: -60...60, using: &random))
        }
        #expect(places(first, second) == Definition(first, second).places())
    }

    /// What ``PictureComparison`` says it is, without thought for time.
    private struct Definition {
        let (first, second): (Canvas, Canvas)
        let thresholds = PictureComparison.Thresholds()
        /// Greys of a part of a picture.
        private struct Greys {
            let low, high, sum, count: Int

            init(_ greys: [Int]) {
                (low, high, sum, count) = (greys.min()!, greys.max()!, greys.reduce(0, +), greys.count)
            }
        }

        /// The greys around each cell, by its number of column and row.
        private var regions: [[Int]: (one: Greys, other: Greys)] = [:]

        init(_ first: Canvas, _ second: Canvas) {
            (self.first, self.second) = (first, second)
            for y in stride(from: 0, to: first.size.height, by: 8) {
                for x in stride(from: 0, to: first.size.width, by: 8) {
                    regions[[x / 8, y / 8]] = (Greys(region(first, x, y)), Greys(region(second, x, y)))
                }
            }
        }

        private func channels(_ canvas: Canvas, _ x: Int, _ y: Int) -> [Int]? {
            guard x >= 0, y >= 0, x < canvas.size.width, y < canvas.size.height else { return nil }
            let place = 3 * (y * canvas.size.width + x)
            return (0..<3).map { Int(canvas.pixels[place + $0]) }
        }

        private func grey(_ pixel: [Int]) -> Int { (77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2]) / 256 }

        private func around(_ canvas: Canvas, _ x: Int, _ y: Int, _ reach: Int) -> [[Int]] {
            (-reach...reach).flatMap { dy in (-reach...reach).compactMap { channels(canvas, x + $0, y + dy) } }
        }

        /// The greys of the cell of a pixel of the first picture, and of the eight cells around it.
        private func region(_ canvas: Canvas, _ x: Int, _ y: Int) -> [Int] {
            let (left, top) = (x / 8 * 8 - 8, y / 8 * 8 - 8)
            return (top..<(top + 24)).flatMap { y in
                (left..<(left + 24)).compactMap { channels(canvas, $0, y).map(grey) }
            }
        }

        private func isLone(_ x: Int, _ y: Int, _ dx: Int, _ dy: Int) -> Bool {
            guard let a = channels(first, x, y), let b = channels(second, x + dx, y + dy) else { return false }
            let (one, other) = regions[[x / 8, y / 8]]!
            return hasLoneInk(a, one, b, around: { around(second, x + dx, y + dy, $0) }, one, other)
                || hasLoneInk(b, other, a, around: { around(first, x, y, $0) }, one, other)
                || hasLoneTint(a, around(second, x + dx, y + dy, 1)) || hasLoneTint(b, around(first, x, y, 1))
        }

        private func hasLoneInk(
            _ pixel: [Int], _ own: Greys, _ opposite: [Int], around: (Int) -> [[Int]], _ one: Greys, _ other: Greys
        ) -> Bool {
            let (low, high) = (min(one.low, other.low), max(one.high, other.high))
            let contrast = high - low
            let isEven = max(one.high - one.low, other.high - other.low) < thresholds.contrast
            if contrast < (isEven ? thresholds.evenContrast : thresholds.contrast) { return false }
            let (ink, paper) = (contrast * thresholds.ink / 256, contrast * thresholds.paper / 256)
            let isLightPaper = one.sum + other.sum > (low + high) / 2 * (one.count + other.count)
            let value = grey(pixel)
            let isFar = abs(value - grey(opposite)) >= thresholds.evenContrast
            let isDarkInk = value <= high - ink && (isFar || value <= own.high - ink)
            let isLightInk = value >= low + ink && (isFar || value >= own.low + ink)
            let isLight = around(isLightPaper ? 1 : 2).allSatisfy { grey($0) >= high - paper }
            let isDark = around(isLightPaper ? 2 : 1).allSatisfy { grey($0) <= low + paper }
            return isDarkInk && isLight || isLightInk && isDark
        }

        private func hasLoneTint(_ pixel: [Int], _ around: [[Int]]) -> Bool {
            let least = [thresholds.tint.red, thresholds.tint.green, thresholds.tint.blue]
            return (0..<3).contains { channel in
                let tint = pixel[channel] - grey(pixel)
                let others = around.map { $0[channel] - grey($0) }
                return others.allSatisfy { $0 - tint >= least[channel] }
                    || others.allSatisfy { tint - $0 >= least[channel] }
            }
        }

        func places() -> [Place] {
            var places: [(tiles: Set<[Int]>, place: Place)] = []
            let bounds = PixelRect(size: first.size)
            let moves = [(0, 0)] + (-1...1).flatMap { dy in (-1...1).map { ($0, dy) } }
            // Whether each pixel is lone, for each move.
            let lone = moves.map { dx, dy in
                (0..<bounds.maxY).map { y in (0..<bounds.maxX).map { isLone($0, y, dx, dy) } }
            }
            for y in stride(from: 0, to: bounds.maxY, by: 4) {
                for x in stride(from: 0, to: bounds.maxX, by: 4) {
                    let window = PixelRect(minX: x, minY: y, maxX: x + 8, maxY: y + 8).intersection(bounds)
                    let measure = lone.map { lone in
                        (window.minY..<window.maxY).reduce(0) { sum, y in
                            sum + lone[y][window.minX..<window.maxX].count(where: { $0 })
                        }
                    }.min()!
                    if measure >= thresholds.least {
                        places.append(([[x / 32, y / 32]], Place(rectangle: window, measure: measure)))
                    }
                }
            }
            // Places whose tiles touch are one.
            var joined: [(tiles: Set<[Int]>, place: Place)] = []
            for next in places {
                var next = next
                while let index = joined.firstIndex(where: { touches($0.tiles, next.tiles) }) {
                    let other = joined.remove(at: index)
                    next.tiles.formUnion(other.tiles)
                    next.place.rectangle = next.place.rectangle.union(other.place.rectangle)
                    next.place.measure = max(next.place.measure, other.place.measure)
                }
                joined.append(next)
            }
            func start(_ tiles: Set<[Int]>) -> [Int] {
                tiles.map { [$0[1], $0[0]] }.min { $0.lexicographicallyPrecedes($1) }!
            }
            return joined.sorted { start($0.tiles).lexicographicallyPrecedes(start($1.tiles)) }.map(\.place)
        }

        private func touches(_ one: Set<[Int]>, _ other: Set<[Int]>) -> Bool {
            one.contains { tile in other.contains { abs($0[0] - tile[0]) <= 1 && abs($0[1] - tile[1]) <= 1 } }
        }
    }
}
