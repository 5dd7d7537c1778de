// SPDX-License-Identifier: Apache-2.0
import Geometry
import Testing

@testable import Screen

@Suite("Density of a display")
struct DisplayDensityTests {
    @Test("is that of the size the connector states")
    func stated() throws {
        let size = PixelSize(width: 1920, height: 1080)
        let density = try #require(PixelDensity(panel: size, stated: PixelSize(width: 344, height: 194)))
        #expect(abs(density.dotsPerInch - 141.6) < 0.1)
    }

    @Test(
        "is unknown without a size, or with one that only stands for the proportions",
        arguments: [nil, (0, 0), (16, 9), (160, 90), (160, 100), (1600, 900), (344, 344), (1, 1)] as [(Int, Int)?])
    func unknown(millimetres: (Int, Int)?) {
        let stated = millimetres.map { PixelSize(width: $0.0, height: $0.1) }
        #expect(PixelDensity(panel: PixelSize(width: 1920, height: 1080), stated: stated) == nil)
    }

    @Test("is unknown for a display in memory")
    func headless() throws {
        let display = try HeadlessDisplay(size: PixelSize(width: 100, height: 50))
        defer { display.close() }
        #expect(display.statedDensity == nil)
    }
}
