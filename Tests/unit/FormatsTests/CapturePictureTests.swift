// SPDX-License-Identifier: Apache-2.0
import Canvas
import CaptureFixtures
import Geometry
import HostAPI
import Ink
import Raster
import Record
import TestSupport
import Testing

@testable import Formats

@Suite("Pictures of records")
struct CapturePictureTests {
    /// 20 mm to the right at 30 mm/s, from 30 mm, 30 mm.
    private static let line = CaptureEntry.stroke(
        (0...80).map { (Int64($0) * 8000, Int32(3000 + $0 * 25), Int32(3000), Int32?.none) })

    private func bounds(_ drawing: Drawing) -> Rect { drawing.strokes.reduce(.empty) { $0.union($1.ink.bounds) } }

    @Test("a trimmed picture has the size of the ink in millimetres and a margin")
    func trimmed() throws {
        let picture = try CapturePicture(
            of: .pad(entries: [Self.line]), part: .ink(margin: 2), resolution: .density(PixelDensity(dotsPerInch: 254)))
        let bounds = bounds(picture.drawing)
        #expect(abs(bounds.width - 200) < 20 && bounds.width > 200)
        #expect(abs(bounds.minX - 20) < 1 && abs(bounds.minY - 20) < 1)
        #expect(abs(Double(picture.drawing.size.width) - bounds.maxX - 20) < 1)
        #expect(abs(Double(picture.drawing.size.height) - bounds.maxY - 20) < 1)
    }

