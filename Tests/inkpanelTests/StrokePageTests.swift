// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Linux
import TestSupport
import Testing
import Touch

@testable import inkpanel

@Suite("Stroke page")
struct StrokePageTests {
    @Test("JSON keeps its pixels and the page fits the ink")
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

    @Test("JSON beside its page is moved onto it, unless it is to keep its place")
    func keepsPlace() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/pad.json"
        try AtomicFile.write(Array("[{\"points\":[{\"time\":0,\"x\":-50,\"y\":40}]}]".utf8), to: path)
        func events(_ x: Double) -> [StrokeEvent] {
            [.begin(Sample(microseconds: 0, position: Point(x: x, y: 40))), .end]
        }
        #expect(try StrokePage(reading: path, size: nil, keepsPlace: true).events == events(-50))
        #expect(try StrokePage(reading: path, size: nil).events == events(20))
        // The margin, the point at 20 and the margin.
        #expect(try StrokePage(reading: path, size: nil).size == PixelSize(width: 40, height: 60))
        // A page that somebody asked for stays where it is.
        let page = PixelSize(width: 90, height: 90)
        #expect(try StrokePage(reading: path, size: page).events == events(-50))
    }

    @Test("a recording's page has the device's proportions in millimetres")
    func recording() throws {
        let page = try StrokePage(recording: .demonstration(), name: "demo", size: nil)
        #expect(page.size == PixelSize(width: 1280, height: 720))
    }

    @Test("a page with the proportions of a device that states its resolution is as dense as it is on the device")
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

    @Test("a file that is not there, a directory, and noise are errors with a status")
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
