// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Raster
import TestSupport
import Testing

@Suite("Pages that are covered in part")
struct CoverTests {
    private static let size = PixelSize(width: 150, height: 130)
    private static let notice = Color(red: 9, green: 200, blue: 30)

    private static func makeCanvas() -> Canvas {
        var canvas = Canvas(size: size, pen: Pen(), color: .black, background: .white, undoBytes: 1 << 20)
        canvas.beginPage(inkArea: PixelRect(size: size)).fill(PixelRect(size: size), with: .white)
        return canvas
    }

    @Test(
        "the cover is over ink and page, which go on below it as if it were not there",
        arguments: 0..<20 as Range<UInt64>)
    func sequences(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let rotation = Rotation.allCases[Int(seed) % Rotation.allCases.count]
        // The same is done on both, but for covering.
        var canvas = Self.makeCanvas()
        var plain = Self.makeCanvas()
        let panel = rotation.pictureSize(onPanel: Self.size)
        let screen = PixelBuffer(size: panel)
        let other = PixelBuffer(size: panel)
        let expected = PixelBuffer(size: panel)
        var region = PixelRect.empty
        for step in 0..<40 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                for event in RandomStroke.events(&random) + [.end] {
                    canvas.apply(event)
                    plain.apply(event)
                }
            case 4:
                canvas.undo()
                plain.undo()
            case 5:
                canvas.redo()
                plain.redo()
            case 6:
                canvas.clear()
                plain.clear()
            case 7:
                canvas.uncover()
                region = .empty
            default:
                let (x, y) = (Int.random(in: -20..<140, using: &random), Int.random(in: -20..<120, using: &random))
                region = PixelRect(
                    minX: x, minY: y, maxX: x + .random(in: 0..<90, using: &random),
                    maxY: y + .random(in: 0..<90, using: &random)
                ).intersection(PixelRect(size: Self.size))
                if let surface = canvas.cover(region) {
                    surface.fill(surface.bounds, with: Self.notice)
                    #expect(surface.size == PixelSize(width: region.width, height: region.height))
                } else {
                    #expect(region.isEmpty)
                }
            }
            canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: rotation)
            plain.compose(plain.takeDamage(), onto: other.surface, rotation: rotation)
            expected.surface.copy(expected.surface.bounds, from: other.surface, rotation: .none)
            expected.surface.fill(rotation.panelRect(of: region, picture: Self.size), with: Self.notice)
            let isSame = Scribble.bytes(of: screen.surface) == Scribble.bytes(of: expected.surface)
            #expect(isSame, "seed \(seed), step \(step)")
        }
    }

    @Test("another page is not covered")
    func nextPage() {
        var canvas = Self.makeCanvas()
        canvas.cover(PixelRect(minX: 0, minY: 0, maxX: 50, maxY: 50))?.fill(
            PixelRect(size: Self.size), with: Self.notice)
        canvas.beginPage(inkArea: .empty).fill(PixelRect(size: Self.size), with: .white)
        let screen = PixelBuffer(size: Self.size)
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        let isBlank = screen.surface.row(10)[10] == Color.white.xrgb8888
        #expect(isBlank)
    }
}
