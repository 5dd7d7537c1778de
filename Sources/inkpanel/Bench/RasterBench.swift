// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Geometry
import Linux
import Raster

/// `inkpanel bench raster`: what the rasterizer needs for polygons that other rasterizers can be given, too.
struct RasterBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "raster", abstract: "What filling polygons costs, in a form that other rasterizers can repeat.",
        discussion: """
            Fills every polygon of a workload one after the other with one thread and prints a JSON object a line: \
            median_ns and min_ns are times of the whole list over its repetitions, ns_per_fill is median_ns by the \
            number of fills. The page is made white before each repetition, outside of the clock. For lists of less \
            than 1000 fills, median_fill_ns is the time of a fill measured by itself, the clock included: the median \
            over the fills of the median over at most 1000 repetitions more.

            Without files it takes five generated workloads: \
            \(WorkloadKind.allCases.map(\.rawValue).joined(separator: ", ")). make bench-peers compares with other \
            rasterizers.
            """)

    @Argument(help: "Workloads (.rpw) to fill instead of the generated ones.")
    var files: [String] = []

    @Option(name: .customLong("repeat"), help: ArgumentHelp(
        "How often each list is timed, 1 to 1000000 (default: for two seconds, at least five times).", valueName: "n"))
    var repetitions: Int?

    @Option(help: ArgumentHelp(
        "For one file: the page after all fills in black as 8-bit grey, rows from top to bottom without a header, 255 "
            + "the paper and 0 full ink.", valueName: "file"))
    var dump: String?

    @Option(help: ArgumentHelp(
        "Store the generated workloads in this directory as NAME.rpw, and measure nothing.", valueName: "directory"))
    var write: String?

    func validate() throws {
        if let repetitions, !(1...1_000_000 ~= repetitions) { throw ValidationError("--repeat is 1 to 1000000") }
        if let dump {
            if files.count != 1 { throw ValidationError("--dump is the page of one workload: name one file") }
            if dump == "-" { throw ValidationError("--dump is a file: standard output has the times") }
        }
        if write != nil, !files.isEmpty || dump != nil || repetitions != nil {
            throw ValidationError("--write stores the generated workloads and goes with nothing else")
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
        try OutputFile.print(Self.table(workload, times).jsonLines)
        guard let dump else { return }
        polygons.clear()
        polygons.fillAll(color: .black)
        try OutputFile.write(polygons.page.surface.grey, to: dump, option: "--dump")
    }

    private func store(in directory: String) throws {
        for kind in WorkloadKind.allCases {
            let path = directory + "/" + kind.rawValue + RasterWorkload.fileSuffix
            try OutputFile.write(RasterWorkload(kind).encoded, to: path, option: "--write")
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

extension Surface {
    /// One byte a pixel, row after row: the red of a picture in grey.
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
