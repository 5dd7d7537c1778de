// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import Canvas
import Configuration
import Formats
public import Geometry
public import Ink
import Linux
import Pages
import Raster
import Record
import Touch

/// `inkpanel-bench ink`: the cost of a report and the error of prediction.
struct InkBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ink",
        abstract: "Measure the cost of a report for strokes of any length, and the error of prediction.",
        discussion: """
            Cost is the processor time for modelling, rasterizing and composing one report into memory. Both tables \
            use a person's handwriting and generated writing, or only the given files. Errors of prediction \
            are distances in pixels of the page at the moment a frame is seen, with prediction and with ink that ends \
            at the last report.
            """)

    @Argument(help: "Evemu recordings or JSON of signature_pad's toData() to use instead.")
    var files: [String] = []

    @Flag(help: "Print one JSON object a line instead of tables.")
    var json = false

    @Option(help: ArgumentHelp("Pen.", valueName: "pen"))
    var pen = PenName.default

    @Option(help: ArgumentHelp("Change to the pen; may be repeated.", valueName: "name"))
    var penSwitch: [PenSwitch] = []

    @Option(help: ArgumentHelp(Setting["ink.width-mm"].help(), valueName: "mm"))
    var width: Double?

    @Option(help: ArgumentHelp(Setting["ink.pressure"].help(""), valueName: "curve"))
    var pressure: PressureCurve?

    @Option(help: ArgumentHelp("Pixels per inch (default: of the recording's device, else 150).", valueName: "n"))
    var dpi: Double?

    @Option(help: ArgumentHelp("Colour of the ink.", valueName: "rrggbb"))
    var color = Color(red: 0x0B, green: 0x1F, blue: 0x5C)

    @Option(help: ArgumentHelp("Colour of the paper.", valueName: "rrggbb"))
    var background = Color.white

    static let rates = [60.0, 250, 1000]
    private static let horizons: [Int64] = [4, 8, 16]

    func validate() throws {
        if let problem = Setting["ink.width-mm"].problem(with: width, option: "--width")
            ?? Setting["display.dpi"].problem(with: dpi, option: "--dpi")
        {
            throw ValidationError(problem)
        }
        if pressure != nil, pen != .ink { throw ValidationError("--pressure is for the pen ink") }
        for name in penSwitch where !pen.switches.contains(name) {
            throw ValidationError("the pen \(pen.rawValue) has no --pen-switch \(name.rawValue)")
        }
    }

    func run() throws {
        try reportingErrors {
            try show(costTable())
            if files.isEmpty { try show(redrawTable()) }
            try show(predictionTable())
        }
    }

    private func show(_ table: BenchTable) throws {
        try printResult(json ? table.jsonLines : table.text + "\n")
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
                var error = PredictionError(ahead: .milliseconds(milliseconds), density: source.density)
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

    /// The given files, or a person's handwriting.
    func sources() throws -> [Source] {
        func source(_ name: String, _ page: StrokePage) -> Source {
            Source(name: name, strokes: page.strokes, page: page.size, density: density(page.density))
        }
        if !files.isEmpty { return try files.map { source($0, try Self.page($0)) } }
        return [source("handwriting", try Self.page(Recording.handwritingPath))]
    }

    private func density(_ stated: PixelDensity?) -> PixelDensity {
        dpi.map { PixelDensity(dotsPerInch: $0) } ?? stated ?? .standard
    }

    private static func page(_ path: String) throws -> StrokePage {
        let bytes: [UInt8]?
        do throws(Errno) { bytes = try InputFile.read(path, maximumByteCount: Recording.byteLimit) } catch {
            throw BenchError.cannotRead(path, error)
        }
        if let bytes, let format = ImportFormat(start: bytes) {
            return try StrokePage(try format.decode(bytes), size: nil)
        }
        return try StrokePage(recording: try Recording(path: path), name: path, size: nil)
    }

    private var writing: [Source] {
        Self.rates.map {
            Source(
                name: "writing, \(Int($0)) Hz", strokes: [GeneratedWriting(hertz: $0).samples(Int($0) * 30)],
                page: GeneratedWriting.page, density: density(nil))
        }
    }
}

extension PenName: ExpressibleByArgument {}
extension PenSwitch: ExpressibleByArgument {}
extension PressureCurve: ExpressibleByArgument {}
extension Color: ExpressibleByArgument {
    public init?(argument: String) { self.init(hex: argument) }
}

extension Recording {
    /// A person's handwriting, in the source tree: benchmarks run there.
    static let handwritingPath =
        #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        + "/Tests/data/Handwriting/handwriting.events"
}
