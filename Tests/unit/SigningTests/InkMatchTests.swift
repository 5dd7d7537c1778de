// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import Testing

@testable import Signing

@Suite("Ink that two rasterizers have drawn")
struct InkMatchTests {
    private let size = PixelSize(width: 60, height: 40)
    private var place: PixelRect { PixelRect(size: size) }

    private final class Picture {
        let pixels: PixelBuffer
        init(_ pixels: consuming PixelBuffer) { self.pixels = pixels }
    }

    /// A stroke of some thickness, as a polygon; nothing without thickness.
    private func picture(_ thickness: Double, x: Double = 0, y: Double = 0, besides: Rect? = nil) -> Picture {
        let buffer = PixelBuffer(size: size)
        buffer.surface.fill(place, with: .white)
        var rasterizer = Rasterizer()
        var path = Path()
        path.addPolygon([
            Point(x: 5 + x, y: 20 + y), Point(x: 50 + x, y: 10 + y), Point(x: 50 + x, y: 10 + thickness + y),
            Point(x: 5 + x, y: 20 + thickness + y),
        ])
        if let besides {
            path.addPolygon([
                Point(x: besides.minX, y: besides.minY), Point(x: besides.maxX, y: besides.minY),
                Point(x: besides.maxX, y: besides.maxY), Point(x: besides.minX, y: besides.maxY),
            ])
        }
        rasterizer.begin(clip: place)
        rasterizer.add(path)
        rasterizer.fill(.nonZero, with: .black, into: buffer.surface)
        return Picture(buffer)
    }

    private func fits(_ one: Picture, _ other: Picture) -> Bool {
        InkMatch.fits(one.pixels.surface, other.pixels.surface, in: place)
    }

    @Test("Parts of a pixel do not matter", arguments: [0.0, 0.2, 0.5])
    func smoothing(shift: Double) {
        for thickness in [1.0, 1.5, 3] {
            let (one, other) = (picture(thickness), picture(thickness, x: shift, y: -shift))
            #expect(fits(one, other) && fits(other, one))
        }
    }

    @Test("Ink that is missing, elsewhere or too much does", arguments: [1.5, 3.0, 8])
    func others(thickness: Double) {
        let (one, moved, more) = (
            picture(thickness), picture(thickness, y: thickness + 3),
            picture(thickness, besides: Rect(minX: 10, minY: 30, maxX: 15, maxY: 35))
        )
        let nothing = picture(0)
        #expect(!fits(nothing, one) && !fits(one, nothing))
        #expect(!fits(moved, one) && !fits(more, one) && !fits(one, more))
    }
}
