// SPDX-License-Identifier: Apache-2.0
import Geometry
public import Record

/// Writes a record in the full format of ISO/IEC 19794-7:2007, for programs that examine signatures.
///
/// Channels: X, Y, T or DT (`ISO19794Time`), F if all samples have a pressure on one scale, and S. Positions count from
/// the lower left corner of the screen, y up. docs/formats.md has details and what the standard leaves open.
public enum ISO19794Encoder {
    static let name = "ISO/IEC 19794-7:2007"
    /// Units per metre; the first one with which the screen fits is used: 20 um for screens up to 65 cm, 1 mm for 32 m.
    private static let placeRates = [50_000.0, 20_000, 10_000, 5000, 2000, 1000]
    /// X and Y are never negative, because readers disagree about signed values.
    private static let placeMaximum = 32_767.0

    private struct Place {
        var x, y: Int
    }

    /// One point of the file in device units.
    private struct Sample {
        var microseconds: Int64
        var x, y: Int32
        var device: Int
        /// nil in the air.
        var pressure: Int32?
        var isDown: Bool
    }

    /// - Throws: ``ExportError``: ``ExportError/noPlaces``, ``ExportError/sizeUnknown(format:)``, or
    ///   ``ExportError/inexpressible(format:what:)`` for a record that was not accepted, for a capture of more than 18
    ///   hours, 16,777,215 samples or 32 m, or with pressures beyond 0...65,535.
    public static func encode(_ record: CaptureRecord) throws(ExportError) -> [UInt8] {
        guard record.isAccepted else {
            throw .inexpressible(format: name, what: "it was not accepted, and the format cannot say so")
        }
        let plane = try CapturePlane(record.header)
        guard let density = plane.density else { throw .sizeUnknown(format: name) }
        let strokes = record.visibleStrokes.filter { !$0.samples.isEmpty }
        let samples = samples(of: record.traces)
        guard samples.count <= ISO19794File.maximumPointCount else {
            throw .inexpressible(format: name, what: "it has more than \(ISO19794File.maximumPointCount) samples")
        }

        let places = try places(of: samples, plane, density)
        let time = try ISO19794Time(microseconds: samples.map(\.microseconds))
        let force = try force(record, strokes)

        var channels = [
            ISO19794File.Channel(kind: .x, scaling: places.scaling, range: 0...places.extent.x),
            ISO19794File.Channel(kind: .y, scaling: places.scaling, range: 0...places.extent.y),
            ISO19794File.Channel(kind: time.kind, scaling: ISO19794Scaling(Double(time.rate))),
        ]
        // Newtons are unknown, so force has a range but no scaling value.
        if let force { channels.append(.init(kind: .force, range: force)) }
        channels.append(.init(kind: .tip))

        var points: [[Int]] = []
        points.reserveCapacity(samples.count)
        for (index, sample) in samples.enumerated() {
            let place = places.places[index]
            var point = [place.x, place.y, time.values[index]]
            if let force { point.append(sample.pressure.map(Int.init) ?? force.lowerBound) }
            points.append(point + [sample.isDown ? 1 : 0])
        }
        return ISO19794File(channels: channels, points: points).bytes
    }

    private static func samples(of traces: [CaptureTrace]) -> [Sample] {
        var samples: [Sample] = []
        for trace in traces {
            let own = trace.samples.map {
                Sample(
                    microseconds: $0.microseconds, x: $0.x, y: $0.y, device: trace.device, pressure: $0.pressure,
                    isDown: trace.isDown)
            }
            samples += own
            guard trace.isDown, var lift = own.last else { continue }
            // So that the next stroke does not join this one. A record has no time for it.
            (lift.isDown, lift.pressure) = (false, nil)
            samples.append(lift)
        }
        return samples
    }

