// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pages
import Raster
import Testing
import Text

@Suite("Idle pages", .serialized)
struct IdlePageTests {
    private func page(_ width: Int, _ height: Int) -> PixelBuffer {
        PixelBuffer(size: PixelSize(width: width, height: height))
    }

    @Test("a picture is as large as fits, in the middle, on the theme's background")
    func picture() throws {
        let painter = PagePainter(theme: .dark, fonts: try Fonts())
        let picture = Picture(
            size: PixelSize(width: 20, height: 10), pixels: [UInt32](repeating: 0xFF40_8020, count: 200))
        for (width, height) in [(100, 100), (300, 60), (7, 9), (20, 10)] {
            let buffer = page(width, height)
            painter.drawPicture(picture, on: buffer.surface)
            let scale = min(Double(width) / 20, Double(height) / 10)
            let (wide, high) = (Int((20 * scale).rounded()), Int((10 * scale).rounded()))
            let (x, y) = ((width - wide) / 2, (height - high) / 2)
            let room = PixelRect(minX: x, minY: y, maxX: x + wide, maxY: y + high)
            for row in 0..<height {
                for column in 0..<width {
                    let isInside = column >= room.minX && column < room.maxX && row >= room.minY && row < room.maxY
                    let expected = isInside ? 0xFF40_8020 : PageTheme.dark.background.xrgb8888
                    #expect(buffer.surface.row(row)[column] == expected, "\(width)x\(height) \(column) \(row)")
                }
            }
        }
    }

    @Test("a picture that was fitted before looks the same; what is transparent lets the background through")
    func fitted() throws {
        let painter = PagePainter(theme: .light, fonts: try Fonts())
        let pixels = (0..<64 * 48).map { index -> UInt32 in
            let blue = UInt32(index & 0xFF)
            let isOpaque = index % 64 >= 32
            return isOpaque ? 0xFF00_0000 + blue : blue
        }
        let picture = Picture(size: PixelSize(width: 64, height: 48), pixels: pixels)
        let one = page(200, 120)
        let other = page(200, 120)
        painter.drawPicture(picture, on: one.surface)
        painter.drawPicture(picture.fitted(in: other.surface.size), on: other.surface)
        for y in 0..<120 { for x in 0..<200 { #expect(one.surface.row(y)[x] == other.surface.row(y)[x]) } }
        #expect(one.surface.row(60)[50] == PageTheme.light.background.xrgb8888)
        #expect(one.surface.row(60)[150] != PageTheme.light.background.xrgb8888)
        painter.drawPicture(Picture(size: PixelSize(width: 0, height: 0), pixels: []), on: one.surface)
        #expect(one.surface.row(60)[150] == PageTheme.light.background.xrgb8888)
    }

    /// Rows that have ink, as runs.
    private func lines(_ surface: Surface) -> Int {
        let background = surface.row(0)[0]
        let inked = (0..<surface.size.height).map { y in
            (0..<surface.size.width).contains { surface.row(y)[$0] != background }
        }
        return zip([false] + inked, inked).filter { !$0 && $1 }.count
    }

    @Test("a text has its lines below each other")
    func text() throws {
        let painter = PagePainter(theme: .light, fonts: try Fonts())
        let buffer = page(800, 480)
        // No letter has a part apart from the rest.
        for (text, count) in [("HEN", 1), ("HEN\nHEN", 2), ("HEN\n\nHEN\nHEN", 3)] {
            painter.drawMessage(text, density: nil, on: buffer.surface)
            #expect(lines(buffer.surface) == count, "\(text)")
        }
    }
}