    /// If edges of two parts meet in a pixel, their coverages are combined as those of two strokes: at most a
    /// quarter of its area differs.
    @Test("a stroke in parts looks as if drawn at once, except for one pixel in a hundred where parts cross")
    func parts() throws {
        // About 9,000 pieces: ten lines of handwriting in one stroke.
        let samples = (0..<9000).map { index -> Sample in
            let t = Double(index) * 0.01
            let (row, column) = Int(t * 60).quotientAndRemainder(dividingBy: 600)
            let (x, y) = (12 * sine(28 * t), 12 * sine(30 * t + 1))
            return Sample(
                time: .zero + .milliseconds(10 * index),
                position: Point(x: 40 + Double(column) + x, y: 30 + 40 * Double(row) + y))
        }
        let size = PixelSize(width: 700, height: 420)
        var parted = Drawing(size: size, background: .white, color: .black)
        parted.add(samples, pen: Pen(.ink), density: .standard)
        var count = 0
        parted.strokes[0].forEachPart { _ in count += 1 }
        #expect(count > 1)
        var whole = Drawing(size: size, background: .white, color: .black)
        whole.add(parted.strokes[0].ink)
        let a = parted.pixels()
        let b = whole.pixels()
        var (farthest, inked, off) = (0, 0, 0)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let difference = Int(a.surface.row(y)[x] & 0xFF) - Int(b.surface.row(y)[x] & 0xFF)
                farthest = max(farthest, abs(difference))
                inked += b.surface.row(y)[x] & 0xFF < 255 ? 1 : 0
                off += abs(difference) > 8 ? 1 : 0
            }
        }
        #expect(farthest <= 66 && inked > 10_000 && off * 100 < inked, "\(farthest), \(off) of \(inked)")
    }

    @Test("strokes that are not kept in memory are modelled again, with the same result")
    func notKept() {
        let samples = (0..<200).map { index in
            Sample(time: .zero + .milliseconds(8 * index), position: Point(x: Double(index) * 2, y: Double(index % 20)))
        }
        let source = StrokeSamples(count: samples.count) { samples[$0] }
        func parts(_ limit: Int) -> InkParts {
            InkParts(of: source, pen: Pen(.ink), density: .standard, byteLimit: limit)
        }
        func points(_ parts: InkParts) -> [Point] {
            var points: [Point] = []
            parts.forEachPart { points += $0.ink.outline.points }
            return points
        }
        let (kept, notKept) = (parts(1 << 20), parts(-5))
        #expect(kept.byteCount > 0 && notKept.byteCount == 0)
        #expect(!points(kept).isEmpty && points(kept) == points(notKept) && kept.bounds == notKept.bounds)
        #expect(kept.whole.outline == notKept.whole.outline)
    }

    /// An approximation that is the same on every machine.
    private func sine(_ angle: Double) -> Double {
        let turn = angle / 6.283185307179586
        let part = turn - turn.rounded(.down)
        return part < 0.5 ? 16 * part * (0.5 - part) : -16 * (part - 0.5) * (1 - part)
    }

    @Test("at another density the outlines are scaled")
    func scaled() throws {
        let record = CaptureRecord.random(seed: 3)
        let base = try CapturePicture(of: record, part: .signingArea, resolution: .density(.init(dotsPerInch: 254)))
        let large = try CapturePicture(of: record, part: .signingArea, resolution: .density(.init(dotsPerInch: 762)))
        #expect(base.drawing.size == PixelSize(width: 800, height: 300))
        #expect(large.drawing.size == PixelSize(width: 2400, height: 900))
        #expect(base.drawing.strokes.count == large.drawing.strokes.count)
        for (small, large) in zip(base.drawing.strokes.map(\.ink), large.drawing.strokes.map(\.ink)) {
            #expect(small.outline.verbs == large.outline.verbs)
            let farthest = zip(small.outline.points, large.outline.points).map { ($0 * 3).distance(to: $1) }.max()
            #expect((farthest ?? 0) < 1e-6)
        }
    }

    @Test("at the screen's density the outlines are those of the pen")
    func asSeen() throws {
        let record = CaptureRecord.random(seed: 5)
        let picture = try CapturePicture(of: record, part: .signingArea, resolution: .density(.init(dotsPerInch: 254)))
        for (stroke, drawn) in zip(record.visibleStrokes, picture.drawing.strokes.map(\.ink)) {
            // The width of records that do not state one.
            var model = Pen(.ink, width: 0.6).makeStroke(density: PixelDensity(dotsPerInch: 254))
            var ink = StrokeInk()
            for sample in stroke.samples {
                let place = record.millimetres(sample, stroke.device)
                let position = Point(x: place.x * 10 - 100, y: place.y * 10 - 200)
                let pressure = sample.pressure.map { Double($0) / 1023 }
                model.add(
                    Sample(
                        time: Timestamp(microseconds: sample.microseconds), position: position, pressure: pressure),
                    to: &ink)
            }
            #expect(abs(ink.bounds.minX - drawn.bounds.minX) < 1e-6 && abs(ink.bounds.maxY - drawn.bounds.maxY) < 1e-6)
            #expect(ink.outline.verbs == drawn.outline.verbs)
        }
    }

    @Test("the picture uses the pen's settings in the record and ignores invalid ones")
    func penLook() throws {
        func height(_ change: (inout CapturePenLook) -> Void) throws -> Double {
            var record = CaptureRecord.pad(
                entries: [.stroke([(0, 2000, 3000, nil), (100_000, 5000, 3000, nil)], pen: "linear")])
            var look = CapturePenLook(Pen(.linear))
            change(&look)
            record.header.screen.penLook = look
            let bounds = bounds(try CapturePicture(of: record, resolution: .density(.standard)).drawing)
            return bounds.maxY - bounds.minY
        }
        #expect(CapturePenLook(Pen()).width == Pen.inkWidth && CapturePenLook(Pen(.linear)).width == nil)
        #expect(CapturePenLook(Pen()).switches == ["taper"])
        let plain = try height { _ in }
        let wide = try height { $0.width = 3 }
        #expect(abs(wide - 3 * PixelDensity.standard.pixelsPerMillimetre) < 0.01 && wide > 2 * plain)
        for width in [0, -1, Double.infinity, .nan, 1e300] {
            let other = try height { $0.width = width }
            #expect(other == plain)
        }
    }

    @Test("ink that depends on strokes before is that of the screen")
    func strokesBefore() throws {
        // A fast line that a panel breaks off, and goes on with after 20 ms.
        func samples(_ numbers: ClosedRange<Int32>) -> [(Int64, Int32, Int32, Int32?)] {
            numbers.map { number -> (Int64, Int32, Int32, Int32?) in
                (Int64(number) * 10_000, 2000 + number * 250, 3000 + number % 3, nil)
            }
        }
        let strokes = [samples(0...9), samples(11...20)]
        var record = CaptureRecord.pad(entries: [.stroke(strokes[0]), .stroke(strokes[1])])
        for pen in [Pen(), Pen(switches: []), Pen(panelScatter: 0.08), Pen(panelScatter: 40)] {
            record.header.screen.penLook = CapturePenLook(pen)
            let density = PixelDensity(dotsPerInch: 254)
            let picture = try CapturePicture(of: record, part: .signingArea, resolution: .density(density))
            var canvas = Canvas(
                size: PixelSize(width: 1000, height: 600), pen: pen, color: .black, background: .white, density: density
            )
            var shown: [StrokeInk] = []
            for stroke in strokes {
                for (time, x, y, _) in stroke {
                    let position = Point(x: Double(x) / 10 - 100, y: Double(y) / 10 - 200)
                    let sample = Sample(time: Timestamp(microseconds: time), position: position)
                    canvas.apply(time == stroke[0].0 ? .begin(sample) : .move(sample))
                }
                if let ink = canvas.apply(.end) { shown.append(ink) }
            }
            #expect(shown.count == 2 && picture.drawing.strokes.count == 2)
            for (ink, drawn) in zip(shown, picture.drawing.strokes.map(\.ink)) {
                #expect(ink.outline.verbs == drawn.outline.verbs)
                #expect(zip(ink.outline.points, drawn.outline.points).allSatisfy { $0.distance(to: $1) < 1e-6 })
            }
            // The second stroke draws the end of the first one.
            #expect((shown[1].bounds.minX < shown[0].bounds.maxX) == pen.switches.contains(.taper))
        }
    }

    @Test("the picture uses the panel's scatter in the record, whatever number it is")
    func panelScatter() throws {
        let places: [(Int32, Int32)] = [
            (0, 0), (101, 17), (202, 1), (305, 19), (404, 2), (503, 20), (608, 0), (709, 18), (805, 3),
        ]
        let zigzag = places.enumerated().map { number, place -> (Int64, Int32, Int32, Int32?) in
            (Int64(number) * 10_000, 2000 + place.0, 3000 + place.1, nil)
        }
        var record = CaptureRecord.pad(entries: [.stroke(zigzag)])
        func outline(_ scatter: Double?) throws -> Path {
            record.header.screen.penLook = CapturePenLook(Pen(panelScatter: scatter))
            return try CapturePicture(of: record, resolution: .density(.standard)).drawing.strokes[0].ink.outline
        }
        let plain = try outline(nil)
        let steady = try outline(0.09)
        #expect(steady != plain)
        for scatter in [0.2, 40, 1e300, Double.infinity] { #expect(try outline(scatter) == steady) }
        for scatter in [0, -0.08, -Double.infinity, Double.nan] { #expect(try outline(scatter) == plain) }
    }

    @Test("the ink has the screen's colour, unless another is requested or it was lighter than the paper")
    func color() throws {
        let red = Color(red: 0xC0, green: 0x10, blue: 0x20)
        func color(_ ink: String?, on paper: String? = nil, asked: Color? = nil) throws -> Color {
            var record = CaptureRecord.pad(entries: [Self.line])
            var look = CapturePenLook(Pen())
            (look.color, look.paper) = (ink, paper)
            record.header.screen.penLook = look
            let picture = try CapturePicture(of: record, resolution: .density(.standard), color: asked)
            let svg = String(decoding: try picture.svg(), as: UTF8.self)
            #expect(svg.contains("<g fill=\"\(picture.drawing.color.rgbHex)\""))
            return picture.drawing.color
        }
        #expect(CapturePenLook(Pen(), color: red, paper: .white).color == "#c01020")
        #expect(try color("#c01020", on: "#ffffff") == red && color("#c01020") == red)
        #expect(try color("#c0102080") == Color(red: 0xC0, green: 0x10, blue: 0x20, alpha: 0x80))
        #expect(try color("#c01020", asked: .black) == .black && color(nil, asked: red) == red)
        // The ink of a dark page.
        #expect(try color("#f4f6fa", on: "#22252b") == .black && color("#f4f6fa", on: "#22252b", asked: red) == red)
        // A record of an older or another program.
        #expect(try color(nil) == .black && color("red") == .black && color("#c01020", on: "paper") == red)
        #expect(CaptureRecord.pad().inkColor == .black)
    }

    /// Counts the pixels of the mark in the picture.
    private func redShare(_ bytes: [UInt8]) throws -> Double {
        let png = try #require(DecodedPNG(bytes))
        var count = 0
        for y in 0..<png.size.height {
            for x in 0..<png.size.width {
                let color = png[x, y]
                if color.alpha > 100, color.red > 200, color.green < 180, color.blue < 180 { count += 1 }
            }
        }
        return Double(count) / Double(png.size.width * png.size.height)
    }

    @Test(
        "a picture of any size has the mark if the signature was not accepted",
        arguments: [nil, .cancelled, .timedOut] as [RecordOutcome?])
    func notAccepted(outcome: RecordOutcome?) throws {
        var record = CaptureRecord.pad(entries: [Self.line])
        let accepted = record
        record.end = outcome.map { CaptureEnd(outcome: $0, endedAt: 1, quality: CaptureQuality()) }
        for (width, height) in [(900, 300), (90, 30), (300, 40), (60, 400), (1, 1)] {
            let resolution = CapturePicture.Resolution.size(.init(width: width, height: height))
            let picture = try CapturePicture(of: record, resolution: resolution)
            let mark = try #require(picture.drawing.strokes.first)
            // The mark is behind the ink and within the picture.
            #expect(picture.drawing.strokes.count == 2 && mark.color == NotAcceptedMark.color)
            let bounds = mark.ink.bounds
            #expect(bounds.minX > 0 && bounds.minY > 0 && bounds.maxX < Double(width) && bounds.maxY < Double(height))
            #expect(bounds.width > 0.8 * Double(width) || bounds.height > 0.8 * Double(height))
            for isTransparent in [false, true] where width > 1 {
                let share = try redShare(picture.png(isTransparent: isTransparent))
                #expect(share > (width > height ? 0.05 : 0.01), "\(width)x\(height)")
                #expect(
                    try CapturePicture(of: record, resolution: resolution).png(isTransparent: isTransparent)
                        == picture.png(isTransparent: isTransparent))
            }
            let clean = try CapturePicture(of: accepted, resolution: resolution)
            #expect(try clean.drawing.strokes.count == 1 && redShare(clean.png()) == 0)
            let svg = String(decoding: try picture.svg(isTransparent: true), as: UTF8.self)
            #expect(svg.contains("<path fill=\"\(NotAcceptedMark.color.rgbHex)\" d=\"m"))
        }
    }

    @Test("a picture of little ink is large enough for the mark")
    func notAcceptedDot() throws {
        var record = CaptureRecord.pad(entries: [.stroke([(0, 3000, 3000, nil)])])
        record.end = nil
        let dot = try CapturePicture(of: record, resolution: .density(.init(dotsPerInch: 254)))
        #expect(dot.drawing.size == PixelSize(width: 240, height: 80))
        let area = try CapturePicture(of: record, part: .signingArea, resolution: .density(.init(dotsPerInch: 254)))
        #expect(area.drawing.size == PixelSize(width: 800, height: 300))
    }

    @Test("a picture of a given size is as large as fits and centred", arguments: [(900, 100), (100, 900), (1, 1)])
    func size(width: Int, height: Int) throws {
        let size = PixelSize(width: width, height: height)
        let picture = try CapturePicture(
            of: .pad(entries: [Self.line]), part: .ink(margin: 0), resolution: .size(size))
        let bounds = bounds(picture.drawing)
        #expect(picture.drawing.size == size)
        #expect(bounds.minX > -1e-6 && bounds.minY > -1e-6)
        #expect(bounds.maxX < Double(width) + 1e-6 && bounds.maxY < Double(height) + 1e-6)
        #expect(abs(bounds.minX + bounds.maxX - Double(width)) < 1e-6)
        #expect(abs(bounds.width - Double(width)) < 1e-6 || abs(bounds.height - Double(height)) < 1e-6)
    }

    @Test("undone strokes are not drawn")
    func undone() throws {
        let record = CaptureRecord.pad(entries: [Self.line, Self.line, .action(.undo, microseconds: 1)])
        let resolution = CapturePicture.Resolution.density(.standard)
        #expect(try CapturePicture(of: record, resolution: resolution).drawing.strokes.count == 1)
    }

    @Test(
        "a transparent picture over paper equals the opaque one within a grey level", arguments: 0..<7 as Range<UInt64>)
    func transparent(seed: UInt64) throws {
        let color = Color(red: 16, green: 24, blue: 64, alpha: seed % 2 == 0 ? 255 : 120)
        let picture = try CapturePicture(
            of: .random(seed: seed), resolution: .density(.init(dotsPerInch: 60)), color: color)
        let opaque = try #require(DecodedPNG(picture.png()))
        let clear = try #require(DecodedPNG(picture.png(isTransparent: true)))
        #expect(clear.size == opaque.size && clear[0, 0].alpha == 0)
        var inkedCount = 0
        for y in 0..<opaque.size.height {
            for x in 0..<opaque.size.width {
                let (top, wanted) = (clear[x, y], opaque[x, y])
                if top.alpha > 0 { inkedCount += 1 }
                // Readers that drop the alpha show paper where there is no ink, and the colour of the ink elsewhere.
                let plain = top.alpha > 0 ? color : .white
                #expect([top.red, top.green, top.blue] == [plain.red, plain.green, plain.blue], "at \(x), \(y)")
                func over(_ value: UInt8) -> Int {
                    (Int(value) * Int(top.alpha) + 255 * (255 - Int(top.alpha)) + 127) / 255
                }
                let error = max(
                    abs(over(top.red) - Int(wanted.red)), abs(over(top.green) - Int(wanted.green)),
                    abs(over(top.blue) - Int(wanted.blue)))
                #expect(error <= 2, "at \(x), \(y)")
            }
        }
        #expect(inkedCount > 10)
    }

    @Test("SVG without paper has no rectangle, and both have their size in millimetres")
    func svg() throws {
        let picture = try CapturePicture(
            of: .pad(entries: [Self.line]), part: .signingArea, resolution: .density(.init(dotsPerInch: 300)))
        let paper = String(decoding: try picture.svg(), as: UTF8.self)
        let clear = String(decoding: try picture.svg(isTransparent: true), as: UTF8.self)
        #expect(paper.contains("<rect") && !clear.contains("<rect") && clear.contains("\n<g fill=\"#000000\""))
        // 945 pixels cover 80 mm, 355 pixels 30 mm.
        #expect(clear.contains("width=\"80.01mm\" height=\"30.057mm\""))
    }

    @Test("pictures name their capture: PNG in texts, SVG in title and metadata")
    func identity() throws {
        var record = CaptureRecord.pad(entries: [Self.line])
        record.header.panel = "Kasse <3>"
        record.header.program = "inkpanel\u{0}ü"
        record.header.request.data = ["order": "4711", "Straße": "<a> & \"b\"\n"]
        let picture = try CapturePicture(of: record, resolution: .density(.init(dotsPerInch: 50)))
        for isTransparent in [false, true] {
            let png = try picture.png(isTransparent: isTransparent)
            #expect(DecodedPNG(png)?.size == picture.drawing.size)
            for text in [
                "tEXtTitle\0Signature 20261121-1 (accepted)", "tEXtCreation Time\u{0}2026-11-20T23:14:36Z",
                "iTXtSoftware\0\0\0\0\0inkpanel\u{FFFD}ü", "tEXtCapture\u{0}20261121-1", "tEXtPanel\0Kasse <3>",
                "tEXtOutcome\0accepted",
                "iTXtData\0\0\0\0\0{\"Straße\":\"<a> & \\\"b\\\"\\n\",\"order\":\"4711\"}",
            ] {
                #expect(png.firstRange(of: Array(text.utf8)) != nil, "\(text)")
            }
            #expect(
                try CapturePicture(of: record, resolution: .density(.init(dotsPerInch: 50)))
                    .png(isTransparent: isTransparent) == png)
        }
        let svg = String(decoding: try picture.svg(), as: UTF8.self)
        #expect(
            svg.contains(
                """
                <title>Signature 20261121-1 (accepted)</title>
                <metadata>
                <capture xmlns="https://inkpanel.org/capture" id="20261121-1" outcome="accepted" \
                startedAt="2026-11-20T23:14:36Z" panel="Kasse &lt;3&gt;" program="inkpanel\u{FFFD}ü">
                <data key="Straße">&lt;a&gt; &amp; &quot;b&quot;&#10;</data>
                <data key="order">4711</data>
                </capture>
                </metadata>
                <rect
                """))
        record.header.panel = nil
        record.header.request.data = nil
        record.end = nil
        let interrupted = try CapturePicture(of: record, resolution: .density(.init(dotsPerInch: 50)))
        let png = try interrupted.png()
        for absent in ["Panel\0", "Data\0"] { #expect(png.firstRange(of: Array(absent.utf8)) == nil) }
        #expect(png.firstRange(of: Array("tEXtOutcome\0interrupted".utf8)) != nil)
        let text = String(decoding: try interrupted.svg(), as: UTF8.self)
        #expect(text.contains("<title>Signature 20261121-1 (interrupted, not accepted)</title>"))
    }

    @Test("the same record gives the same bytes, and a PNG states its resolution")
    func deterministic() throws {
        func picture() throws -> CapturePicture {
            try CapturePicture(of: .random(seed: 9), resolution: .density(.init(dotsPerInch: 254)))
        }
        #expect(try picture().png() == picture().png() && picture().svg() == picture().svg())
        #expect(try picture().png().firstRange(of: Array("pHYs".utf8) + [0, 0, 0x27, 0x10]) != nil)
    }

    @Test("an SVG of more parts than the limit has room for is refused after the part that exceeds it")
    func svgParts() throws {
        // Longer than the parts that are kept, so that each further one is modelled again.
        var samples: [Sample] = []
        for number in 0..<60_000 {
            let place = Point(x: Double(number % 997), y: Double(number * 7 % 541))
            samples.append(
                Sample(time: Timestamp(microseconds: Int64(number) * 5000), position: place, pressure: 0.5))
        }
        var drawing = Drawing(size: PixelSize(width: 1000, height: 600))
        drawing.add(samples, pen: Pen(.ink), density: .standard)
        var parts = 0
        drawing.strokes[0].whileTrue { _ in
            parts += 1
            return parts < 3
        }
        #expect(parts == 3)
        #expect(throws: ExportError.textTooLarge(byteLimit: 1000)) { try SVGEncoder.encode(drawing, byteLimit: 1000) }
    }

    @Test("an SVG above the limit is refused")
    func svgLimit() throws {
        let picture = try CapturePicture(of: .random(seed: 9), resolution: .density(.init(dotsPerInch: 254)))
        let svg = try picture.svg()
        #expect(try picture.svg(byteLimit: svg.count) == svg)
        for limit in [svg.count - 1, 100, 0] {
            #expect(throws: ExportError.textTooLarge(byteLimit: limit)) { try picture.svg(byteLimit: limit) }
        }
    }

    @Test("pictures that cannot be drawn are refused with the reason")
    func refused() {
        func error(_ record: CaptureRecord, _ part: CapturePicture.Part, dpi: Double = 100) -> ExportError? {
            thrownError {
                try CapturePicture(of: record, part: part, resolution: .density(.init(dotsPerInch: dpi)))
            } as? ExportError
        }
        #expect(error(.pad(), .ink(margin: 1)) == .noInk)
        #expect(error(.pad(), .signingArea) == nil)
        var record = CaptureRecord.pad(entries: [Self.line])
        let largest = PixelSize(width: 1_000_000_000, height: 1_000_000_000)
        #expect(error(record, .ink(margin: 1e9)) == .pictureTooLarge(largest))
        #expect(error(record, .signingArea, dpi: 10_000) == .pictureTooLarge(.init(width: 31_497, height: 11_812)))
        record.header.screen.signingArea = [0, 0, 0, 10]
        #expect(error(record, .signingArea) == .noSigningArea)
        record.header.screen.signingArea = [.max, 0, .max, 10]
        #expect(error(record, .signingArea) == .noSigningArea)
        record.header.devices[0].transform = [1, 0, 0, 1, 0, .infinity]
        #expect(error(record, .signingArea) == .noPlaces)
    }

    @Test("a screen of unknown size has the standard density, and an unknown pen is the default one")
    func unknown() throws {
        let line = CaptureEntry.stroke([(0, 3000, 3000, nil), (9000, 4000, 3000, nil)], pen: "quill")
        var record = CaptureRecord.pad(entries: [line])
        record.header.screen.pixelsPerMillimetre = 0
        let picture = try CapturePicture(of: record, part: .signingArea, resolution: .density(.standard))
        #expect(picture.drawing.size == PixelSize(width: 800, height: 300) && picture.drawing.strokes.count == 1)
    }
}
