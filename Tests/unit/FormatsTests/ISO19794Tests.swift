// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Record
import TestSupport
import Testing

@testable import Formats

@Suite("ISO/IEC 19794-7:2007")
struct ISO19794Tests {
    private let pressure = CaptureDevice.Axis(minimum: 0, maximum: 1023, resolution: 0)

    /// Three points, laid out by hand.
    @Test("the bytes are those laid out by hand from the standard's description")
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
        "scaling values are the nearest ones",
        arguments: [
            (1000.0, 0xCFA0), (20_000, 0xF1C4), (1, 0x8000), (65_520, 0xFFFF), (0x1p-16, 0x0000), (1.9999, 0x8800),
            (11_812, 0xEB89),
        ])
    func scaling(value: Double, word: Int) { #expect(ISO19794Scaling(value)?.word == UInt16(word)) }

    @Test("values outside the format have no scaling value", arguments: [0, -1, 65_521, 0x1p-17, .nan, .infinity])
    func noScaling(value: Double) { #expect(ISO19794Scaling(value) == nil) }

    @Test("a stroke has units of 20 um from the lower left corner, y up, milliseconds, and its lift")
    func stroke() throws {
        let record = CaptureRecord.pad(
            pressure: pressure,
            entries: [
                .stroke([(700_000, 1000, 2000, 300), (708_400, 1010, 2001, 320)]), .stroke([(900_000, 0, 0, 1)]),
            ])
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

    @Test("points in the air have the tip up and the minimum force")
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
    }

    @Test(
        "random records are read back, positions to half a unit and times to half a tick",
        arguments: Breadth.seeds(10, long: 60))
    func roundTrip(seed: UInt64) throws {
        let record = CaptureRecord.random(seed: seed)
        let file = try ISO19794Reader(ISO19794Encoder.encode(record))
        let strokes = record.visibleStrokes
        let samples = strokes.flatMap(\.samples)
        // Only if all samples have a pressure on one scale, and it varies.
        let isMeasured = Set(samples.map(\.pressure)).subtracting([0]).count > 1
        let hasForce = isMeasured && samples.allSatisfy { $0.pressure != nil }
        #expect((file.channels["F"] != nil) == hasForce)
        let down = file.points.filter { $0["S"] == 1 }
        let inAir = record.traces.reduce(0) { count, trace in
            if case .inAir(let movement) = trace { count + movement.samples.count } else { count }
        }
        #expect(down.count == samples.count && file.points.count == samples.count + strokes.count + inAir)
        #expect(file.points.split { $0["S"] == 0 }.map(\.count) == strokes.map(\.samples.count))
        let first = samples.map(\.microseconds).min() ?? 0
        let devices = strokes.flatMap { stroke in stroke.samples.map { _ in stroke.device } }
        for (point, (sample, device)) in zip(down, zip(samples, devices)) {
            let place = record.millimetres(sample, device)
            let x = try #require(point["X"])
            let y = try #require(point["Y"])
            let time = try #require(point["T"])
            #expect(abs(Double(x) / 50 - place.x) <= 0.0101)
            #expect(abs(60 - Double(y) / 50 - place.y) <= 0.0101)
            #expect(abs(Double(time) - Double(sample.microseconds - first) / 1000) <= 0.501)
            #expect(point["F"] == (hasForce ? sample.pressure.map(Int.init) : nil))
        }
    }

    @Test("a capture above 65.535 s has steps in milliseconds, or longer ticks if a step does not fit")
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

    @Test("a long capture is read back from its steps")
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

    @Test("pressure is left out if some samples have none")
    func missingPressure() throws {
        let record = CaptureRecord.pad(pressure: pressure, entries: [.stroke([(0, 1, 1, nil), (8000, 2, 2, 5)])])
        #expect(try ISO19794Reader(ISO19794Encoder.encode(record)).channels["F"] == nil)
    }

    @Test("a pressure that never changes is no force: at 0, full, beyond the axis, half with 0 at the lift")
    func constantPressure() throws {
        for values: [Int32?] in [[0, 0, 0], [1023, 1023, 1023], [1023, 2000, 1500], [511, 511, 0], [7, nil, 7]] {
            let samples = values.enumerated().map { (Int64($0) * 8000, Int32($0), Int32(5), $1) }
            let record = CaptureRecord.pad(pressure: pressure, entries: [.stroke(samples), .stroke(samples)])
            #expect(try ISO19794Reader(ISO19794Encoder.encode(record)).channels["F"] == nil)
            #expect(try !String(decoding: InkMLEncoder.encode(record), as: UTF8.self).contains("\"F\""))
            #expect(try !String(decoding: SignaturePadJSONEncoder.encode(record), as: UTF8.self).contains("pressure"))
            let rows = try String(decoding: CSVEncoder.encode(record), as: UTF8.self).split(separator: "\r\n")
            let fields = rows.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
            #expect(fields.allSatisfy { $0[4].isEmpty })
        }
    }

    @Test("two devices share the screen's positions, and have pressure only if both have the same axis")
    func devices() throws {
        let entries = [
            CaptureEntry.stroke([(0, 2000, 3000, 300), (4000, 2000, 3000, 310)]),
            .stroke([(8000, 4000, 7000, 600), (12_000, 4000, 7000, 610)], device: 1),
        ]
        func file(_ first: CaptureDevice.Axis?, _ second: CaptureDevice.Axis?) throws -> ISO19794Reader {
            let pen = CaptureRecord.pen(pressure: second)
            return try ISO19794Reader(
                ISO19794Encoder.encode(.pad(pressure: first, pen: pen, entries: entries)))
        }
        let same = try file(pressure, pressure)
        #expect(
            same.points.map { [$0["X"], $0["Y"], $0["F"], $0["S"]] } == [
                [1000, 1500, 300, 1], [1000, 1500, 310, 1], [1000, 1500, 0, 0], [1050, 1300, 600, 1],
                [1050, 1300, 610, 1], [1050, 1300, 0, 0],
            ])
        for other in [nil, CaptureDevice.Axis(minimum: 0, maximum: 8191, resolution: 0)] {
            for file in try [file(pressure, other), file(other, pressure)] {
                #expect(
                    file.channels["F"] == nil && file.points.map { $0["X"] } == [1000, 1000, 1000, 1050, 1050, 1050])
            }
        }
    }

    @Test("pressures of a device without a pressure axis are ignored")
    func inventedPressure() throws {
        let record = CaptureRecord.pad(entries: [.stroke([(0, 1, 1, 5)])])
        #expect(try ISO19794Reader(ISO19794Encoder.encode(record)).channels["F"] == nil)
    }

    @Test("a large screen has coarser units, and samples beyond the screen are on its edge, as the person saw them")
    func largeScreen() throws {
        var record = CaptureRecord.pad(entries: [.stroke([(0, -1000, 7000, nil), (8, 0, 0, nil)])])
        let file = try ISO19794Reader(ISO19794Encoder.encode(record))
        #expect(file.points.first.map { [$0["X"], $0["Y"]] } == [0, 0])
        #expect(file.points[1]["X"] == 0 && file.points[1]["Y"] == 3000)
        record.header.screen.width = 10_000
        let coarse = try ISO19794Reader(ISO19794Encoder.encode(record))
        #expect(coarse.channels["X"]?.scaling == 20_000 && coarse.channels["X"]?.maximum == 20_000)
    }

    @Test("a record without strokes gives a file without points")
    func empty() throws {
        #expect(try ISO19794Reader(ISO19794Encoder.encode(.pad())).points.isEmpty)
    }

    @Test("records that the format cannot express are refused with the reason")
    func refused() {
        let entries = [CaptureEntry.stroke([(0, 1, 1, 50), (8, 1, 1, 70_000)])]
        var record = CaptureRecord.pad(pressure: .init(minimum: 0, maximum: 70_000, resolution: 0), entries: entries)
        #expect(reason(record).contains("a pressure in it is out of the range 0...65535"))
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

/// Reads the full format of ISO/IEC 19794-7:2007, written from the standard's description and not from our writer's
/// code: all 18 channels, all parts of a channel description.
struct ISO19794Reader {
    /// Names of the bits of the channel inclusion field, 15 first.
    static let names = [
        "X", "Y", "Z", "VX", "VY", "AX", "AY", "T", "DT", "F", "S", "TX", "TY", "Az", "El", "R",
    ]
    private static let signed: Set = ["X", "Y", "VX", "VY", "AX", "AY", "TX", "TY"]

    struct Channel {
        var scaling: Double?
        var minimum, maximum: Int?
    }

    struct Malformed: Error {}

    private(set) var channels: [String: Channel] = [:]
    private(set) var points: [[String: Int]] = []
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) throws {
        rest = bytes[...]
        for expected: UInt8 in [0x53, 0x44, 0x49, 0, 0x20, 0x31, 0x30, 0] where try next() != expected {
            throw Malformed()
        }
        let inclusion = try word()
        let included = Self.names.enumerated().filter { inclusion >> (15 - $0.offset) & 1 == 1 }.map(\.element)
        var constant: Set<String> = []
        for name in included {
            let preamble = try next()
            var channel = Channel()
            if preamble & 0x80 != 0 {
                let word = try word()
                var value = 1 + Double(word & 0x7FF) / 2048
                let exponent = (word >> 11) - 16
                for _ in 0..<abs(exponent) { value = exponent < 0 ? value / 2 : value * 2 }
                channel.scaling = value
            }
            if preamble & 0x40 != 0 { channel.minimum = try value(name) }
            if preamble & 0x20 != 0 { channel.maximum = try value(name) }
            if preamble & 0x10 != 0 { _ = try value(name) }
            if preamble & 0x08 != 0 { _ = try value(name) }
            if preamble & 0x04 != 0 { constant.insert(name) }
            if preamble & 0x01 != 0 { throw Malformed() }
            channels[name] = channel
        }
        guard try next() == 0 else { throw Malformed() }
        let hasExtendedData = try next()
        let count = try Int(next()) << 16 | word()
        for _ in 0..<count {
            var point: [String: Int] = [:]
            for name in included where !constant.contains(name) { point[name] = try value(name) }
            points.append(point)
        }
        guard hasExtendedData == 0, rest.isEmpty else { throw Malformed() }
    }

    private mutating func next() throws -> UInt8 {
        guard let byte = rest.popFirst() else { throw Malformed() }
        return byte
    }

    private mutating func word() throws -> Int { try Int(next()) * 256 + Int(next()) }

    private mutating func value(_ name: String) throws -> Int {
        if name == "S" { return Int(try next()) }
        return try word() - (Self.signed.contains(name) ? 32_768 : 0)
    }
}
