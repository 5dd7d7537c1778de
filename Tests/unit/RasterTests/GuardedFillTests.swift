// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Raster
import TestSupport
import Testing

@Suite("No memory outside the pixels is written")
struct GuardedFillTests {
    @Test("The guard pages reject writes by the Linux kernel too", arguments: GuardedMemory.Place.allCases)
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

    @Test("Fills between guard pages, with any pitch and clip", arguments: Breadth.seeds(10, long: 60))
    func fills(seed: UInt64) throws {
        var shapes = Shapes(seed: seed)
        let size = PixelSize(width: shapes.integer(1...70), height: shapes.integer(1...30))
        let strideBytes = (size.width + [0, 0, 1, 5, 16][shapes.integer(0...4)]) * 4
        // The memory ends with the last pixel: the rest of its row's pitch is not the surface's.
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

    /// Blocks of eight pixels rewrite pixels right of a piece unchanged. At the end of the memory it shows if they
    /// reach too far.
    @Test("Pieces whose rows end anywhere before the right side", arguments: 1...40)
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

    @Test("Surfaces of every width, inked whole", arguments: 1...40)
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

/// Memory between two inaccessible pages. A write before or behind it ends the tests.
final class GuardedMemory {
    /// The place of the memory in its pages: right behind the first guard page or right before the second.
    enum Place: CaseIterable, Sendable {
        case front, back
    }

    let base: UnsafeMutableRawPointer
    let byteCount: Int
    private let pages: UnsafeMutableRawPointer
    private let mappedCount: Int
    private let pageSize: Int

    /// Zeroed memory, or nil if the kernel refuses. The rest of its pages can be written.
    init?(byteCount: Int, place: Place) {
        pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
        let usable = max(1, (byteCount + pageSize - 1) / pageSize) * pageSize
        mappedCount = usable + 2 * pageSize
        guard let mapped = mmap(nil, mappedCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            Int(bitPattern: mapped) != -1
        else { return nil }
        guard mprotect(mapped + pageSize, usable, PROT_READ | PROT_WRITE) == 0 else {
            munmap(mapped, mappedCount)
            return nil
        }
        pages = mapped
        self.byteCount = byteCount
        base = mapped + pageSize + (place == .front ? 0 : usable - byteCount)
    }

    deinit { munmap(pages, mappedCount) }

    /// The last inaccessible byte before the memory and the first behind it.
    var guards: [UnsafeMutableRawPointer] { [pages + pageSize - 1, pages + mappedCount - pageSize] }

    /// The writable bytes beside the memory.
    var slack: [UInt8] {
        let usable = UnsafeRawBufferPointer(start: pages + pageSize, count: mappedCount - 2 * pageSize)
        let start = base - (pages + pageSize)
        return Array(usable[..<start]) + Array(usable[(start + byteCount)...])
    }
}