    /// Positions from the lower left corner of the screen, their maximum, and the scaling.
    private static func places(
        of samples: [Sample], _ plane: CapturePlane, _ density: PixelDensity
    ) throws(ExportError) -> (places: [Place], extent: Place, scaling: ISO19794Scaling) {
        var points: [Point] = []
        for sample in samples { points.append(try plane.position(x: sample.x, y: sample.y, of: sample.device)) }
        let bounds = plane.screenBounds
        let metresPerPixel = 0.001 / density.pixelsPerMillimetre
        let extent = max(bounds.width, bounds.height) * metresPerPixel
        guard let rate = placeRates.first(where: { (extent * $0).rounded() <= placeMaximum }),
            let scaling = ISO19794Scaling(rate)
        else {
            throw .inexpressible(format: name, what: "it extends over more than 32 metres")
        }
        func units(_ pixels: Double) -> Int { Int((pixels * metresPerPixel * rate).rounded()) }
        return (
            points.map { Place(x: units($0.x), y: units(bounds.height - $0.y)) },
            Place(x: units(bounds.width), y: units(bounds.height)), scaling
        )
    }

    /// The range of the pressure axis. nil unless all samples have a pressure, because the format cannot mark missing
    /// ones, and if devices with different axes drew, because the file has one channel with one range.
    private static func force(
        _ record: CaptureRecord, _ strokes: [CaptureStroke]
    ) throws(ExportError) -> ClosedRange<Int>? {
        let axes = Set(strokes.map(\.device)).map { record.measuredPressure(of: $0, in: strokes) }
        guard let first = axes.first, let axis = first else { return nil }
        guard axes.allSatisfy({ $0?.minimum == axis.minimum && $0?.maximum == axis.maximum }) else { return nil }
        let values = strokes.flatMap { $0.samples.map(\.pressure) }
        guard values.allSatisfy({ $0 != nil }) else { return nil }
        let allowed = ISO19794File.Kind.force.range
        let range = Int(axis.minimum)...Int(axis.maximum)
        guard allowed.contains(range.lowerBound), allowed.contains(range.upperBound),
            values.allSatisfy({ allowed.contains(Int($0!)) })
        else {
            throw .inexpressible(format: name, what: "a pressure in it is out of the range 0...65535")
        }
        return range
    }
}

/// The time channel, which has 16 bits: T counts from the first sample, DT from sample to sample.
struct ISO19794Time: Equatable {
    private static let maximum = 65_535
    /// Ticks per second of most captures: milliseconds, as other programs write.
    private static let usualRate = 1000
    /// Rates for steps that are too long for milliseconds or lead back in time; the last one lasts 18 hours.
    private static let lowerRates = [500, 250, 200, 125, 100, 50, 25, 20, 10, 5, 2, 1]

    let kind: ISO19794File.Kind
    /// Ticks per second.
    let rate: Int
    /// The value of each sample, 0...65,535 ticks.
    let values: [Int]

    /// T in milliseconds if the whole capture fits into 65.535 s; else DT in milliseconds if each step does, which
    /// keeps the dynamics; else T in longer ticks.
    /// - Parameter microseconds: of each sample; any value.
    init(microseconds: [Int64]) throws(ExportError) {
        guard let first = microseconds.min(), let last = microseconds.max() else {
            (kind, rate, values) = (.time, Self.usualRate, [])
            return
        }
        let (span, isOverflown) = last.subtractingReportingOverflow(first)
        guard !isOverflown, span / 1_000_000 <= Self.maximum else { throw Self.tooLong }
        func ticks(_ rate: Int) -> [Int] {
            microseconds.map { (Int($0 - first) * rate + 500_000) / 1_000_000 }
        }
        func fits(_ values: [Int]) -> Bool { values.allSatisfy { 0...Self.maximum ~= $0 } }

        let usual = ticks(Self.usualRate)
        if fits(usual) {
            (kind, rate, values) = (.time, Self.usualRate, usual)
            return
        }
        // Differences of rounded times, whose sum does not drift.
        let steps = [0] + zip(usual.dropFirst(), usual).map { $0 - $1 }
        if fits(steps) {
            (kind, rate, values) = (.timeStep, Self.usualRate, steps)
            return
        }
        for lower in Self.lowerRates {
            let values = ticks(lower)
            if fits(values) {
                (kind, rate, self.values) = (.time, lower, values)
                return
            }
        }
        throw Self.tooLong
    }

