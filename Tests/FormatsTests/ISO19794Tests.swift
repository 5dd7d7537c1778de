// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
@testable import Formats
import Record
@testable import Formats
import Testing
import TestSupport


@Suite("ISO/IEC 19794-7:2007")
struct ISO19794Tests {
    private let pressure = CaptureDevice.Axis(minimum: 0, maximum: 1023, resolution: 0)

    /// What a person who laid the format out by hand wrote for three points.
    @Test("bytes are those laid out by hand from the standard's description")
    func vector() throws {
        let places = ISO19794Scaling(20_000)
        let file = ISO19794File(
            channels: [
                .init(kind: .x, scaling: places, range: 0...10_000), .init(kind: .y, scaling: places, range: 0...6000),
                .init(kind: .time, scaling: ISO19794Scaling(1000)), .init(kind: .force, range: 0...1023),
                .init(kind: .tip),
            ],
            points: [[100, 200, 0, 300, 1], [110, 210, 8, 320, 1], [110, 210, 16, 0, 0]])
        let bytes: [UInt8] = [
            0x53, 0x44, 0x49, 0x00, 0x20, 0x31, 0x30, 0x00, 0xC1, 0x60,
            0xE0, 0xF1, 0xC4, 0x80, 0x00, 0xA7, 0x10, 0xE0, 0xF1, 0xC4, 0x80, 0x00, 0x97, 0x70,
            0x80, 0xCF, 0xA0, 0x60, 0x00, 0x00, 0x03, 0xFF, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03,
            0x80, 0x64, 0x80, 0xC8, 0x00, 0x00, 0x01, 0x2C, 0x01,
            0x80, 0x6E, 0x80, 0xD2, 0x00, 0x08, 0x01, 0x40, 0x01,
            0x80, 0x6E, 0x80, 0xD2, 0x00, 0x10, 0x00, 0x00, 0x00,
        ]
        #expect(file.bytes == bytes)
        #expect(bytes.count == 65)
    }

    @Test(
        "scaling values hold the nearest number that can be had",
        arguments: [
            (1000.0, 0xCFA0), (20_000, 0xF1C4), (1, 0x8000), (65_520, 0xFFFF), (0x1p-16, 0x0000), (1.9999, 0x8800),
            (11_812, 0xEB89),
        ])
    func scaling(value: Double, word: Int) { #expect(ISO19794Scaling(value)?.word == UInt16(word)) }

    @Test("scaling values beyond the format are none", arguments: [0, -1, 65_521, 0x1p-17, .nan, .infinity])
    func noScaling(value: Double) { #expect(ISO19794Scaling(value) == nil) }

    @Test("a stroke in units of 20 um from the lower left corner, y up, in milliseconds, with its lift")
    func stroke() throws {
        let record = CaptureRecord.pad(
            pressure: pressure,
            entries: [.stroke([(700_000, 1000, 2000, 300), (708_400, 1010, 2001, 320)]), .stroke([(900_000, 0, 0, 1)])])
        let file = try ISO19794Reader(ISO19794Encoder.encode(record))
        #expect(Set(file.channels.keys) == ["X", "Y", "T", "F", "S"])
        #expect(file.channels["X"]?.scaling == 50_000 && file.channels["T"]?.scaling == 1000)
        #expect(file.channels["X"]?.minimum == 0 && file.channels["X"]?.maximum == 5000)
        #expect(file.channels["Y"]?.maximum == 3000)
        #expect(file.channels["F"]?.scaling == nil && file.channels["F"]?.maximum == 1023)
        #expect(
            file.points == [
                ["X": 500, "Y": 2000, "T": 0, "F": 300, "S": 1], ["X": 505, "Y": 2000, "T": 8, "F": 320, "S": 1],
                ["X": 505, "Y": 2000, "T": 8, "F": 0, "S": 0], ["X": 0, "Y": 3000, "T": 200, "F": 1, "S": 1],
                ["X": 0, "Y": 3000, "T": 200, "F": 0, "S": 0],
            ])
    }

    @Test("movement in the air is points whose tip is up and whose force is the least")
    func inAir() throws {
        let record = CaptureRecord.pad(
            pressure: pressure,
            entries: [
                .stroke([(0, 1000, 2000, 300)]), .inAir([(8000, 1100, 2100, nil), (16_000, 1200, 2200, nil)]),
                .stroke([(24_000, 1300, 2300, 200)]), .inAir([(32_000, 1400, 2400, nil)]),
            ])
        let file = try ISO19794Reader(ISO19794Encoder.encode(record))
        #expect(
            file.points == [
                ["X": 500, "Y": 2000, "T": 0, "F": 300, "S": 1], ["X": 500, "Y": 2000, "T": 0, "F": 0, "S": 0],
                ["X": 550, "Y": 1950, "T": 8, "F": 0, "S": 0], ["X": 600, "Y": 1900, "T": 16, "F": 0, "S": 0],
                ["X": 650, "Y": 1850, "T": 24, "F": 200, "S": 1], ["X": 650, "Y": 1850, "T": 24, "F": 0, "S": 0],
            ])
        let all = try ISO19794Reader(ISO19794Encoder.encode(record, strokes: .all))
        #expect(all.points.last == ["X": 700, "Y": 1800, "T": 32, "F": 0, "S": 0])
    }

