// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import Testing

@Suite("Memory for pixels")
struct PixelBufferTests {
    /// The smallest size from which on huge pages are asked for, and others around it.
    static let sizes = [(0, 0), (1, 1), (512, 1023), (512, 1024), (512, 1025), (1000, 600), (1920, 1080)]

    @Test("is zero, all of it, and begins a cache line with each row", arguments: sizes)
    func memory(width: Int, height: Int) {
        let size = PixelSize(width: width, height: height)
        check(PixelBuffer(size: size), size, alignment: 64)
        // Huge pages are 2 MiB, and memory that does not begin with one has smaller ones there.
        let isLarge = width * height * 4 >= 2 << 20
        check(PixelBuffer(lasting: size), size, alignment: isLarge ? 2 << 20 : 64)
    }

    private func check(_ buffer: borrowing PixelBuffer, _ size: PixelSize, alignment: UInt) {
        let surface = buffer.surface
        #expect(surface.size == size)
        #expect(UInt(bitPattern: surface.row(0)) % alignment == 0)
        for y in 0..<size.height { #expect(UInt(bitPattern: surface.row(y)) % 64 == 0) }
        #expect(words(of: surface).allSatisfy { $0 == 0 })
        surface.fill(surface.bounds, with: .white)
        #expect(words(of: surface).allSatisfy { $0 == 0xFFFF_FFFF })
    }
}
