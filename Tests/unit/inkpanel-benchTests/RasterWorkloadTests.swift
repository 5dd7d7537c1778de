// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Linux
import Raster
import TestSupport
import Testing

@testable import inkpanel_bench

@Suite("Raster workloads")
struct RasterWorkloadTests {
    /// Two fills, of one contour and of two, on a page of 8 x 4.
    private static func sample() -> RasterWorkload {
        var workload = RasterWorkload(name: "sample", page: PixelSize(width: 8, height: 4))
        let triangle: [SIMD2<Float>] = [SIMD2(0, 0), SIMD2(4.25, 0), SIMD2(0, 3.015625)]
        workload.addFill(triangle, color: Color(red: 1, green: 2, blue: 3))
        workload.addFill(triangle.reversed(), color: .black)
        workload.contours.append(0..<2)
        workload.fills[1].contours = 1..<3
        return workload
    }

    private static func decode(_ bytes: [UInt8]) throws -> RasterWorkload {
        var decoder = RasterWorkloadDecoder(bytes, path: "folder/sample.rpw")
        return try decoder.decode()
    }

    private static func error(of bytes: [UInt8]) -> RasterWorkloadError? {
        thrownError { try decode(bytes) } as? RasterWorkloadError
    }

    @Test("a written file is read back", arguments: [FillRule.nonZero, .evenOdd])
    func roundTrip(rule: FillRule) throws {
        var workload = Self.sample()
        workload.rule = rule
        #expect(try Self.decode(workload.encoded) == workload)
        let directory = try TemporaryDirectory()
        let path = directory.path + "/sample.rpw"
        try writeFile(workload.encoded, to: path, option: "--write")
        #expect(try RasterWorkload(reading: path) == workload)
    }

    @Test("the format is that of the other programs, byte for byte")
    func format() {
        var workload = RasterWorkload(name: "", page: PixelSize(width: 0x102, height: 3))
        workload.addFill([SIMD2(1, -2)], color: Color(red: 0x0A, green: 0x1A, blue: 0x5C))
        #expect(
            workload.encoded == [
                0x52, 0x50, 0x57, 0x31, 1, 0, 0, 0, 2, 1, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0,
                0,
                0, 0, 0, 0, 1, 0, 0, 0, 0x5C, 0x1A, 0x0A, 0,
                0, 0, 0, 0, 1, 0, 0, 0,
                0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0,
            ])
    }

    @Test(
        "an invalid word is rejected with the name of its field",
        arguments: [
            (0, 0x3257_5052, "magic"), (4, 2, "version"), (8, 0, "width, height"), (8, 16385, "width, height"),
            (12, 0, "width, height"), (12, .max, "width, height"), (16, 0, "nFills"), (16, .max, "nFills"),
            (20, .max, "nContours"), (24, .max, "nPoints"), (24, 7, "nPoints"), (24, 5, "nPoints"), (28, 2, "fillRule"),
            (32, 3, "fills[0]"), (36, .max, "fills[0]"), (44, .max, "fills[1]"), (48, 3, "fills[1]"),
            (56, 4, "contours[0]"), (60, .max, "contours[0]"), (72, 6, "contours[2]"), (76, 7, "contours[2]"),
            (80, 0x7FC0_0000, "points[0]"), (84, 0x7F80_0000, "points[0]"), (84, 0xFF80_0000, "points[0]"),
            (92, 0x4700_0001, "points[1]"), (124, 0xC700_0001, "points[5]"),
        ] as [(Int, UInt32, String)])
    func malformed(offset: Int, word: UInt32, field: String) throws {
        var bytes = Self.sample().encoded
        try #require(bytes.count == 128)
        withUnsafeBytes(of: word.littleEndian) { bytes.replaceSubrange(offset..<offset + 4, with: $0) }
        let error = try #require(Self.error(of: bytes))
        #expect(error.field == field && error.description.hasPrefix("folder/sample.rpw: \(field) "))
        let failure = BenchError(error)
        #expect(failure.status == EX_DATAERR && failure.message == error.description)
    }

    @Test("a truncated file, or one with bytes left over, is rejected")
    func cut() {
        let bytes = Self.sample().encoded
        for count in bytes.indices { #expect(Self.error(of: Array(bytes[..<count])) != nil, "\(count) bytes") }
        #expect(Self.error(of: bytes + [0])?.field == "nPoints")
    }

    @Test("a small file that needs years of work is rejected")
    func overused() {
        var workload = RasterWorkload(name: "", page: PixelSize(width: 8, height: 8))
        workload.points = .init(repeating: .zero, count: 5000)
        workload.contours = .init(repeating: 0..<5000, count: 5000)
        workload.fills = [.init(contours: 0..<1, color: .black)]
        #expect(Self.error(of: workload.encoded)?.field == "contours")
        workload.contours = .init(repeating: 0..<0, count: 5000)
        workload.fills = .init(repeating: .init(contours: 0..<5000, color: .black), count: 5000)
        #expect(Self.error(of: workload.encoded)?.field == "fills")
    }

    @Test("mutated files are filled or rejected and never crash", arguments: Breadth.seeds(33, long: 200))
    func fuzz(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = Self.sample().encoded
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            // Not the size of the page: a large one only takes long.
            let offset = Int.random(in: 16..<bytes.count, using: &random)
            bytes[offset] = .random(in: 0...255, using: &random)
        }
        guard let workload = try? Self.decode(bytes) else { return }
        var polygons = PolygonFills(workload)
        polygons.fillAll()
    }

    @Test("a missing file and one that is no workload have different errors")
    func files() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/none.rpw"
        let missing = thrownError { try RasterWorkload(reading: path) }
        #expect((missing as? BenchError)?.status == EX_NOINPUT)
        #expect((missing as? BenchError)?.message.contains(path) == true)
        try AtomicFile.write([], to: path)
        let empty = thrownError { try RasterWorkload(reading: path) }
        #expect((empty as? RasterWorkloadError) == .init(path: path, field: "magic", reason: "is not RPW1"))
    }
}