    @Test(
        "random records are read back: places to half a unit, times to half a tick",
        arguments: 0..<60 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        let record = CaptureRecord.random(seed: seed)
        for selection in StrokeSelection.allCases {
            let file = try ISO19794Reader(ISO19794Encoder.encode(record, strokes: selection))
            let strokes = record.strokes(selection)
            let samples = strokes.flatMap(\.samples)
            // Only when one scale was measured at every sample.
            let hasForce = !samples.isEmpty && samples.allSatisfy { $0.pressure != nil }
            #expect((file.channels["F"] != nil) == hasForce)
            let down = file.points.filter { $0["S"] == 1 }
            let inAir = record.traces(selection).reduce(0) { count, trace in
                if case .inAir(let movement) = trace { count + movement.samples.count } else { count }
            }
            #expect(down.count == samples.count && file.points.count == samples.count + strokes.count + inAir)
            #expect(file.points.split { $0["S"] == 0 }.map(\.count) == strokes.map(\.samples.count))
            let first = samples.map(\.microseconds).min() ?? 0
            let devices = strokes.flatMap { stroke in stroke.samples.map { _ in stroke.device } }
            for (point, (sample, device)) in zip(down, zip(samples, devices)) {
                let place = record.millimetres(sample, device)
                let x = try #require(point["X"]), y = try #require(point["Y"]), time = try #require(point["T"])
                #expect(abs(Double(x) / 50 - place.x) <= 0.0101)
                #expect(abs(60 - Double(y) / 50 - place.y) <= 0.0101)
                #expect(abs(Double(time) - Double(sample.microseconds - first) / 1000) <= 0.501)
                #expect(point["F"] == (hasForce ? sample.pressure.map(Int.init) : nil))
            }
        }
    }

    @Test("a capture beyond 65.535 s keeps its milliseconds as steps; longer or backward steps make ticks longer")
    func times() throws {
        func expect(_ microseconds: [Int64], _ kind: ISO19794File.Kind, _ rate: Int, _ values: [Int]) throws {
            let time = try ISO19794Time(microseconds: microseconds)
            #expect(time.kind == kind && time.rate == rate && time.values == values)
        }
        try expect([7, 65_535_007], .time, 1000, [0, 65_535])
        try expect([0, 40_000_400, 80_000_800], .timeStep, 1000, [0, 40_000, 40_001])
        try expect([0, 70_000_000], .time, 500, [0, 35_000])
        try expect([0, 40_000_000, 39_000_000, 80_000_000], .time, 500, [0, 20_000, 19_500, 40_000])
        try expect([3_000_000, 1_000_000], .time, 1000, [2000, 0])
        #expect(try ISO19794Time(microseconds: [0, 65_535_000_000]).rate == 1)
        #expect(try ISO19794Time(microseconds: []).values.isEmpty)
        for times: [Int64] in [[0, 65_536_000_000], [.min, .max]] {
            #expect(throws: ExportError.self) { try ISO19794Time(microseconds: times) }
        }
    }

