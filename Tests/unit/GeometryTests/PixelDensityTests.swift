// SPDX-License-Identifier: Apache-2.0
import Geometry
import Testing

@Suite("Pixel density")
struct PixelDensityTests {
    private func measured(_ width: Int, _ height: Int, _ wide: Double, _ high: Double) -> PixelDensity? {
        PixelDensity(
            of: PixelSize(width: width, height: height), widthInMillimetres: wide, heightInMillimetres: high)
    }

    @Test("is computed from the pixels and the physical size")
    func measured() throws {
        #expect(measured(254, 508, 25.4, 50.8)?.dotsPerInch == 254)
        let panel = try #require(measured(1024, 600, 154, 90))
        #expect(abs(panel.dotsPerInch - 169) < 0.5 && "\(panel)" == "169 dpi")
        #expect(abs(panel.pixelsPerMillimetre - 6.654) < 0.001)
    }

    @Test("is unknown when the size is implausible")
    func implausible() {
        #expect(measured(800, 480, 0, 0) == nil)
        #expect(measured(800, 480, 154, 0) == nil)
        #expect(measured(800, 480, -154, -86) == nil)
        #expect(measured(800, 480, .nan, 86) == nil)
        #expect(measured(800, 480, .infinity, .infinity) == nil)
        #expect(measured(0, 480, 154, 86) == nil)
        // 9 and 11,000 pixels an inch.
        #expect(measured(900, 900, 2540, 2540) == nil)
        #expect(measured(1100, 1100, 2.54, 2.54) == nil)
        #expect(measured(1000, 1000, 2540, 2540)?.dotsPerInch == 10)
    }

    @Test("may differ between the sides by rounding only")
    func skewed() {
        #expect(measured(1000, 1000, 100, 114) != nil)
        #expect(measured(1000, 1000, 114, 100) != nil)
        #expect(measured(1000, 1000, 100, 116) == nil)
        #expect(measured(1000, 1000, 116, 100) == nil)
    }

    @Test("low values and NaN become the lower bound", arguments: [0, -1, .nan, 9.9, -.infinity])
    func tooLow(number: Double) { #expect(PixelDensity(dotsPerInch: number).dotsPerInch == 10) }

    @Test("high values become the upper bound")
    func tooHigh() { #expect(PixelDensity(dotsPerInch: .infinity).dotsPerInch == 10_000) }
}
