// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Canvas
import Geometry
import Ink
import Raster
import Testing
import Touch

@testable import inkpanel_bench

@Suite("Ink bench")
struct InkBenchTests {
    @Test("shares, means and extremes of measured values")
    func distribution() {
        let distribution = Distribution([4, 1, 3, 2].map(Double.init))
        #expect(distribution.percentile(0.5) == 2 && distribution.percentile(0.51) == 3)
        #expect(distribution.percentile(0) == 1 && distribution.percentile(1) == 4)
        #expect(distribution.maximum == 4 && distribution.mean == 2.5)
        #expect(distribution.rootMeanSquare == 7.5.squareRoot())
        let none = Distribution([])
        #expect(none.percentile(0.5) == 0 && none.rootMeanSquare == 0 && none.maximum == 0 && none.mean == 0)
    }

    @Test("results are printed as a table or as one JSON object a line")
    func table() {
        var table = BenchTable(
            name: "test", heading: "what",
            columns: [.init(title: "of", key: "source"), .init(title: "px", key: "way", decimals: 2)])
        table.rows = [[.text("a \"b\"\\\n"), .number(10.006)], [.text("c"), .number(-0.5)]]
        #expect(
            table.jsonLines.split(separator: "\n") == [
                #"{"bench":"test","source":"a \"b\"\\?","way":10.01}"#, #"{"bench":"test","source":"c","way":-0.50}"#,
            ])
        table.rows[0][0] = .text("long")
        #expect(table.text == "what\n  of       px\n  long  10.01\n  c     -0.50\n")
        #expect(BenchTable.fixed(.nan, decimals: 1) == "0" && BenchTable.fixed(-0.001, decimals: 2) == "0.00")
    }

    @Test("on a straight line prediction falls short by a twentieth of the distance")
    func straightLine() {
        let stroke = (0..<100).map {
            Sample(time: .zero + .milliseconds(8 * $0), position: Point(x: Double($0) * 4, y: 7))
        }
        var error = PredictionError(ahead: .milliseconds(8))
        error.add(stroke)
        #expect(error.held.count == 100 && error.predicted.count == 100)
        // Away from the start, where nothing can be known, and the end, where the line stops unforeseen.
        #expect(error.held[20..<99].allSatisfy { abs($0 - 4) < 1e-9 })
        #expect(error.predicted[40..<99].allSatisfy { 0.18...0.3 ~= $0 })
        #expect(error.held[99] == 0 && 3.7...3.82 ~= error.predicted[99])
        #expect(error.overshoots.max() == error.predicted[99])
        #expect(1...6 ~= error.silentCount)
    }

    @Test("times at the limits of their range, and equal ones, give finite errors")
    func hostileTimes() {
        var error = PredictionError(ahead: .milliseconds(4))
        error.add(
            [Int64.max, .max, .min, 0, 0, 5, .min].map { Sample(time: Timestamp(microseconds: $0), position: .zero) })
        #expect((error.held + error.predicted).allSatisfy { $0 == 0 })
    }

    @Test("every report of a stroke is drawn and measured")
    func cost() {
        var canvas = Canvas(
            size: PixelSize(width: 200, height: 100), pen: Pen(), color: .black, background: .white)
        let strokes = [GeneratedWriting(hertz: 250).samples(40), GeneratedPage.stroke(7)]
        let cost = ReportCost(of: strokes, on: &canvas)
        #expect(cost.all.count == 46 && cost.last.count == 46 && cost.reportsPerSecond > 0)
        #expect(cost.lifts.count == 2)
    }

    @Test("generated writing stays on its page and never jumps", arguments: [60.0, 1000])
    func writing(hertz: Double) {
        let page = Rect(minX: 0, minY: 0, maxX: 2048, maxY: 2048)
        let samples = (0..<40).flatMap { part in
            let writing = GeneratedWriting(hertz: hertz)
            return (0..<200).map { writing.sample(part * 2500 + $0) }
        }
        for (index, sample) in samples.enumerated() {
            #expect(page.minX...page.maxX ~= sample.position.x && page.minY...page.maxY ~= sample.position.y)
            if index % 200 > 0 {
                #expect(samples[index - 1].position.distance(to: sample.position) < 700 / hertz)
            }
        }
    }

    @Test("scribbles stay in their square, and strokes of a full page start on the page")
    func places() {
        let scribble = GeneratedScribble(hertz: 250).samples(3000).map(\.position)
        #expect(scribble.allSatisfy { 700...900 ~= $0.x && 900...1100 ~= $0.y })
        #expect(scribble.contains { $0.x < 710 } && scribble.contains { $0.y > 1090 })
        let starts = (0..<500).map { GeneratedPage.stroke($0)[0].position }
        #expect(starts.allSatisfy { 0..<2048 ~= $0.x && 0..<2048 ~= $0.y })
        // Evenly: some in every sixteenth.
        #expect(Set(starts.map { Int($0.x / 512) * 4 + Int($0.y / 512) }).count == 16)
    }

    @Test("files and --json are parsed")
    func options() throws {
        let command = try InkpanelBench.parseAsRoot(["ink", "a.json", "b.events", "--json"]) as? InkBench
        #expect(command?.files == ["a.json", "b.events"] && command?.json == true)
    }

    @Test(
        "a pen rejects options that it does not have", arguments: [["--pressure", "off"], ["--pen-switch", "turbo"]])
    func refused(arguments: [String]) {
        #expect(throws: (any Error).self) { try InkpanelBench.parseAsRoot(["ink", "--pen", "offset"] + arguments) }
        #expect(throws: (any Error).self) { try InkpanelBench.parseAsRoot(["--seconds", "0"]) }
    }

    @Test("the stress recording is one that the panel can play")
    func stress() throws {
        let recording = try Recording(bytes: Array(StressRecording.text(seconds: 2).utf8), name: "stress")
        #expect(PanelMapping(recording.device, panel: PixelSize(width: 320, height: 200)) != nil)
        let sent = recording.frames().reduce(0) { $0 + $1.contacts.filter { $0.phase != .ended }.count }
        #expect(sent == StressRecording.reportCount(seconds: 2))
    }
}