    @Test("a long capture is read back from steps")
    func longCapture() throws {
        let samples = (0..<100).map { (Int64($0) * 1_000_300, Int32(2000 + $0 * 10), Int32(3000), Int32?.none) }
        let file = try ISO19794Reader(ISO19794Encoder.encode(.pad(entries: [.stroke(samples)])))
        #expect(file.channels["T"] == nil && file.channels["DT"]?.scaling == 1000 && file.channels["F"] == nil)
        var sum = 0
        for (point, sample) in zip(file.points, samples) {
            sum += point["DT"] ?? -1
            #expect(abs(Double(sum) - Double(sample.0) / 1000) <= 0.501)
        }
    }

    @Test("pressure that some samples lack is left out, not made up")
    func missingPressure() throws {
        let record = CaptureRecord.pad(pressure: pressure, entries: [.stroke([(0, 1, 1, nil), (8000, 2, 2, 5)])])
        #expect(try ISO19794Reader(ISO19794Encoder.encode(record)).channels["F"] == nil)
    }

    @Test("of two devices places are one screen's; pressure is there only when both measure it on the same axis")
    func devices() throws {
        let entries = [CaptureEntry.stroke([(0, 2000, 3000, 300)]), .stroke([(8000, 4000, 7000, 600)], device: 1)]
        func file(_ first: CaptureDevice.Axis?, _ second: CaptureDevice.Axis?) throws -> ISO19794Reader {
            let pen = CaptureRecord.pen(pressure: second)
            return try ISO19794Reader(
                ISO19794Encoder.encode(.pad(pressure: first, pen: pen, entries: entries)))
        }
        let same = try file(pressure, pressure)
        #expect(same.points.map { [$0["X"], $0["Y"], $0["F"], $0["S"]] } == [
            [1000, 1500, 300, 1], [1000, 1500, 0, 0], [1050, 1300, 600, 1], [1050, 1300, 0, 0],
        ])
        for other in [nil, CaptureDevice.Axis(minimum: 0, maximum: 8191, resolution: 0)] {
            for file in try [file(pressure, other), file(other, pressure)] {
                #expect(file.channels["F"] == nil && file.points.map { $0["X"] } == [1000, 1000, 1050, 1050])
            }
        }
    }

    @Test("pressure of a device that says it measures none is none")
    func inventedPressure() throws {
        let record = CaptureRecord.pad(entries: [.stroke([(0, 1, 1, 5)])])
        #expect(try ISO19794Reader(ISO19794Encoder.encode(record)).channels["F"] == nil)
    }

    @Test("a large screen has coarser units, and samples beyond the screen stay on the positive side")
    func largeScreen() throws {
        var record = CaptureRecord.pad(entries: [.stroke([(0, -1000, 7000, nil), (8, 0, 0, nil)])])
        let file = try ISO19794Reader(ISO19794Encoder.encode(record))
        #expect(file.points.first.map { [$0["X"], $0["Y"]] } == [0, 0])
        #expect(file.points[1]["X"] == 500 && file.points[1]["Y"] == 3500)
        record.header.screen.width = 10_000
        let coarse = try ISO19794Reader(ISO19794Encoder.encode(record))
        #expect(coarse.channels["X"]?.scaling == 20_000 && coarse.channels["X"]?.maximum == 20_200)
    }

    @Test("no strokes are a file without points")
    func empty() throws {
        #expect(try ISO19794Reader(ISO19794Encoder.encode(.pad())).points.isEmpty)
    }

    @Test("records that the format cannot hold are refused, each with its reason")
    func refused() {
        let entries = [CaptureEntry.stroke([(0, 1, 1, 70_000)])]
        var record = CaptureRecord.pad(pressure: .init(minimum: 0, maximum: 70_000, resolution: 0), entries: entries)
        #expect(reason(record).contains("a pressure in it is beyond 0...65535"))
        record.header.devices[0].pressure = .init(minimum: -5, maximum: 100, resolution: 0)
        #expect(reason(record).contains("a pressure in it"))
        record.header.screen.width = 1_000_000
        #expect(reason(record).contains("more than 32 metres"))
        record.header.screen.pixelsPerMillimetre = .nan
        #expect(reason(record).contains("how large its screen was"))
        record.header.devices[0].transform = [1, 0, 0, 1, 0, .infinity]
        #expect(reason(record).contains("where on the screen"))
        record.header.devices[0].transform = [1]
        #expect(reason(record).contains("where on the screen"))
    }

    private func reason(_ record: CaptureRecord) -> String {
        (thrownError { try ISO19794Encoder.encode(record) } as? ExportError)?.description ?? ""
    }
}
