// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Geometry
import Glibc
import Linux
import Raster
import TestSupport
import Testing

@testable import inkpanel_bench

@Suite("Raster bench")
struct RasterBenchTests {
    private static func rectangle(_ left: Float, _ top: Float, _ right: Float, _ bottom: Float) -> [SIMD2<Float>] {
        [SIMD2(left, top), SIMD2(right, top), SIMD2(right, bottom), SIMD2(left, bottom)]
    }

    /// A row of four pixels above white ones: full ink, half, half twice, and paper.
    private static func sample() -> RasterWorkload {
        var workload = RasterWorkload(name: "sample", page: PixelSize(width: 4, height: 2))
        workload.addFill(rectangle(0, 0, 1, 1), color: Color(red: 200, green: 100, blue: 0))
        workload.addFill(rectangle(1, 0, 3, 0.5), color: .black)
        workload.addFill(rectangle(2, 0, 2.5, 1), color: .black)
        return workload
    }

    @Test("fills have the colours of the workload and cover each other until the page is cleared")
    func fills() {
        var polygons = PolygonFills(Self.sample())
        polygons.fillAll()
        let row = polygons.page.surface.row(0)
        #expect(row[0] == 0xFFC8_6400 && row[3] == 0xFFFF_FFFF)
        polygons.clear()
        #expect((0..<4).allSatisfy { polygons.page.surface.row(0)[$0] == 0xFFFF_FFFF })
        polygons.fill(0, color: .black)
        #expect(polygons.page.surface.row(0)[0] == 0xFF00_0000)
    }

    @Test(
        "contours of a fill are joined by the workload's rule",
        arguments: [(.nonZero, 0), (.evenOdd, 255)] as [(FillRule, UInt32)])
    func rule(rule: FillRule, expected: UInt32) {
        var workload = RasterWorkload(name: "", page: PixelSize(width: 4, height: 4))
        workload.rule = rule
        workload.addFill(Self.rectangle(0, 0, 4, 4), color: .black)
        workload.contours.append(0..<4)
        workload.fills[0].contours = 0..<2
        var polygons = PolygonFills(workload)
        polygons.fillAll()
        #expect(polygons.page.surface.row(2)[2] & 0xFF == expected)
    }

    @Test("a dump is the page in grey, with every fill in black")
    func dump() throws {
        let directory = try TemporaryDirectory()
        let (input, output) = (directory.path + "/sample.rpw", directory.path + "/page.grey")
        try AtomicFile.write(Self.sample().encoded, to: input)
        let command = try InkpanelBench.parseAsRoot(["raster", input, "--repeat", "1", "--dump", output])
        try #require(command as? RasterBench).run()
        let page = try #require(try InputFile.read(output, maximumByteCount: 100)).map { Int($0) }
        #expect(page.count == 8)
        #expect(page[0] == 0 && page[3...] == [255, 255, 255, 255, 255])
        // Rounded to either side.
        #expect(127...128 ~= page[1] && 63...64 ~= page[2])
    }

    @Test("times are printed as a JSON object with these keys; short lists have the time of a fill, too")
    func json() throws {
        var polygons = PolygonFills(Self.sample())
        let times = FillTimes(of: &polygons, repetitions: 3)
        #expect(times.lists.count == 3 && times.fills?.count == 3)
        let line = RasterBench.table(Self.sample(), times).jsonLines
        #expect(line.hasPrefix("{\"bench\":\"raster\",\"workload\":\"sample\",\"fills\":3,\"median_ns\":"))
        #expect(line.hasSuffix("}\n"))
        let keys = line.split(separator: ",").compactMap { $0.split(separator: "\"").first { $0 != "{" } }
        #expect(
            keys == [
                "bench", "workload", "fills", "median_ns", "min_ns", "ns_per_fill", "median_fill_ns",
            ])
        var long = Self.sample()
        while long.fills.count < FillTimes.longList { long.fills.append(long.fills[0]) }
        var longPolygons = PolygonFills(long)
        let longTimes = FillTimes(of: &longPolygons, repetitions: 1)
        #expect(longTimes.fills == nil)
        #expect(!RasterBench.table(long, longTimes).jsonLines.contains("median_fill_ns"))
    }

    @Test("a malformed file exits with EX_DATAERR")
    func malformed() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/cut.rpw"
        try AtomicFile.write(Array(Self.sample().encoded.dropLast()), to: path)
        let command = try #require(try InkpanelBench.parseAsRoot(["raster", path]) as? RasterBench)
        #expect((thrownError { try command.run() } as? ExitCode)?.rawValue == EX_DATAERR)
    }

    @Test("the error for an unwritable path names the option")
    func unwritable() throws {
        let directory = try TemporaryDirectory()
        let error = thrownError { try writeFile([], to: directory.path + "/none/x", option: "--dump") }
        #expect((error as? BenchError)?.message.contains("--dump") == true)
    }

    @Test(
        "options that contradict each other are rejected",
        arguments: [
            ["--dump", "x"], ["a.rpw", "b.rpw", "--dump", "x"], ["a.rpw", "--dump", "-"], ["a.rpw", "--repeat", "0"],
            ["a.rpw", "--write", "x"], ["--write", "x", "--repeat", "3"],
        ])
    func options(arguments: [String]) {
        #expect(throws: (any Error).self) { try InkpanelBench.parseAsRoot(["raster"] + arguments) }
    }
}
