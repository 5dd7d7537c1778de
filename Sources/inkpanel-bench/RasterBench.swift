// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Geometry
import Linux
import Raster

/// `inkpanel-bench raster`: the time to fill polygons that other rasterizers can be given, too.
struct RasterBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "raster",
        abstract: "Measure the time to fill polygons, in a form that other rasterizers can repeat.",
        discussion: """
            Fills every polygon of a workload one after the other on one thread and prints one JSON object a line: \
            median_ns and min_ns are times of the whole list over its repetitions, ns_per_fill is median_ns divided by \
            the number of fills. The page is cleared before each repetition, outside the measured time. For lists of \
            fewer than 1000 fills, median_fill_ns is the time of a single fill, including the reading of the clock: \
            the median over the fills of the median over at most 1000 more repetitions.

            Without files it measures five generated workloads: \
            \(WorkloadKind.allCases.map(\.rawValue).joined(separator: ", ")). make bench-peers compares with other \
            rasterizers.
            """)

    @Argument(help: "Workloads (.rpw) to fill instead of the generated ones.")
    var files: [String] = []

    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp(
            "Number of repetitions, 1 to 1000000 (default: as many as fit in two seconds, at least five).",
            valueName: "n"))
    var repetitions: Int?

    @Option(
        help: ArgumentHelp(
            "For one file: write the page after all fills in black as 8-bit grey, rows from top to bottom without a "
                + "header; 255 is paper, 0 is full ink.", valueName: "file"))
    var dump: String?

    @Option(
        help: ArgumentHelp(
            "Write the generated workloads to this directory as NAME.rpw and exit.", valueName: "directory"))
    var write: String?

    func validate() throws {
        if let repetitions, !(1...1_000_000 ~= repetitions) { throw ValidationError("--repeat is 1 to 1000000") }
        if let dump {
            if files.count != 1 { throw ValidationError("--dump needs exactly one file") }
            if dump == "-" { throw ValidationError("--dump needs a file; standard output has the times") }
        }
        if write != nil, !files.isEmpty || dump != nil || repetitions != nil {
            throw ValidationError("--write goes with no other option")
        }
    }

    func run() throws {
        try reportingErrors {
            if let write { return try store(in: write) }
            if files.isEmpty {
                for kind in WorkloadKind.allCases { try measure(RasterWorkload(kind)) }
            }
            for file in files { try measure(try RasterWorkload(reading: file)) }
        }
    }

    private func measure(_ workload: RasterWorkload) throws {
        var polygons = PolygonFills(workload)
        let times = FillTimes(of: &polygons, repetitions: repetitions)
        try printResult(Self.table(workload, times).jsonLines)
        guard let dump else { return }
        polygons.clear()
        polygons.fillAll(color: .black)
        try writeFile(polygons.page.surface.grey, to: dump, option: "--dump")
    }

    private func store(in directory: String) throws {
        for kind in WorkloadKind.allCases {
            let path = directory + "/" + kind.rawValue + RasterWorkload.fileSuffix
            try writeFile(RasterWorkload(kind).encoded, to: path, option: "--write")
        }
    }

    static func table(_ workload: RasterWorkload, _ times: FillTimes) -> BenchTable {
        let (median, count) = (times.lists.percentile(0.5), Double(workload.fills.count))
        var table = BenchTable(
            name: "raster", heading: "filling polygons",
            columns: [
                .init(title: "workload", key: "workload"), .init(title: "fills", key: "fills"),
                .init(title: "median ns", key: "median_ns"), .init(title: "least ns", key: "min_ns"),
                .init(title: "ns a fill", key: "ns_per_fill", decimals: 1),
            ])
        var row = [BenchTable.Value.text(workload.name)]
        row += [count, median, times.lists.minimum, median / count].map { .number($0) }
        if let fills = times.fills {
            table.columns.append(.init(title: "median fill", key: "median_fill_ns"))
            row.append(.number(fills.percentile(0.5)))
        }
        table.rows = [row]
        return table
    }
}

