// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("Any clip is safe")
struct ExtremeClipTests {
    private static let path = Path(polygon: [Point(x: -1e6, y: -1e6), Point(x: 1e6, y: -1e6), Point(x: 0, y: 1e6)])

    private static let withoutPixels = [
        PixelRect.empty, PixelRect(3, 3, 3, 9), PixelRect(3, 3, 9, 3), PixelRect(5, 5, 2, 2), PixelRect(9, -4, -9, 4),
        PixelRect(20, 20, 30, 30), PixelRect(-30, -30, -20, -20), PixelRect(8, 0, 16, 8), PixelRect(0, 8, 8, 16),
        PixelRect(-8, 0, 0, 8), PixelRect(0, -8, 8, 0), PixelRect(Int.max, Int.max, Int.min, Int.min),
        PixelRect(Int.min, Int.min, Int.min + 4, Int.min + 4), PixelRect(Int.max - 4, 0, Int.max, 8),
    ]

    @Test("A clip without a pixel on the target changes no pixel", arguments: withoutPixels)
    func none(clip: PixelRect) throws {
        let memory = try #require(GuardedMemory(byteCount: 256, place: .front))
        let surface = Surface(base: memory.base, size: PixelSize(width: 8, height: 8), strideBytes: 32)
        let buffer = CoverageBuffer(bounds: PixelRect(0, 0, 8, 8))
        var rasterizer = Rasterizer()
        rasterizer.draw(Self.path, .nonZero, with: .white, into: surface, clip: clip)
        rasterizer.begin(clip: clip)
        rasterizer.add(Self.path)
        rasterizer.fill(.nonZero, into: buffer)
        #expect(words(of: surface).allSatisfy { $0 == 0 })
        #expect(buffer.bytes.allSatisfy { $0 == 0 })
        // The next fill is not affected.
        rasterizer.draw(Self.path, .nonZero, with: .white, into: surface, clip: PixelRect(2, 2, 4, 4))
        #expect(words(of: surface).filter { $0 == 0xFFFF_FFFF }.count == 4)
    }

    private static let partlyOff = [
        PixelRect(-3, -3, 4, 4), PixelRect(5, 5, 12, 12), PixelRect(-100, 3, 100, 4), PixelRect(3, -100, 4, 100),
        PixelRect(-70_000, -70_000, 3, 3), PixelRect(-2_000_000, 0, 2_000_000, 8),
        PixelRect(Int.min, Int.min, Int.max, Int.max), PixelRect(7, 7, Int.max, Int.max),
    ]

    @Test("A clip partly off the target changes the pixels inside both", arguments: partlyOff)
    func partly(clip: PixelRect) throws {
        let bounds = PixelRect(0, 0, 8, 8)
        let memory = try #require(GuardedMemory(byteCount: 256, place: .back))
        let surface = Surface(base: memory.base, size: PixelSize(width: 8, height: 8), strideBytes: 32)
        let buffer = CoverageBuffer(bounds: bounds)
        var rasterizer = Rasterizer()
        rasterizer.draw(Self.path, .nonZero, with: .white, into: surface, clip: clip)
        rasterizer.begin(clip: clip)
        rasterizer.add(Self.path)
        rasterizer.fill(.nonZero, into: buffer)
        let bytes = buffer.bytes
        for y in 0..<8 {
            for x in 0..<8 {
                let isInside = clip.contains(PixelRect(x, y, x + 1, y + 1))
                #expect(surface.row(y)[x] == (isInside ? 0xFFFF_FFFF : 0), "\(x), \(y)")
                #expect(bytes[y * 8 + x] == (isInside ? 255 : 0), "\(x), \(y)")
            }
        }
    }

    @Test("Coverage far from the origin", arguments: [-70_000, -65_536, -300, 300, 65_500, 65_536, 70_000])
    func away(place: Int) {
        let clip = PixelRect(place, place, place + 40, place + 40)
        let corner = Double(place)
        let square = [Point(x: 3, y: 3), Point(x: 30, y: 3), Point(x: 30, y: 30), Point(x: 3, y: 30)]
        let path = Path(polygon: square.map { $0 + Point(x: corner, y: corner) })
        let bytes = coverage(of: path, clip: clip)
        // Nothing is drawn further from the origin than 65 536 pixels.
        for (index, byte) in bytes.enumerated() {
            let (x, y) = (place + index % 40, place + index / 40)
            let isDrawn = x >= -65_536 && x < 65_536 && y >= -65_536 && y < 65_536
            let isInside = 3..<30 ~= index % 40 && 3..<30 ~= index / 40
            #expect(byte == (isDrawn && isInside ? 255 : 0), "\(x), \(y)")
        }
    }

    @Test("A clip through a piece of the maximum width is a crop of the whole", arguments: 2...7)
    func widest(height: Int) {
        let bounds = PixelRect(-65_536, 0, 65_536, height)
        let (middle, lower) = (Double(height) / 2, Double(height))
        let path = Path(polygon: [
            Point(x: -65_535, y: 0.25), Point(x: 30_000, y: middle - 0.6), Point(x: 65_535, y: lower - 0.25),
            Point(x: -20_000.5, y: middle + 0.3),
        ])
        let whole = coverage(of: path, clip: bounds)
        let most = whole.max()
        #expect(most ?? 0 > 100)
        for left in [-65_536, -65_500, -20_100, -300, 0, 29_900, 65_236] {
            let clip = PixelRect(left, 0, left + 300, height)
            #expect(coverage(of: path, clip: clip) == crop(whole, of: bounds, to: clip), "at \(left)")
        }
    }

    /// Two flat edges across nearly the maximum width. Because of the error of its slope, the falling one has used up
    /// its height some 200 pixels before its end.
    @Test("A clip through an edge part of more than 65,536 pixels is a crop of the whole")
    func longParts() {
        let bounds = PixelRect(-65_535, 0, 65_535, 1)
        var path = Path(polygon: [
            Point(x: -65_535, y: 0), Point(x: 65_535, y: 0), Point(x: 65_535, y: 1), Point(x: -65_535, y: 1),
        ])
        path.addPolygon([
            Point(x: -65_000, y: 0), Point(x: 62_368.2421875, y: 0), Point(x: -62_368.25, y: 1),
            Point(x: -65_000, y: 1),
        ])
        let whole = coverage(of: path, clip: bounds)
        for clip in [PixelRect(62_100, 0, 62_367, 1), PixelRect(-65_535, 0, 62_200, 1)] {
            #expect(coverage(of: path, clip: clip) == crop(whole, of: bounds, to: clip))
        }
        #expect(whole.allSatisfy { $0 == 255 })
    }
}
