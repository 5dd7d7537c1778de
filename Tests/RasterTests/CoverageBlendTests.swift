// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import Testing

@testable import RasterKernel

@Suite("Blending coverage")
struct CoverageBlendTests {
    @Test("a coverage of every value becomes an area and back")
    func roundTrip() {
        for byte in UInt8.min...UInt8.max { #expect(Coverage.byte(Coverage.area(ofByte: byte)) == byte) }
        #expect(Coverage.area(ofByte: 255) == Coverage.full)
    }

    @Test("blends what is covered, and only on the surface")
    func blend() {
        let buffer = PixelBuffer(size: PixelSize(width: 4, height: 3))
        buffer.surface.fill(buffer.surface.bounds, with: .white)
        let coverage = CoverageBuffer(bounds: PixelRect(minX: 2, minY: -1, maxX: 6, maxY: 2))
        coverage.withUnsafeMutableBytes { for index in 0..<12 { $0[index] = [255, 128, 0, 255][index % 4] } }
        buffer.surface.blend(coverage, with: .black)
        let rows = (0..<3).map { y in (0..<4).map { buffer.surface.row(y)[$0] & 0xFF } }
        #expect(rows == [[255, 255, 0, 127], [255, 255, 0, 127], [255, 255, 255, 255]])
    }
}
