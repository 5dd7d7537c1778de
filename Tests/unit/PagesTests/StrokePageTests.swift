// SPDX-License-Identifier: Apache-2.0
import Formats
import Geometry
import Ink
import Pages
import Testing

@Suite("Imported strokes on a page")
struct StrokePageTests {
    /// The narrowest and the widest ink of a signature_pad file, in multiples of the pen's width.
    private func widths(_ json: String) throws -> ClosedRange<Double> {
        let page = try StrokePage(SignaturePadJSON.decode(Array(json.utf8)), size: nil)
        var widths: [Double] = []
        for samples in page.strokes {
            var (model, ink) = (Pen(.ink, ignoresSpeed: !page.hasTimes).makeStroke(), StrokeInk())
            for sample in samples { model.add(sample, to: &ink) }
            model.finish(&ink)
            widths += ink.centerline.map { $0.width / (Pen.inkWidth * PixelDensity.standard.pixelsPerMillimetre) }
        }
        return try #require(widths.min())...(try #require(widths.max()))
    }

    @Test(
        "ink without times has one width, however its points lie",
        arguments: [
            #"[{"points":[{"x":20,"y":20},{"x":400,"y":90}]}]"#,
            #"[{"points":[{"x":20,"y":20},{"x":21,"y":20},{"x":300,"y":20},{"x":302,"y":22},{"x":310,"y":200}]}]"#,
            #"[{"points":[{"x":20,"y":20,"time":7},{"x":400,"y":90,"time":7}]}]"#,
            // The steps are far longer than a pause of TimeAxis, and the end is fast.
            #"[{"points":[{"x":0,"y":0},{"x":3000,"y":20},{"x":3001,"y":21},{"x":3000,"y":3000},{"x":0,"y":3000}]}]"#,
        ])
    func even(json: String) throws {
        let widths = try widths(json)
        // By speed, at 100 reports a second, some would be 0.2.
        #expect(abs(widths.lowerBound - 1) < 1e-9 && abs(widths.upperBound - 1) < 1e-9, "\(widths)")
    }

    @Test("a dot is as wide as that of a resting pen, with or without a time")
    func dot() throws {
        let dot = try widths(#"[{"points":[{"x":20,"y":20}]}]"#)
        #expect(dot.lowerBound > 1.5)
        #expect(try widths(#"[{"points":[{"x":20,"y":20,"time":7}]}]"#) == dot)
    }

    @Test("measured pressure sets the width of ink without times")
    func pressure() throws {
        let points = [(20, 0.1), (120, 0.5), (220, 1)].map { #"{"x":\#($0),"y":20,"pressure":\#($1)}"# }
        let widths = try widths("[{\"points\":[\(points.joined(separator: ","))]}]")
        #expect(widths.lowerBound < 0.6 && widths.upperBound > 1, "\(widths)")
    }

    @Test("the times of a file count, also if a stroke has none")
    func times() throws {
        let slow = #"[{"points":[{"x":20,"y":20,"time":0},{"x":30,"y":20,"time":100},{"x":40,"y":20,"time":200}]}"#
        #expect(try widths(slow + "]").upperBound > 1.3)
        #expect(try widths(slow + #",{"points":[{"x":20,"y":50},{"x":400,"y":90}]}]"#).lowerBound < 0.7)
    }
}
