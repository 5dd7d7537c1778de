// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pages
import Raster
import Testing
import Text

@Suite("The calibration page", .serialized)
struct CalibrationPageTests {
    /// Pixels that differ from those of the same page without a text.
    private func inked(_ surface: Surface, unlike other: Surface) -> [(x: Int, y: Int)] {
        (0..<surface.size.height).flatMap { y in
            (0..<surface.size.width).compactMap { x in
                surface.row(y)[x] == other.row(y)[x] ? nil : (x, y)
            }
        }
    }

    @Test("has its cross where it is to be touched, and words that keep away from it, on small and large screens")
    func crosses() throws {
        for (width, height, dpi) in [(320, 240, 140.0), (480, 320, 165), (800, 480, 133), (720, 1280, 290)] {
            let size = PixelSize(width: width, height: height)
            let density = PixelDensity(dotsPerInch: dpi)
            var painter = PagePainter(theme: .light, fonts: try Fonts())
            for place in [(0.12, 0.12), (0.88, 0.12), (0.88, 0.88), (0.12, 0.88), (0.5, 0.3)] {
                let target = Point(
                    x: (place.0 * Double(width)).rounded(.down) + 0.5,
                    y: (place.1 * Double(height)).rounded(.down) + 0.5)
                let page = PixelBuffer(size: size)
                let bare = PixelBuffer(size: size)
                let text = "This touch does not go with the others. Once more:\nTouch the middle of the cross (2 of 5)"
                painter.drawCalibration(target: target, text: text, density: density, on: page.surface)
                painter.drawCalibration(target: target, text: "", density: density, on: bare.surface)
                let words = inked(page.surface, unlike: bare.surface)
                #expect(words.count > 100, "no words on \(size)")
                let reach = min(6 * density.pixelsPerMillimetre, Double(min(width, height)) / 10) + 1
                let isNear = words.contains {
                    abs(Double($0.x) - target.x) < reach && abs(Double($0.y) - target.y) < reach
                }
                #expect(!isNear, "words at the cross \(place) on \(size)")
                // Only the cross is left without them, around its middle to the pixel.
                let paper = bare.surface.row(height - 1)[width / 2]
                var box: (left: Int, top: Int, right: Int, bottom: Int)?
                for y in 0..<height {
                    for x in 0..<width where bare.surface.row(y)[x] != paper {
                        let old = box ?? (x, y, x, y)
                        box = (min(old.left, x), min(old.top, y), max(old.right, x), max(old.bottom, y))
                    }
                }
                let cross = try #require(box)
                #expect(Double(cross.left + cross.right) / 2 + 0.5 == target.x)
                #expect(Double(cross.top + cross.bottom) / 2 + 0.5 == target.y)
            }
        }
    }
}
