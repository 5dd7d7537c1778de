// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing

@Suite("Damage")
struct DamageTests {
    @Test("covers everything ever added and stays short", arguments: Breadth.seeds(8, long: 50))
    func coversAll(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var damage = Damage()
        var pixels = Set<PixelSize>()
        for _ in 0..<40 {
            let x = Int.random(in: 0..<60, using: &random)
            let y = Int.random(in: 0..<60, using: &random)
            let rect = PixelRect(
                minX: x, minY: y, maxX: x + Int.random(in: 0..<8, using: &random),
                maxY: y + Int.random(in: 0..<8, using: &random))
            damage.add(rect)
            for y in rect.minY..<rect.maxY {
                for x in rect.minX..<rect.maxX { pixels.insert(PixelSize(width: x, height: y)) }
            }
            #expect(damage.rects.count <= 6, "seed \(seed)")
        }
        for pixel in pixels {
            let one = PixelRect(
                minX: pixel.width, minY: pixel.height, maxX: pixel.width + 1, maxY: pixel.height + 1)
            #expect(damage.rects.contains { $0.contains(one) }, "seed \(seed) lost \(pixel)")
        }
    }

    @Test("neighbours are joined where that redraws no more pixels")
    func joinsNeighbours() {
        var damage = Damage(PixelRect(minX: 0, minY: 0, maxX: 4, maxY: 4))
        damage.add(PixelRect(minX: 4, minY: 0, maxX: 8, maxY: 4))
        #expect(damage.rects == [PixelRect(minX: 0, minY: 0, maxX: 8, maxY: 4)])
    }
}
