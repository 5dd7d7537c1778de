// SPDX-License-Identifier: Apache-2.0
import Canvas
import Formats
import Geometry
import Ink
import Linux
import Pages
import Raster
import Record
import Screen
import TestSupport
import Testing
import Touch

@testable import Panel
@testable import inkpanel_bench

/// Tests of the whole panel with its threads, on a display in memory.
@Suite("Playback", .serialized)
struct PlaybackTests {
    private static let log = Log(threshold: .error)

    private static func stress(seconds: Int) throws -> Recording {
        try Recording(bytes: Array(StressRecording.text(seconds: seconds).utf8), name: "stress")
    }

    private func rendered(_ recording: Recording, _ size: PixelSize) throws -> Canvas {
        let page = try StrokePage(recording: recording, name: "test", size: size)
        var canvas = Canvas(size: size, pen: Pen(), color: .black, background: .white)
        for event in page.events { canvas.apply(event) }
        return canvas
    }

    @Test("a played recording gives the same pixels as render")
    func samePixels() throws {
        let recording = try Recording.demonstration()
        let size = PixelSize(width: 320, height: 180)
        let playback = HeadlessPlayback(
            size: size, look: Look(), pace: .factor(20), keepsStrokes: true, log: Self.log)
        let outcome = try playback.run(recording, name: "demo.events")
        defer { outcome.display.close() }
        var canvas = try rendered(recording, size)
        let dry = words(of: canvas.dryPixels)
        #expect(words(of: outcome.pixels) == dry)
        #expect(outcome.rendering.strokes.count == 2)
        #expect(outcome.rendering.latency.count == outcome.rendering.sampleCount)
    }

    @Test("predicted ink leaves no pixels behind")
    func predictionLeavesNothing() throws {
        let recording = try Self.stress(seconds: 1)
        let size = PixelSize(width: 320, height: 180)
        let playback = HeadlessPlayback(
            size: size, look: Look(), pace: .recorded, predicts: true, refresh: .hertz(60), log: Self.log)
        let outcome = try playback.run(recording, name: "stress")
        defer { outcome.display.close() }
        var canvas = try rendered(recording, size)
        let dry = words(of: canvas.dryPixels)
        #expect(words(of: outcome.pixels) == dry)
    }

    @Test("when the pen rests, one frame removes predicted ink, and no further frame is drawn")
    func restingPen() throws {
        // 100 reports a second for 0.3 s, a rest of 0.7 s, then the pen lifts.
        let moving = try Self.stress(seconds: 1)
        let events = moving.events.filter {
            $0.time < 300_000 && $0.time.microseconds % 10_000 == 0 || $0.time >= 990_000
        }
        let playback = HeadlessPlayback(
            size: PixelSize(width: 320, height: 180), look: Look(), pace: .recorded, predicts: true,
            refresh: .hertz(60), log: Self.log)
        let outcome = try playback.run(Recording(device: moving.device, events: events), name: "rest")
        defer { outcome.display.close() }
        #expect(outcome.rendering.sampleCount == 30)
        // At most one frame for each report, the first frame, one to remove the prediction, one after lifting, and a
        // few for reports that a busy machine reads late. A panel that kept drawing would have drawn 40 more.
        #expect(outcome.rendering.frameCount <= 30 + 8)
    }

    @Test("no report is lost if all arrive at once")
    func allAtOnce() throws {
        let recording = try Self.stress(seconds: 2)
        let sent = recording.frames().reduce(0) { $0 + $1.contacts.filter { $0.phase != .ended }.count }
        let playback = HeadlessPlayback(
            size: PixelSize(width: 200, height: 100), look: Look(), pace: .immediate, log: Self.log)
        let outcome = try playback.run(recording, name: "stress")
        defer { outcome.display.close() }
        #expect(outcome.rendering.sampleCount == sent)
        #expect(outcome.rendering.strokeCount == 2)
    }
}
