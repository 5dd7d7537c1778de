// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Raster
import TestSupport
import Testing

@Suite("Nothing is written beside the pixels")
struct GuardedFillTests {
    @Test("the guards are shut: the kernel does not write there either", arguments: GuardedMemory.Place.allCases)
    func guards(place: GuardedMemory.Place) throws {
        let memory = try #require(GuardedMemory(byteCount: 100, place: place))
        let zero = open("/dev/zero", O_RDONLY)
        try #require(zero >= 0)
        defer { close(zero) }
        #expect(read(zero, memory.base, 100) == 100)
        for address in memory.guards {
            #expect(read(zero, address, 1) == -1)
            #expect(errno == EFAULT)
        }
        let gap = place == .front ? memory.base - memory.guards[0] : memory.guards[1] - (memory.base + 99)
        #expect(gap == 1)
    }

    @Test("between guard pages, with any pitch and clip", arguments: 0..<60 as Range<UInt64>)
    func fills(seed: UInt64) throws {
        var shapes = Shapes(seed: seed)
        let size = PixelSize(width: shapes.integer(1...70), height: shapes.integer(1...30))
        let strideBytes = (size.width + [0, 0, 1, 5, 16][shapes.integer(0...4)]) * 4
        // Up to the last pixel of the last row: what follows in its pitch is not the surface's.
        let byteCount = strideBytes * (size.height - 1) + size.width * 4
        let place: GuardedMemory.Place = seed % 2 == 0 ? .front : .back
        let memory = try #require(GuardedMemory(byteCount: byteCount, place: place))
        let surface = Surface(base: memory.base, size: size, strideBytes: strideBytes)
        let plain = PixelBuffer(size: size)
        var rasterizer = Rasterizer()
        for _ in 0..<25 {
            let (x, y) = (shapes.integer(-40...70), shapes.integer(-20...30))
            let clip = PixelRect(x, y, x + shapes.integer(0...110), y + shapes.integer(0...50))
            let path = shapes.path(in: -20...80)
            let rule: FillRule = shapes.integer(0...1) == 0 ? .nonZero : .evenOdd
            let color = Color(red: 9, green: 80, blue: 255, alpha: [255, 140][shapes.integer(0...1)])
            rasterizer.draw(path, rule, with: color, into: surface, clip: clip)
            rasterizer.draw(path, rule, with: color, into: plain.surface, clip: clip)
        }
        #expect(words(of: surface) == words(of: plain.surface), "seed \(seed)")
        #expect(memory.slack.allSatisfy { $0 == 0 }, "seed \(seed)")
        for y in 0..<(size.height - 1) {
            for x in size.width..<(strideBytes / 4) { #expect(surface.row(y)[x] == 0, "seed \(seed)") }
        }
    }

    /// Small pieces are swept in whole blocks of eight pixels, which rewrite what lies right of them with what it is:
    /// only at the end of the memory is it seen that they went too far.
    @Test("where rows of a piece end anywhere before the right side", arguments: 1...40)
    func pieces(width: Int) throws {
        var rasterizer = Rasterizer()
        for (height, alpha) in [(1, 255), (1, 140), (3, 255), (3, 140)] as [(Int, UInt8)] {
            let memory = try #require(GuardedMemory(byteCount: width * height * 4, place: .back))
            let size = PixelSize(width: width, height: height)
            let surface = Surface(base: memory.base, size: size, strideBytes: width * 4)
            let wide = PixelBuffer(size: PixelSize(width: width + 64, height: height))
            let color = Color(red: 9, green: 80, blue: 255, alpha: alpha)
            for left in 0..<width {
                for length in [1, 7, 8, 9, 16, 17, 23, 24, 25] where left + length <= width {
                    let (start, end) = (Double(left) + 0.25, min(Double(left + length) + 0.5, Double(width)))
                    let piece = Path(polygon: [
                        Point(x: start, y: 0), Point(x: end, y: 0.25), Point(x: end, y: Double(height)),
                        Point(x: start, y: Double(height) - 0.25),
                    ])
                    rasterizer.draw(piece, .nonZero, with: color, into: surface, clip: surface.bounds)
                    rasterizer.draw(piece, .nonZero, with: color, into: wide.surface, clip: wide.surface.bounds)
                }
            }
            let isSame = (0..<height).allSatisfy { y in
                (0..<width).allSatisfy { surface.row(y)[$0] == wide.surface.row(y)[$0] }
            }
            #expect(isSame && memory.slack.allSatisfy { $0 == 0 }, "height \(height), alpha \(alpha)")
        }
    }

    @Test("where all of the surface is inked, at every width", arguments: 1...40)
    func full(width: Int) throws {
        let far = 1e6
        let everywhere = Path(polygon: [
            Point(x: -far, y: -far), Point(x: far, y: -far), Point(x: far, y: far), Point(x: -far, y: far),
        ])
        let half = Path(polygon: [
            Point(x: -50, y: -3.5), Point(x: 90, y: -3.5), Point(x: 90, y: 9.5), Point(x: -50, y: 0.5),
        ])
        let size = PixelSize(width: width, height: 5)
        var rasterizer = Rasterizer()
        for place in GuardedMemory.Place.allCases {
            for alpha in [255, 100] as [UInt8] {
                let memory = try #require(GuardedMemory(byteCount: width * 20, place: place))
                let surface = Surface(base: memory.base, size: size, strideBytes: width * 4)
                let color = Color(red: 255, green: 255, blue: 255, alpha: alpha)
                for path in [everywhere, half] {
                    rasterizer.draw(path, .nonZero, with: color, into: surface, clip: surface.bounds)
                    rasterizer.draw(path, .nonZero, with: color, into: surface, clip: PixelRect(-99, -9, 999, 99))
                }
                #expect(words(of: surface).allSatisfy { alpha == 255 ? $0 == 0xFFFF_FFFF : $0 != 0 })
                #expect(memory.slack.allSatisfy { $0 == 0 })
            }
        }
    }
}
