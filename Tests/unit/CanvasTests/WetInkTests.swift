// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Raster
import TestSupport
import Testing

@Suite("Wet ink on a picture that is on screen")
struct WetInkTests {
    private static let size = PixelSize(width: 60, height: 75)

    @Test(
        "only pixels with wet ink change, to what a frame would show, and the next frame is whole",
        arguments: Breadth.seeds(2, long: 20))
    func onlyInk(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let rotation = Rotation.allCases[Int(seed % 4)]
        var canvas = Canvas(
            size: Self.size, pen: Pen(seed % 3 == 0 ? .offset : .ink, width: 5),
            color: Color(red: 0, green: 0, blue: 90, alpha: seed % 2 == 0 ? 255 : 160), background: .white)
        let panel = PixelBuffer(size: rotation.pictureSize(onPanel: Self.size))
        let whole = PixelBuffer(size: panel.surface.size)
        let dry = PixelBuffer(size: panel.surface.size)
        canvas.compose(canvas.takeDamage(), onto: panel.surface, rotation: rotation)
        // Damage that the picture on screen has missed.
        var missed = Damage()
        var time = Timestamp.zero
        var changedCount = 0
        for stroke in 0..<3 {
            var position = Point(x: .random(in: 10..<50, using: &random), y: .random(in: 10..<65, using: &random))
            for index in 0..<25 {
                time += .milliseconds(5)
                let step = Point(x: .random(in: -7...8, using: &random), y: .random(in: -7...7, using: &random))
                position = position + step
                let sample = Sample(time: time, position: position)
                canvas.apply(index == 0 ? .begin(sample) : .move(sample))
                if seed % 5 != 0 { canvas.predict(until: time + .milliseconds(12)) }
                let damage = canvas.takeDamage()
                missed.add(damage)
                let before = words(of: panel.surface)
                canvas.writeWetInk(of: damage, onto: panel.surface, rotation: rotation)
                let after = words(of: panel.surface)
                canvas.compose(Damage(PixelRect(size: Self.size)), onto: whole.surface, rotation: rotation)
                dry.surface.copy(PixelRect(size: Self.size), from: canvas.dryPixels, rotation: rotation)
                let (full, paper) = (words(of: whole.surface), words(of: dry.surface))
                let inDamage = mask(damage, rotation, panel.surface.size)
                for pixel in full.indices {
                    let isInk = inDamage[pixel] && full[pixel] != paper[pixel]
                    if after[pixel] != (isInk ? full[pixel] : before[pixel]) {
                        Issue.record("seed \(seed), stroke \(stroke), report \(index): pixel \(pixel)")
                        return
                    }
                    if after[pixel] != before[pixel] { changedCount += 1 }
                }
                guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
                canvas.compose(missed, onto: panel.surface, rotation: rotation)
                missed.removeAll()
                let isWhole = words(of: panel.surface) == full
                #expect(isWhole, "seed \(seed), stroke \(stroke), report \(index)")
            }
            canvas.apply(.end)
        }
        missed.add(canvas.takeDamage())
        canvas.compose(missed, onto: panel.surface, rotation: rotation)
        dry.surface.copy(PixelRect(size: Self.size), from: canvas.dryPixels, rotation: rotation)
        let isDry = words(of: panel.surface) == words(of: dry.surface)
        #expect(isDry, "nothing is left of what was written ahead")
        #expect(changedCount > 500)
    }

    @Test("a cover hides wet ink, and ink outside the ink area does not show")
    func hidden() {
        var canvas = Canvas(size: Self.size, pen: Pen(.offset, width: 9), color: .black, background: .white)
        let area = PixelRect(minX: 0, minY: 0, maxX: 30, maxY: 75)
        canvas.beginPage(inkArea: area).fill(PixelRect(size: Self.size), with: .white)
        canvas.cover(PixelRect(minX: 0, minY: 0, maxX: 60, maxY: 37))?.fill(PixelRect(size: Self.size), with: .white)
        let panel = PixelBuffer(size: Self.size)
        panel.surface.fill(panel.surface.bounds, with: .white)
        canvas.apply(.begin(Sample(time: .zero, position: Point(x: 10, y: 10))))
        canvas.apply(.move(Sample(time: Timestamp(microseconds: 5000), position: Point(x: 55, y: 65))))
        canvas.writeWetInk(of: Damage(PixelRect(size: Self.size)), onto: panel.surface, rotation: .none)
        var inked = PixelRect.empty
        for y in 0..<Self.size.height {
            for x in 0..<Self.size.width where panel.surface.row(y)[x] != Color.white.xrgb8888 {
                inked = inked.union(PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1))
            }
        }
        #expect(!inked.isEmpty)
        #expect(PixelRect(minX: 0, minY: 37, maxX: 30, maxY: 75).contains(inked))
    }

    @Test("without a wet stroke nothing is written")
    func none() {
        var canvas = Canvas(size: Self.size, pen: Pen(.offset, width: 9), color: .black, background: .white)
        let panel = PixelBuffer(size: Self.size)
        canvas.apply(.begin(Sample(time: .zero, position: Point(x: 10, y: 10))))
        canvas.apply(.end)
        canvas.writeWetInk(of: Damage(PixelRect(size: Self.size)), onto: panel.surface, rotation: .none)
        #expect(words(of: panel.surface).allSatisfy { $0 == 0 })
    }

    /// Which pixels of the panel are damaged.
    private func mask(_ damage: Damage, _ rotation: Rotation, _ panel: PixelSize) -> [Bool] {
        var mask = Array(repeating: false, count: panel.width * panel.height)
        for rect in damage.rects {
            let target = rotation.panelRect(of: rect, picture: Self.size)
            for y in target.minY..<target.maxY {
                for x in target.minX..<target.maxX { mask[y * panel.width + x] = true }
            }
        }
        return mask
    }
}
