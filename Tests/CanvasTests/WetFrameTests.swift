// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Raster
import TestSupport
import Testing

/// A frame leaves out what can no longer change a pixel; nobody may see that.
@Suite("Frames of a wet stroke")
struct WetFrameTests {
    static let pens =
        PenName.allCases.map { Pen($0) } + [
            Pen(.ink, width: 0.3), Pen(.linear, width: 0.2), Pen(.offset, switches: [.noPinch]),
            Pen(.offset, switches: [.varyingColor]),
        ]

    @Test(
        "frames of a scribble show what one fill of all its ink shows, and so does the paper", arguments: pens,
        0..<2 as Range<UInt64>)
    func scribbles(pen: Pen, seed: UInt64) {
        let color = Color(red: 0, green: 40, blue: 120, alpha: seed % 2 == 0 ? 255 : 150)
        var canvas = Canvas(size: Scribble.page, pen: pen, color: color, background: .white)
        let screen = PixelBuffer(size: Scribble.page)
        var scribble = Scribble(seed: seed)
        for report in 0..<400 {
            let sample = scribble.next()
            canvas.apply(report == 0 ? .begin(sample) : .move(sample))
            if report % 3 == 0 { canvas.predict(until: sample.microseconds + 9000) }
            canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
            guard report % 40 == 39, let ink = canvas.wetInk else { continue }
            let expected = Scribble.painted([ink], color: color, background: .white)
            #expect(Scribble.bytes(of: screen.surface) == expected, "\(pen), seed \(seed), report \(report)")
        }
        let stroke = canvas.apply(.end)
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        let expected = Scribble.painted([stroke].compactMap { $0 }, color: color, background: .white)
        #expect(Scribble.bytes(of: screen.surface) == expected, "\(pen), seed \(seed)")
        let dry = Scribble.bytes(of: canvas.dryPixels)
        #expect(dry == expected, "\(pen), seed \(seed)")
    }
}
