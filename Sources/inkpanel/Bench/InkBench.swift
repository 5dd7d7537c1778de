// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Canvas
import Demonstration
import Geometry
import Ink
import Linux
import Touch

/// `inkpanel bench ink`: what a report costs, and how good prediction is.
struct InkBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ink", abstract: "What a report costs however long the stroke, and how far prediction is off.",
        discussion: """
            Cost is the processor time for modelling, rasterizing and composing one report into memory. It is \
            measured, and prediction judged, on the recording that is part of the program and on generated writing, \
            or on files and nothing else. Prediction's numbers are distances in pixels of the page at the moment a \
            frame is seen, with prediction and when the ink ends at the last report.
            """)

    @Argument(help: "Evemu recordings or JSON of signature_pad's toData() to draw, and nothing else.")
    var files: [String] = []

    @Flag(help: "One JSON object a line instead of tables.")
    var json = false

    @OptionGroup var pen: PenOption
    @OptionGroup var picture: PictureOptions

    static let rates = [60.0, 250, 1000]
    private static let horizons: [Int64] = [4, 8, 16]

    func validate() throws { try picture.validate(for: [pen.pen]) }

    func run() throws {
        try reportingErrors {
            try show(costTable())
            if files.isEmpty { try show(redrawTable()) }
            try show(predictionTable())
        }
    }

    private func show(_ table: BenchTable) throws {
        try OutputFile.print(json ? table.jsonLines : table.text + "\n")
    }

    private func predictionTable() throws -> BenchTable {
        var table = BenchTable(
            name: "ink prediction",
            heading: "px from the ink's end to the pen when a frame is seen: predicted, and held at the last report",
            columns: [
                .init(title: "strokes of", key: "source"), .init(title: "ms", key: "milliseconds"),
                .init(title: "reports", key: "reports"), .init(title: "rms", key: "rms", decimals: 2),
                .init(title: "held", key: "held_rms", decimals: 2), .init(title: "p95", key: "p95", decimals: 2),
                .init(title: "held", key: "held_p95", decimals: 2),
                .init(title: "none %", key: "not_predicted_percent", decimals: 1),
                .init(title: "p99 beyond", key: "overshoot_p99", decimals: 2),
                .init(title: "most beyond", key: "overshoot_max", decimals: 2),
            ])
        for source in try sources() + (files.isEmpty ? writing : []) {
            for milliseconds in Self.horizons {
                var error = PredictionError(microseconds: milliseconds * 1000, density: source.density)
                for stroke in source.strokes { error.add(stroke) }
                table.rows.append([.text(source.name), .number(Double(milliseconds))] + Self.values(of: error))
            }
        }
        return table
    }

    private static func values(of error: PredictionError) -> [BenchTable.Value] {
        let (predicted, held) = (Distribution(error.predicted), Distribution(error.held))
        let overshoots = Distribution(error.overshoots)
        let silent = 100 * Double(error.silentCount) / Double(max(predicted.count, 1))
        return [
            Double(predicted.count), predicted.rootMeanSquare, held.rootMeanSquare, predicted.percentile(0.95),
            held.percentile(0.95), silent, overshoots.percentile(0.99), overshoots.maximum,
        ].map { .number($0) }
    }

    struct Source {
        var name: String
        var strokes: [[Sample]]
        var page: PixelSize
        var density: PixelDensity
    }

    /// The files, or the recording that is part of the program.
    func sources() throws -> [Source] {
        func source(_ name: String, _ page: StrokePage) -> Source {
            Source(
                name: name, strokes: page.strokes, page: page.size,
                density: picture.density ?? page.density ?? .standard)
        }
        if !files.isEmpty { return try files.map { source($0, try StrokePage(reading: $0, size: nil)) } }
        return [source("demonstration", try StrokePage(recording: .demonstration(), name: "demo.events", size: nil))]
    }

    private var writing: [Source] {
        Self.rates.map {
            Source(
                name: "writing, \(Int($0)) Hz", strokes: [GeneratedWriting(hertz: $0).samples(Int($0) * 30)],
                page: GeneratedWriting.page, density: picture.density ?? .standard)
        }
    }
}
