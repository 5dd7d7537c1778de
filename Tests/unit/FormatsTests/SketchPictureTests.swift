// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Formats
import Geometry
import Glibc
import Ink
import Linux
import Raster
import Record
import Store
import TestSupport
import Testing

@Suite("Pictures of sketches")
struct SketchPictureTests {
    private static let page = SketchPage(
        size: PixelSize(width: 60, height: 40), density: PixelDensity(dotsPerInch: 254))
    private static let red = Color(red: 200, green: 0, blue: 0)
    private static let blue = Color(red: 0, green: 0, blue: 200, alpha: 128)

    private func line(_ from: (Int32, Int32), _ to: (Int32, Int32), _ color: Color) -> SketchStroke {
        SketchStroke(
            pen: Pen(.linear, width: 0.6), color: color,
            samples: [
                .init(microseconds: 0, x: from.0 * 256, y: from.1 * 256),
                .init(microseconds: 8000, x: to.0 * 256, y: to.1 * 256),
            ])
    }

    /// A blue stroke across a red one.
    private var picture: SketchPicture {
        SketchPicture(
            of: [line((5, 20), (55, 20), Self.red), line((30, 5), (30, 35), Self.blue)], on: Self.page,
            background: .white)
    }

    @Test("PNG and SVG have each stroke in its colour, later ones on top")
    func colors() throws {
        let png = try #require(DecodedPNG(try picture.png()))
        #expect(png.size == Self.page.size)
        #expect(png[15, 20] == Self.red && png[2, 2] == .white)
        #expect(png[30, 10] == Color(red: 127, green: 127, blue: 227))
        let crossing = png[30, 20]
        #expect(crossing.blue > 90 && crossing.red > 90)
        let clear = try #require(DecodedPNG(try picture.png(isTransparent: true)))
        #expect(
            clear[2, 2] == Color(red: 255, green: 255, blue: 255, alpha: 0) && clear[15, 20] == Self.red
                && clear[30, 10].alpha == 128)
        let svg = String(decoding: try picture.svg(), as: UTF8.self)
        #expect(svg.contains("width=\"6mm\" height=\"4mm\" viewBox=\"0 0 60 40\""))
        let first = try #require(svg.firstRange(of: "<path fill=\"#c80000\" d=\"m"))
        let second = try #require(svg.firstRange(of: "<path fill=\"#0000c8\" fill-opacity=\"0.502\" d=\"m"))
        #expect(first.lowerBound < second.lowerBound)
    }

    @Test("pictures are named by their time and never replace each other")
    func saving() throws {
        let directory = try TemporaryDirectory()
        let folder = SketchFolder(at: directory.path + "/pictures")
        // 2026-03-14 15:09:26 UTC.
        let time: Int64 = 1_773_500_966_535_897
        let base = directory.path + "/pictures/sketch-20260314-150926"
        defer {
            for name in (try? Directory.names(of: folder.path)) ?? [] { unlink(folder.path + "/" + name) }
            rmdir(folder.path)
        }
        #expect(try folder.save(png: picture.png(), svg: picture.svg(), at: time) == [base + ".png", base + ".svg"])
        unlink(base + ".png")
        #expect(
            try folder.save(png: picture.png(), svg: picture.svg(), at: time) == [base + "-2.png", base + "-2.svg"])
        #expect(try InputFile.read(base + "-2.svg", maximumByteCount: 1 << 20) == picture.svg())
        #expect(try InputFile.read(base + "-2.png", maximumByteCount: 1 << 20) == picture.png())
        let nowhere = SketchFolder(at: directory.path + "/no/such")
        let error = thrownError { try nowhere.save(png: [1], svg: [1], at: time) } as? SketchSaveError
        #expect(error?.cause == .failed(.makeDirectory, path: directory.path + "/no/such", .noSuchFile))
    }
}
