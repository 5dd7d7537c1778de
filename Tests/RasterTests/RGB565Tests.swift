// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("Ink over RGB565")
struct RGB565Tests {
    private static let size = PixelSize(width: 29, height: 23)
    private static let bounds = PixelRect(0, 0, 29, 23)
    /// Wider than the picture, as drivers make it.
    private static let strideBytes = 72

    /// Red, green and blue of a pixel, each 0...its most.
    private func channels(_ pixel: UInt16) -> [Double] {
        [Double(pixel >> 11), Double(pixel >> 5 & 63), Double(pixel & 31)]
    }

    private func withSurface(seed: UInt64, _ body: (SurfaceRGB565, UnsafeMutableBufferPointer<UInt16>) -> Void) {
        let count = Self.strideBytes / 2 * Self.size.height
        let words = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: count)
        defer { words.deallocate() }
        var random = SeededGenerator(seed: seed)
        for index in 0..<count { words.initializeElement(at: index, to: .random(in: 0...UInt16.max, using: &random)) }
        guard let base = words.baseAddress else { return }
        body(SurfaceRGB565(base: base, size: Self.size, strideBytes: Self.strideBytes), words)
    }

    @Test("is old plus coverage x alpha x difference, rounded", arguments: [255, 254, 128, 1, 0] as [UInt8])
    func blend(alpha: UInt8) {
        let color = Color(red: 12, green: 200, blue: 255, alpha: alpha)
        // The nearest that 5, 6 and 5 bits can say.
        let ink = [(12.0 * 31 / 255).rounded(), (200.0 * 63 / 255).rounded(), 31]
        for seed in 0..<12 as Range<UInt64> {
            var shapes = Shapes(seed: seed)
            let path = shapes.path(in: -3...32)
            let covered = coverage(of: path, clip: Self.bounds)
            withSurface(seed: seed) { surface, words in
                let before = Array(words)
                var rasterizer = Rasterizer()
                rasterizer.begin(clip: Self.bounds)
                rasterizer.add(path)
                rasterizer.fill(.nonZero, with: color, into: surface)
                for index in before.indices {
                    let (x, y) = (index % (Self.strideBytes / 2), index / (Self.strideBytes / 2))
                    guard x < Self.size.width else {
                        #expect(words[index] == before[index], "beyond the row")
                        continue
                    }
                    let weight = Double(covered[y * Self.size.width + x]) / 255 * Double(alpha) / 255
                    for ((new, old), ink) in zip(zip(channels(words[index]), channels(before[index])), ink) {
                        #expect(abs(new - (old + (ink - old) * weight)) < 0.8, "\(x), \(y)")
                    }
                }
            }
        }
    }

    @Test("keeps to the clip")
    func clip() {
        let clip = PixelRect(5, 4, 17, 11)
        withSurface(seed: 3) { surface, words in
            let before = Array(words)
            var rasterizer = Rasterizer()
            rasterizer.begin(clip: clip)
            rasterizer.add(
                Path(polygon: [
                    Point(x: -9, y: -9), Point(x: 60, y: -9), Point(x: 60, y: 60), Point(x: -9, y: 60),
                ]))
            rasterizer.fill(.nonZero, with: Color(red: 255, green: 0, blue: 0), into: surface)
            for index in before.indices {
                let (x, y) = (index % (Self.strideBytes / 2), index / (Self.strideBytes / 2))
                let isInside = x >= clip.minX && x < clip.maxX && y >= clip.minY && y < clip.maxY
                #expect(words[index] == (isInside ? 0xF800 : before[index]))
            }
        }
    }
}
