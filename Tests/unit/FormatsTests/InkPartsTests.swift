// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster
import Record
import TestSupport
import Testing

@testable import Formats

@Suite("Ink in parts")
struct InkPartsTests {
    /// Joined letters in lines of 1000 pixels at 200 reports/s.
    private static func writing(_ count: Int) -> [Sample] {
        (0..<count).map { number in
            let seconds = Double(number) * 0.005
            let angle = seconds * 28
            let way = seconds * 150
            let line = (way / 1000).rounded(.down)
            return Sample(
                time: .zero + .milliseconds(5 * number),
                position: Point(
                    x: 50 + way - 1000 * line + 12 * Self.sine(angle),
                    y: 40 + 36 * line + 12 * Self.sine(angle * 1.07)))
        }
    }

    /// An approximate sine of parabolas between its zeros.
    private static func sine(_ angle: Double) -> Double {
        let turns = angle / 6.283185307179586
        let phase = (turns - turns.rounded(.down)) * 4 - 2
        return phase * (2 - abs(phase))
    }

    /// Random points on a page of 400 x 200 pixels.
    private static func wild(_ count: Int, seed: UInt64 = 1) -> [Sample] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { number in
            Sample(
                time: .zero + .milliseconds(5 * number),
                position: Point(
                    x: .random(in: 0...400, using: &random), y: .random(in: 0...200, using: &random)))
        }
    }

    private func parts(_ samples: [Sample], _ pen: PenName = .ink, keeping byteLimit: Int = .max) -> InkParts {
        InkParts(
            of: StrokeSamples(count: samples.count) { samples[$0] },
            pen: Pen(pen, switches: pen == .offset ? [.varyingColor] : nil), density: .standard, byteLimit: byteLimit)
    }

    private func list(_ parts: InkParts) -> [InkPart] {
        var list: [InkPart] = []
        parts.forEachPart { list.append($0) }
        return list
    }

    /// The outline of each piece, without the repeated shared ones.
    private func pieces(_ parts: [InkPart]) -> [[Point]] {
        parts.flatMap { part in part.ink.pieces[part.sharedCount...].map { points(of: $0, in: part.ink) } }
    }

    private func points(of piece: StrokeInk.Piece, in ink: StrokeInk) -> [Point] {
        Array(ink.outline.points[piece.start.pointCount..<piece.end.pointCount])
    }

    @Test("a stroke of a signature is one part with the ink of the screen", arguments: PenName.allCases)
    func short(pen: PenName) {
        let samples = Self.writing(600)
        let list = list(parts(samples, pen))
        #expect(list.count == 1)
        var (model, ink) = (Pen(pen, switches: pen == .offset ? [.varyingColor] : nil).makeStroke(), StrokeInk())
        for sample in samples { model.add(sample, to: &ink) }
        model.finish(&ink)
        #expect(list[0].ink.outline == ink.outline && list[0].ink.bounds == ink.bounds)
        #expect(list[0].ink.pieces.map(\.run) == ink.pieces.map(\.run))
    }

    @Test("a long stroke is several parts of bounded size, which together are its ink", arguments: PenName.allCases)
    func long(pen: PenName) {
        for samples in [Self.writing(24_000), Self.wild(2000)] {
            let all = parts(samples, pen)
            let list = list(all)
            #expect(list.allSatisfy { $0.ink.pieces.count < 2 * PartModel.mostPieces })
            let whole = all.whole
            #expect(pieces(list) == whole.pieces.map { points(of: $0, in: whole) })
            #expect(all.bounds == whole.bounds)
        }
    }

    @Test("parts that are not kept are modelled again with the same result")
    func notKept() {
        let samples = Self.wild(3000)
        let all = list(parts(samples))
        #expect(all.count > 10)
        let first = all[0].ink.outline.points.count * MemoryLayout<Point>.stride
        for byteLimit in [0, 3 * first, 20 * first] {
            let some = parts(samples, keeping: byteLimit)
            #expect(pieces(list(some)) == pieces(all))
            #expect(pieces(list(some)) == pieces(all), "a second time")
            #expect(some.byteCount <= byteLimit)
        }
    }

    @Test("many short strokes keep no more memory than a long one, and all are drawn")
    func manyStrokes() {
        let stroke = Self.writing(100)
        let byteCount = parts(stroke).byteCount
        #expect(byteCount > 1000 && parts(stroke, keeping: byteCount).byteCount == byteCount)
        for byteLimit in [byteCount - 1, 0, -1] {
            let parts = parts(stroke, keeping: byteLimit)
            #expect(parts.byteCount == 0 && parts.bounds == self.parts(stroke).bounds)
            #expect(list(parts).map(\.ink.outline) == list(self.parts(stroke)).map(\.ink.outline))
            #expect(parts.whole.outline == self.parts(stroke).whole.outline)
        }
        // A tap is a part of one sample.
        #expect(list(parts(Self.writing(1), keeping: 0)).count == 1)
    }

    private func pixels(_ drawing: Drawing) -> [[Int]] {
        let buffer = drawing.pixels()
        let surface = buffer.surface
        return (0..<surface.size.height).map { y in
            (0..<surface.size.width).map { x in Int(surface.row(y)[x] & 0xFF) }
        }
    }

    @Test("parts leave no seam: a long stroke looks as if filled at once")
    func seams() {
        let samples = Self.writing(24_000)
        let size = PixelSize(width: 1100, height: 720)
        var drawing = Drawing(size: size)
        drawing.add(samples, pen: Pen(), density: .standard)
        let all = parts(samples)
        #expect(list(all).count > 1)
        let atOnce = pixels(Drawing(size: size, strokes: [all.whole]))
        let inParts = pixels(drawing)
        let differences = zip(inParts.joined(), atOnce.joined()).map { abs($0 - $1) }
        // Where edges of two parts share a pixel, blending loses the product of their coverages: a quarter at most, and
        // rounding. How many such pixels there are depends on where the stroke is cut.
        #expect(differences.allSatisfy { $0 <= 66 })
        #expect(differences.count { $0 > 2 } < 300)
    }

    @Test("an endless scribble blackens the page and then does not change it, with and without paper")
    func scribble() {
        let size = PixelSize(width: 400, height: 200)
        for color in [Color.black, Color(red: 0, green: 0, blue: 0, alpha: 128)] {
            var drawing = Drawing(size: size, color: color)
            drawing.add(Self.wild(20_000), pen: Pen(), density: .standard)
            let middle = pixels(drawing)[40..<160].flatMap { $0[40..<360] }
            let ink = color.alpha == 255 ? 0 : 127
            #expect(middle.allSatisfy { abs($0 - ink) <= 1 })
            let clear = drawing.pixels(isTransparent: true)
            let alphas = (40..<160).map { Int(clear.surface.row($0)[200] >> 24) }
            #expect(alphas.allSatisfy { $0 == Int(color.alpha) })
        }
    }

    @Test("the mask of a run skips pieces on covered tiles")
    func inkedTiles() {
        var mask = InkMask(bounds: PixelRect(minX: 0, minY: 0, maxX: 100, maxY: 70))
        var rasterizer = Rasterizer()
        func ink(_ rects: [Rect]) -> StrokeInk {
            var ink = StrokeInk()
            for rect in rects {
                ink.appendPiece { path in
                    path.addPolygon([
                        Point(x: rect.minX, y: rect.minY), Point(x: rect.maxX, y: rect.minY),
                        Point(x: rect.maxX, y: rect.maxY), Point(x: rect.minX, y: rect.maxY),
                    ])
                }
            }
            return ink
        }
        let left = ink([Rect(minX: -5, minY: -5, maxX: 30, maxY: 80), Rect(minX: 29, minY: -5, maxX: 64, maxY: 80)])
        mask.add(0..<2, of: left, with: &rasterizer)
        #expect(mask.inkedTileCount == 2 && mask.filledCount == 6)
        // One piece on covered tiles, one across the border, one on others.
        let more = ink([
            Rect(minX: 10, minY: 10, maxX: 50, maxY: 60), Rect(minX: 10, minY: 10, maxX: 80.5, maxY: 60),
            Rect(minX: 70, minY: 20, maxX: 90, maxY: 30),
        ])
        mask.add(0..<3, of: more, with: &rasterizer)
        #expect(mask.filledCount == 8)
        mask.withCoverage { coverage in
            #expect(coverage[63, 69] == 255 && coverage[64, 9] == 0 && coverage[64, 10] == 255)
            #expect(coverage[80, 40] == 128 && coverage[81, 40] == 0 && coverage[89, 29] == 255)
        }
    }
}