    private static var tooLong: ExportError {
        .inexpressible(format: ISO19794Encoder.name, what: "it lasts longer than 65,535 seconds")
    }
}

/// The bytes of a file: header, channel descriptions, points.
///
/// Signed values are written as offset binary, and no channel as constant (docs/formats.md).
struct ISO19794File {
    /// Channels that a touch panel measures. Raw values are their bits in the channel inclusion field.
    enum Kind: Int, CaseIterable {
        case x = 15
        case y = 14
        case time = 8
        case timeStep = 7
        case force = 6
        case tip = 5

        /// The values that a point can have.
        var range: ClosedRange<Int> {
            switch self {
            case .x, .y: -32_768...32_767
            case .time, .timeStep, .force: 0...65_535
            case .tip: 0...255
            }
        }

        fileprivate var isSigned: Bool { self == .x || self == .y }
    }

    struct Channel {
        var kind: Kind
        var scaling: ISO19794Scaling?
        /// The minimum and the maximum, within ``Kind/range``.
        var range: ClosedRange<Int>?
    }

    /// The number of points is stored in three bytes.
    static let maximumPointCount = 0xFF_FFFF

    /// Each kind at most once, in the order of descending bits.
    var channels: [Channel]
    /// A value for each point and channel, within its ``Kind/range``; at most ``maximumPointCount`` points.
    var points: [[Int]]

    var bytes: [UInt8] {
        precondition(points.count <= Self.maximumPointCount, "the caller checks the count")
        // Identifier and version, each four characters.
        var bytes = Array("SDI\0 10\0".utf8)
        bytes.append(channels.reduce(UInt16(0)) { $0 | UInt16(1) << UInt16($1.kind.rawValue) })
        for channel in channels {
            // Bits from 7: scaling, minimum, maximum; never mean, deviation, constant and linear.
            let (scalingBit, rangeBits): (UInt8, UInt8) = (0x80, 0x60)
            bytes.append((channel.scaling == nil ? 0 : scalingBit) | (channel.range == nil ? 0 : rangeBits))
            if let scaling = channel.scaling { bytes.append(scaling.word) }
            if let range = channel.range {
                bytes.append(Self.word(range.lowerBound, channel.kind))
                bytes.append(Self.word(range.upperBound, channel.kind))
            }
        }
        // Reserved, no extended data.
        bytes += [0, 0]
        bytes += [UInt8(points.count >> 16), UInt8(points.count >> 8 & 0xFF), UInt8(points.count & 0xFF)]
        for point in points {
            for (channel, value) in zip(channels, point) {
                switch channel.kind {
                case .tip: bytes.append(UInt8(value))
                default: bytes.append(Self.word(value, channel.kind))
                }
            }
        }
        return bytes
    }

    private static func word(_ value: Int, _ kind: Kind) -> UInt16 {
        UInt16(kind.isSigned ? value + 32_768 : value)
    }
}

extension [UInt8] {
    /// Appends a word, high byte first.
    fileprivate mutating func append(_ word: UInt16) {
        append(UInt8(word >> 8))
        append(UInt8(word & 0xFF))
    }
}

/// A scaling value: 5 bits of exponent E + 16, 11 bits of fraction F; (1 + F/2048) 2^E. A channel's value divided by it
/// is in metres for positions, in seconds for times.
struct ISO19794Scaling: Equatable {
    static let range = 0x1p-16...65_520

    let word: UInt16

    /// The nearest scaling value; nil outside ``range``.
    init?(_ value: Double) {
        guard Self.range.contains(value) else { return nil }
        var exponent = Int(value.exponent)
        var fraction = Int(((value.significand - 1) * 2048).rounded())
        if fraction == 2048 { (exponent, fraction) = (exponent + 1, 0) }
        word = UInt16((exponent + 16) << 11 | fraction)
    }
}