/// Times to fill a workload, by the monotonic clock.
struct FillTimes {
    /// Nanoseconds for all fills, one value for each repetition.
    let lists: Distribution
    /// Nanoseconds of single fills, the median over the repetitions of each; nil for lists of ``longList`` fills or
    /// more.
    let fills: Distribution?

    static let longList = 1000
    /// Time for each workload unless the number of repetitions is given.
    private static let defaultNanoseconds: Int64 = 2_000_000_000
    private static let leastRepetitions = 5
    private static let mostRepetitions = 100_000
    /// Bounds memory: 600 fills need 5 MB.
    private static let mostSingleRepetitions = 1000

    /// Fills once to warm up, then measures. Clearing the page is not measured.
    /// - Parameter repetitions: at least 1; nil for as many as fit in two seconds, at least five.
    init(of polygons: inout PolygonFills, repetitions: Int?) {
        let fitting = Int(Self.defaultNanoseconds / max(Self.list(of: &polygons), 1))
        let count = repetitions ?? min(max(fitting, Self.leastRepetitions), Self.mostRepetitions)
        var times: [Double] = []
        times.reserveCapacity(count)
        for _ in 0..<count { times.append(Double(Self.list(of: &polygons))) }
        lists = Distribution(times)
        let isLong = polygons.count >= Self.longList
        fills = isLong ? nil : Self.singleFills(of: &polygons, repetitions: min(count, Self.mostSingleRepetitions))
    }

    private static func list(of polygons: inout PolygonFills) -> Int64 {
        polygons.clear()
        let start = MonotonicClock.nanoseconds
        polygons.fillAll()
        return MonotonicClock.nanoseconds - start
    }

    private static func singleFills(of polygons: inout PolygonFills, repetitions: Int) -> Distribution {
        var times = [[Double]](repeating: [], count: polygons.count)
        for index in times.indices { times[index].reserveCapacity(repetitions) }
        for _ in 0..<repetitions {
            polygons.clear()
            for index in times.indices {
                let start = MonotonicClock.nanoseconds
                polygons.fill(index)
                times[index].append(Double(MonotonicClock.nanoseconds - start))
            }
        }
        return Distribution(times.map { Distribution($0).percentile(0.5) })
    }
}

/// A workload with its page and rasterizer; points are converted beforehand, outside the measured time.
struct PolygonFills: ~Copyable {
    let page: PixelBuffer
    private let rule: FillRule
    private let fills: [RasterWorkload.Fill]
    private let contours: [Range<Int>]
    private let points: [Point]
    private var rasterizer = Rasterizer()

    init(_ workload: RasterWorkload) {
        page = PixelBuffer(lasting: workload.page)
        rule = workload.rule
        fills = workload.fills
        contours = workload.contours
        points = workload.points.map { Point(x: Double($0.x), y: Double($0.y)) }
        clear()
    }

    func clear() { page.surface.fill(page.surface.bounds, with: .white) }

    /// - Parameter color: replaces that of the workload.
    mutating func fill(_ index: Int, color: Color? = nil) {
        let fill = fills[index]
        rasterizer.begin(clip: page.surface.bounds)
        points.withUnsafeBufferPointer { points in
            for contour in fill.contours {
                rasterizer.add(polygon: UnsafeBufferPointer(rebasing: points[contours[contour]]))
            }
        }
        rasterizer.fill(rule, with: color ?? fill.color, into: page.surface)
    }

    mutating func fillAll(color: Color? = nil) {
        for index in fills.indices { fill(index, color: color) }
    }

    var count: Int { fills.count }
}

extension Surface {
    /// The red channel, one byte a pixel, row after row.
    fileprivate var grey: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(bounds.area)
        for y in 0..<size.height {
            let row = row(y)
            for x in 0..<size.width { bytes.append(UInt8(truncatingIfNeeded: row[x] >> 16)) }
        }
        return bytes
    }
}
