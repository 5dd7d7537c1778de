// SPDX-License-Identifier: Apache-2.0
import Canvas
import Formats
import Geometry
import Ink
import Linux
import Pages
import TestSupport
import Testing
import Touch

@testable import inkpanel

@Suite("Stroke page")
struct StrokePageTests {
    @Test("JSON keeps its pixels, and the page is fitted to the ink")
    func json() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/pad.json"
        try AtomicFile.write(Array(" \n[{\"points\":[{\"time\":0,\"x\":100.5,\"y\":40}]}]".utf8), to: path)
        let page = try StrokePage(reading: path, size: nil)
        #expect(page.size == PixelSize(width: 121, height: 60))
        #expect(page.events.count == 2)
        #expect(page.density == nil)
        #expect(
            try StrokePage(reading: path, size: PixelSize(width: 9, height: 9)).size == PixelSize(width: 9, height: 9))
    }

    @Test("JSON ink off its page is moved onto it, unless it keeps its place or the page size is given")
    func keepsPlace() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/pad.json"
        try AtomicFile.write(Array("[{\"points\":[{\"time\":0,\"x\":-50,\"y\":40}]}]".utf8), to: path)
        func events(_ x: Double) -> [StrokeEvent] {
            [.begin(Sample(time: .zero, position: Point(x: x, y: 40))), .end]
        }
        #expect(try StrokePage(reading: path, size: nil, keepsPlace: true).events == events(-50))
        #expect(try StrokePage(reading: path, size: nil).events == events(20))
        // Margin, the point at 20, margin.
        #expect(try StrokePage(reading: path, size: nil).size == PixelSize(width: 40, height: 60))
        // A page of a given size keeps its place.
        let page = PixelSize(width: 90, height: 90)
        #expect(try StrokePage(reading: path, size: page).events == events(-50))
    }

    /// The page of InkML with two points, 1,2 and 11,4, in the given unit.
    private func inkML(
        _ unit: String, size: PixelSize? = nil, dpi: Double = 254, keepsPlace: Bool = false
    ) throws -> (StrokePage, [Point]) {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/ink"
        let channels = ["X", "Y"].map { "<channel name=\"\($0)\" units=\"\(unit)\"/>" }.joined()
        let text = "\u{FEFF}\n<ink><traceFormat>\(channels)</traceFormat><trace>1 2,11 4</trace></ink>"
        try AtomicFile.write(Array(text.utf8), to: path)
        let page = try StrokePage(
            reading: path, size: size, density: PixelDensity(dotsPerInch: dpi), keepsPlace: keepsPlace)
        let positions = page.events.compactMap { event -> Point? in
            switch event {
            case .begin(let sample), .move(let sample): sample.position
            case .end, .cancel: nil
            }
        }
        return (page, positions)
    }

    @Test("InkML in millimetres keeps its size at the page's density, with a margin or at its place")
    func inkMLWithSize() throws {
        let (page, positions) = try inkML("mm")
        #expect(page.size == PixelSize(width: 140, height: 60) && page.density?.dotsPerInch == 254)
        #expect(positions == [Point(x: 20, y: 20), Point(x: 120, y: 40)])
        let unmoved = [Point(x: 10, y: 20), Point(x: 110, y: 40)]
        #expect(try inkML("mm", size: PixelSize(width: 50, height: 50)).1 == unmoved)
        #expect(try inkML("mm", keepsPlace: true).1 == unmoved)
    }

    @Test("InkML without units is scaled to the page and centred; InkML in pixels keeps its place")
    func inkMLWithoutSize() throws {
        let (page, positions) = try inkML("dev")
        #expect(page.size == PixelSize(width: 600, height: 152) && page.density == nil)
        #expect(positions == [Point(x: 20, y: 20), Point(x: 580, y: 132)])
        let sized = try inkML("dev", size: PixelSize(width: 140, height: 100))
        #expect(sized.0.size == PixelSize(width: 140, height: 100))
        #expect(sized.1 == [Point(x: 20, y: 40), Point(x: 120, y: 60)])
        #expect(try inkML("dev", keepsPlace: true).1 == [Point(x: 1, y: 2), Point(x: 11, y: 4)])
        #expect(try inkML("px").1 == [Point(x: 1, y: 2), Point(x: 11, y: 4)])
    }

    @Test("other XML, no strokes and a page that is too large have their own errors")
    func otherXML() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/picture.svg"
        try AtomicFile.write(Array("<svg/>".utf8), to: path)
        let error = CommandError(try #require(thrownError { try StrokePage(reading: path, size: nil) }))
        #expect(error.message.contains("the document is <svg>, not InkML's <ink>") && error.status == 65)
        try AtomicFile.write(Array("<ink/>".utf8), to: path)
        #expect(try StrokePage(reading: path, size: nil).size == PixelSize(width: 20, height: 20))
        let large = CommandError(try #require(thrownError { try inkML("m") }))
        #expect(large.message.contains("name a --size"))
    }

    @Test("a recording's page has the device's proportions in millimetres")
    func recording() throws {
        let page = try StrokePage(recording: .demonstration(), name: "demo", size: nil)
        #expect(page.size == PixelSize(width: 1280, height: 720))
    }

    @Test("a page with the proportions of a device of known resolution has the density of the device")
    func density() throws {
        func density(_ size: PixelSize?) throws -> Double? {
            try StrokePage(recording: .demonstration(), name: "demo", size: size).density?.dotsPerInch
        }
        let natural = try #require(try density(nil))
        let half = try #require(try density(PixelSize(width: 640, height: 360)))
        #expect(abs(natural - 203.2) < 0.1)
        #expect(abs(half * 2 - natural) < 0.1)
        #expect(try density(PixelSize(width: 640, height: 640)) == nil)
    }

    @Test("a missing file, a directory and invalid data have their exit statuses")
    func badInput() throws {
        let directory = try TemporaryDirectory()
        let noise = directory.path + "/noise"
        try AtomicFile.write([0xFF, 0x00, 0x5B, 0x10], to: noise)
        for (path, status) in [("/nonexistent", 66), (directory.path, 66), (noise, 65)] as [(String, Int32)] {
            let error = thrownError { try StrokePage(reading: path, size: nil) }
            #expect(error.map { CommandError($0).status } == status, "\(path): \(String(describing: error))")
        }
    }
}
