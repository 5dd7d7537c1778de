// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Canvas
import Formats
import Geometry
import Ink
import Linux
import Pages
import Raster
import TestSupport
import Testing
import Touch

@testable import inkpanel

/// Recorded handwriting in every pen and at every density.
@Suite("Recorded ink")
struct RecordedInkTests {
    /// A recording of a device with pressure, shared with other tests.
    private static let penTablet = data + "/Recordings/Wacom Cintiq 13HD touch Pen.events"
    private static let handwriting = data + "/Handwriting/handwriting.events"
    private static let data = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/data"

    /// The first strokes of the recordings, with their page sizes.
    private func pages() throws -> [(size: PixelSize, strokes: [[Sample]])] {
        let written = try [Self.handwriting, Self.penTablet].map { try StrokePage(reading: $0, size: nil) }
        return written.map { page in
            var strokes: [[Sample]] = []
            for event in page.events {
                switch event {
                case .begin(let sample): strokes.append([sample])
                case .move(let sample): strokes[strokes.count - 1].append(sample)
                case .end, .cancel: break
                }
            }
            return (page.size, Array(strokes.prefix(3)))
        }
    }

    @Test("is finite, keeps its dry part and reaches its ends with every pen", arguments: PenName.allCases)
    func everyPen(pen: PenName) throws {
        for (size, strokes) in try pages() {
            #expect(!strokes.isEmpty)
            for samples in strokes {
                let ink = drawn(samples, with: Pen(pen, switches: pen.switches))
                #expect(ink.outline.points.allSatisfy { $0.isFinite })
                #expect(ink.centerline.allSatisfy { $0.position.isFinite && $0.width.isFinite })
                #expect(ink.centerline.first?.position == samples.first?.position)
                #expect(ink.centerline.last?.position == samples.last?.position)
                expectInk(samples, size, pen)
            }
        }
    }

    /// All recordings of people that this repository has.
    private func openRecordings() throws -> [StrokePage] {
        let size = PixelSize(width: 480, height: 300)
        let folder = Self.penTablet.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
        let files = try Directory.names(of: folder).filter { $0.hasSuffix(".events") }.sorted()
        #expect(files.count > 10)
        return try ([Self.handwriting] + files.map { folder + "/" + $0 }).map {
            try StrokePage(reading: $0, size: size)
        }
    }

    @Test(
        "equals one fill of the whole outline while it is drawn and when it is dry",
        arguments: PenName.allCases)
    func oneFill(pen: PenName) throws {
        let number = try #require(PenName.allCases.firstIndex(of: pen))
        for page in Breadth.share(of: try openRecordings(), part: 3, first: number) {
            let color = Color(red: 0, green: 30, blue: 90, alpha: 170)
            var canvas = Canvas(size: page.size, pen: Pen(pen), color: color, background: .white)
            let screen = PixelBuffer(size: page.size)
            let expected = PixelBuffer(size: page.size)
            expected.surface.fill(expected.surface.bounds, with: .white)
            var rasterizer = Rasterizer()
            for event in page.events {
                let stroke = canvas.apply(event)
                canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
                guard let stroke else { continue }
                rasterizer.begin(clip: PixelRect(size: page.size))
                rasterizer.add(stroke.outline)
                rasterizer.fill(.nonZero, with: color, into: expected.surface)
                #expect(isSame(screen.surface, expected.surface), "\(pen)")
            }
            let dry = canvas.dryPixels
            #expect(isSame(dry, expected.surface), "\(pen)")
        }
    }

    private func isSame(_ a: Surface, _ b: Surface) -> Bool {
        (0..<a.size.height).allSatisfy { y in
            let (first, second) = (a.row(y), b.row(y))
            return (0..<a.size.width).allSatisfy { first[$0] == second[$0] }
        }
    }

    /// Draws a stroke and checks that its dry part never changes.
    private func drawn(_ samples: [Sample], with pen: Pen) -> StrokeInk {
        var ink = StrokeInk()
        var model = pen.makeStroke()
        // The points as they were when they dried.
        var points: [CenterlinePoint] = []
        var outline: [Point] = []
        for sample in samples {
            model.add(sample, to: &ink)
            #expect(ink.dryPointCount >= points.count)
            points += ink.centerline[points.count..<max(points.count, ink.dryPointCount)]
            let end = ink.dryPieceCount > 0 ? ink.pieces[ink.dryPieceCount - 1].end.pointCount : 0
            #expect(end >= outline.count)
            outline += ink.outline.points[outline.count..<max(outline.count, end)]
        }
        model.finish(&ink)
        #expect(ink.centerline.prefix(points.count) == points[...])
        #expect(ink.outline.points.prefix(outline.count) == outline[...])
        return ink
    }

    /// Checks that the page has ink at both ends of a stroke.
    private func expectInk(_ samples: [Sample], _ size: PixelSize, _ pen: PenName) {
        var canvas = Canvas(size: size, pen: Pen(pen), color: .black, background: .white)
        for (index, sample) in samples.enumerated() { canvas.apply(index == 0 ? .begin(sample) : .move(sample)) }
        canvas.apply(.end)
        let page = canvas.dryPixels
        for position in [samples[0].position, samples[samples.count - 1].position] {
            let (x, y) = (min(Int(position.x), size.width - 1), min(Int(position.y), size.height - 1))
            #expect(page.row(y)[x] != Color.white.xrgb8888, "\(pen) at \(position)")
        }
    }

    /// The demonstration as JSON of the pen `ink`.
    private func rendered(dotsPerInch: Double?) throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        let (input, output) = (directory.path + "/demo.events", directory.path + "/out.json")
        try AtomicFile.write(PackageResources.demo_events, to: input)
        let arguments = ["render", input, "--output", output, "--format", "json", "--size", "640x360"]
        let command = try #require(
            try Inkpanel.parseAsRoot(arguments + (dotsPerInch.map { ["--dpi", "\($0)"] } ?? [])) as? RenderCommand)
        try command.run()
        return try #require(try InputFile.read(output, maximumByteCount: 64 << 20))
    }

    @Test("has the density of the recording's device unless another is given")
    func density() throws {
        let page = try StrokePage(recording: .demonstration(), name: "demo", size: PixelSize(width: 640, height: 360))
        let stated = try #require(page.density)
        let natural = try rendered(dotsPerInch: nil)
        #expect(try rendered(dotsPerInch: stated.dotsPerInch) == natural)
        #expect(try rendered(dotsPerInch: stated.dotsPerInch * 1.1) != natural)
        #expect(try rendered(dotsPerInch: PixelDensity.standard.dotsPerInch) != natural)
    }
}
