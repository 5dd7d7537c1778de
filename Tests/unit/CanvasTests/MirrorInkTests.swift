// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import TestSupport
import Testing

@Suite("Ink for mirrors")
struct MirrorInkTests {
    private static let density = PixelDensity(pixelsPerMillimetre: 5)!

    /// Strokes with and without pressure.
    private func strokes(_ seed: UInt64) -> [[Sample]] {
        var scribble = Scribble(seed: seed)
        return (0..<3).map { number in
            (0..<40).map { index in
                var sample = scribble.next()
                if number > 0 { sample.pressure = Double(index % 9) / 8 }
                return sample
            }
        }
    }

    /// The contours of path data, in pixels.
    private func polygons(_ outline: String) throws -> [[Point]] {
        try outline.split(separator: "M").map { contour in
            let parts = try #require(contour.hasSuffix("z") ? contour.dropLast().split(separator: "l") : nil)
            func numbers(_ text: Substring) -> [Int] {
                text.replacing("-", with: " -").split(separator: " ").compactMap { Int($0) }
            }
            var (x, y) = (numbers(parts[0])[0], numbers(parts[0])[1])
            var points = [Point(x: Double(x) / 16, y: Double(y) / 16)]
            let steps = numbers(parts[1])
            for index in stride(from: 0, to: steps.count, by: 2) {
                (x, y) = (x + steps[index], y + steps[index + 1])
                points.append(Point(x: Double(x) / 16, y: Double(y) / 16))
            }
            return points
        }
    }

    @Test("whenever changes are asked for, their outlines are those of the whole stroke", arguments: PenName.allCases)
    func pieces(_ name: PenName) {
        for seed in UInt64(1)...4 {
            var (whole, parts) = (
                MirrorInk(pen: Pen(name), density: Self.density), MirrorInk(pen: Pen(name), density: Self.density)
            )
            for stroke in strokes(seed) {
                whole.add(stroke)
                var outline = ""
                for start in stride(from: 0, to: stroke.count, by: Int(seed) * 3) {
                    parts.add(Array(stroke[start..<min(start + Int(seed) * 3, stroke.count)]))
                    outline += parts.change()?.final ?? ""
                }
                outline += parts.finish() ?? ""
                let expected = whole.finish()
                #expect(expected == outline)
                #expect(!outline.isEmpty)
            }
        }
    }

    @Test("an outline is that of the screen, within a sixteenth of a pixel", arguments: PenName.allCases)
    func accuracy(_ name: PenName) throws {
        let stroke = strokes(7)[1]
        var mirror = MirrorInk(pen: Pen(name), density: Self.density)
        mirror.add(stroke)
        let finished = mirror.finish()
        let outline = try polygons(try #require(finished))
        var (model, ink) = (Pen(name).makeStroke(density: Self.density, after: nil), StrokeInk())
        for sample in stroke { model.add(sample, to: &ink) }
        model.finish(&ink)
        var path = Path()
        for piece in ink.pieces { path.append(ink.outline, from: piece.start, to: piece.end) }
        let exact = path.polygons(tolerance: 0.03)
        #expect(outline.count == exact.count)
        for (contour, reference) in zip(outline, exact) {
            let distances = contour.map { point in reference.map { ($0 - point).length }.min() ?? .infinity }
            #expect(distances.max() ?? 0 <= 0.05, "half of a unit, in both directions")
        }
    }

    @Test("a tail is the part that may still change: with it, the wet stroke ends at its last report")
    func tail() throws {
        var mirror = MirrorInk(pen: Pen(.ink), density: Self.density)
        let nothing = mirror.change()
        #expect(nothing == nil)
        let samples = (0..<30).map {
            Sample(time: .zero + .milliseconds(8 * $0), position: Point(x: Double($0) * 4, y: 20))
        }
        mirror.add(samples)
        let first = mirror.change()
        let change = try #require(first)
        let reach = try polygons(change.tail).joined().map(\.x).max() ?? 0
        #expect(reach >= 116 && reach < 122)
        #expect(try polygons(change.final).joined().map(\.x).max() ?? 0 < reach)
        let again = mirror.change()
        #expect(again?.final == "" && again?.tail == change.tail)
    }

    @Test("a cancelled stroke leaves nothing, and a new sheet does not end where the last one did")
    func cancellation() {
        let stroke = strokes(3)[1]
        func first() -> String? {
            var mirror = MirrorInk(pen: Pen(.ink), density: Self.density)
            mirror.add(stroke)
            return mirror.finish()
        }
        var mirror = MirrorInk(pen: Pen(.ink), density: Self.density)
        var finished = [mirror.finish()]
        mirror.add(strokes(4)[1])
        mirror.cancel()
        finished.append(mirror.finish())
        #expect(finished == [nil, nil])
        mirror.add(stroke)
        let after = mirror.finish()
        #expect(after == first())
        mirror.add(strokes(5)[2])
        mirror.clear()
        mirror.add(stroke)
        let onNewSheet = mirror.finish()
        #expect(onNewSheet == first())
    }

    @Test("ink beyond a mebibyte of outlines is not mirrored, until the sheet is cleared")
    func limit() {
        var mirror = MirrorInk(pen: Pen(.ink), density: Self.density)
        var (byteCount, strokeCount) = (0, 0)
        while strokeCount < 100_000 {
            mirror.add(strokes(3)[1])
            guard let outline = mirror.finish() else { break }
            byteCount += outline.utf8.count
            strokeCount += 1
        }
        #expect(byteCount > 1 << 20 && byteCount < 1 << 21)
        mirror.clear()
        mirror.add(strokes(3)[1])
        let next = mirror.finish()
        #expect(next?.isEmpty == false)
    }

    @Test("whatever a device reports, an outline has numbers that a page can draw")
    func range() throws {
        var mirror = MirrorInk(pen: Pen(.ink), density: Self.density)
        mirror.add([
            Sample(time: .zero, position: Point(x: -1e6, y: 1e6)),
            Sample(time: Timestamp(microseconds: 8000), position: Point(x: 1e6, y: 0)),
        ])
        let outline = mirror.finish() ?? ""
        for point in try polygons(outline).joined() {
            #expect(abs(point.x) <= 62_500 && abs(point.y) <= 62_500)
        }
    }
}
