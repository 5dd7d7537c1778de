// SPDX-License-Identifier: Apache-2.0
import Control
import Geometry
import HostAPI
import Ink
import Linux
import Pad
import Record
import TestSupport
import Testing
import Touch

@testable import inkpanel

@Suite("Demonstration")
struct DemoTests {
    @Test("a page that does not fit is an error of --size")
    func tooSmall() throws {
        let size = PixelSize(width: 10, height: 10)
        let error = thrownError { try Demo(size: size, pen: Pen(), log: Log(threshold: .error)).run() }
        #expect((error as? CommandError)?.status == 64)
        #expect((error as? CommandError)?.message == "the page does not fit on 10x10 pixels; name a larger --size")
    }

    @Test("a complete capture has all pages, the signature and a record with every report")
    func whole() throws {
        let size = PixelSize(width: 800, height: 480)
        let film = DemoFilm()
        let files = try Demo(size: size, pen: Pen(), log: Log(threshold: .error)).run(film: film)
        #expect(
            Set(files.keys)
                == ["-idle.png", "-prompt.png", "-signed.png", "-thanks.png", ".png", ".svg", ".jsonl"])
        for page in ["-idle.png", "-prompt.png", "-signed.png", "-thanks.png"] {
            let bytes = try #require(files[page])
            #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        }
        let pictures = try film.pictures.get()
        #expect(pictures.count > 4 && pictures.first?.fileName == "000000.png")
        #expect(zip(pictures, pictures.dropFirst()).allSatisfy { $0.fileName < $1.fileName && $0.png != $1.png })
        #expect(pictures.contains { $0.png == files["-thanks.png"] })
        #expect(files["-signed.png"] != files["-prompt.png"] && files["-thanks.png"] != files["-idle.png"])
        // Separate contours, as the screen fills them, would take three times the size.
        #expect(try #require(files[".svg"]).count < 45_000)
        let record = try CaptureDecoder.decode(try #require(files[".jsonl"]))
        #expect(record.end?.outcome == .accepted && record.header.request == Demo.call.request)
        // All contact reports of the recording.
        let recording = try Recording.demonstration()
        let mapping = try #require(PanelMapping(recording.device, panel: size))
        let signature = try #require(DemoSignature(recording, mapping: mapping))
        let reports = signature.frames.flatMap(\.contacts).filter { $0.phase == .began || $0.phase == .moved }.count
        #expect(record.visibleStrokes.reduce(0) { $0 + $1.samples.count } == reports)
        // The record also has the hover reports between strokes.
        var hovers = 0
        for (stroke, next) in zip(record.entries, record.entries.dropFirst()) {
            guard case .stroke(let stroke) = stroke, case .inAir(let movement) = next else { continue }
            hovers += movement.samples.count
            let map = try #require(record.header.map(of: stroke.device))
            let last = try #require(stroke.samples.last.map { map.position(x: $0.x, y: $0.y) })
            let first = try #require(movement.samples.first.map { map.position(x: $0.x, y: $0.y) })
            #expect(first.distance(to: last) < 30)
        }
        #expect(hovers == signature.frames.count { $0.hover != nil })
        #expect(record.end?.quality.latency != nil && record.end?.quality.reportRate != nil)
    }

    @Test(
        "the signature is as wide for its height in every field, and stands on the line",
        arguments: [PixelSize(width: 1280, height: 720), PixelSize(width: 720, height: 1280)])
    func proportions(size: PixelSize) throws {
        let recording = try Recording.demonstration()
        let mapping = try #require(PanelMapping(recording.device, panel: size))
        let signature = try #require(DemoSignature(recording, mapping: mapping))
        func bounds(_ frames: [TouchFrame], _ map: Transform) -> Rect {
            frames.flatMap(\.contacts).map(\.reading).reduce(Rect.empty) { bounds, reading in
                let point = map.apply(Point(x: Double(reading.x), y: Double(reading.y)))
                return bounds.union(Rect(minX: point.x, minY: point.y, maxX: point.x, maxY: point.y))
            }
        }
        let written = bounds(signature.frames, .identity)
        let shape = (written.maxX - written.minX) / (written.maxY - written.minY)
        let areas = [
            Rect(minX: 50, minY: 100, maxX: 650, maxY: 300), Rect(minX: 50, minY: 100, maxX: 250, maxY: 700),
            Rect(minX: 300, minY: 100, maxX: 700, maxY: 140),
        ]
        for area in areas {
            let line = area.minY + (area.maxY - area.minY) * 0.75
            let ink = bounds(signature.frames(in: area, on: line, from: 0), mapping.map.transform)
            // A device unit is at most 0.15 pixels here.
            #expect(ink.minX > area.minX - 1 && ink.maxX < area.maxX + 1)
            #expect(ink.minY > area.minY - 1 && ink.maxY < area.maxY + 1)
            #expect(abs((ink.minX + ink.maxX) - (area.minX + area.maxX)) < 1)
            let (width, height) = (ink.maxX - ink.minX, ink.maxY - ink.minY)
            #expect(abs(width - height * shape) < 1.5, "\(width) x \(height)")
            #expect(ink.minY < line && line < ink.maxY)
        }
    }
}
