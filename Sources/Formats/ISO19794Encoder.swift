// SPDX-License-Identifier: Apache-2.0
import Geometry
public import Record

/// A record as signature data in the full format of ISO/IEC 19794-7:2007, for programs that examine signatures.
///
/// Channels X, Y, T or DT (`ISO19794Time`), F where one scale of pressure was measured at every sample, and S.
/// Places are counted from the lower left corner of the screen, y up. docs/formats.md has more, and what the standard
/// leaves open.
public enum ISO19794Encoder {
    static let name = "ISO/IEC 19794-7:2007"
    /// Units per metre to choose from: the finest one with which the screen fits. 20 um, for screens up to 65 cm wide,
    /// to 1 mm, for 32 m.
    private static let placeRates = [50_000.0, 20_000, 10_000, 5000, 2000, 1000]
    /// Values of X and Y are never negative, so that readers that disagree about the sign read the same.
    private static let placeMaximum = 32_767.0

    private struct Place {
        var x, y: Int
    }

    /// One point of the file, as it was reported.
    private struct Sample {
        var microseconds: Int64
        var x, y: Int32
        var device: Int
        /// Only where the tip is down.
        var pressure: Int32?
        var isDown: Bool
    }

    /// - Throws: ``ExportError``: ``ExportError/noPlaces``, ``ExportError/sizeUnknown(format:)``, or
    ///   ``ExportError/inexpressible(format:what:)`` for a record that was not accepted, for a capture of more than 18
    ///   hours, 16,777,215 samples or 32 m, or with pressures beyond 0...65,535.
    public static func encode(
        _ record: CaptureRecord, strokes selection: StrokeSelection = .visible
    ) throws(ExportError) -> [UInt8] {
        guard record.isAccepted else {
            throw .inexpressible(format: name, what: "it was not accepted, and the format has no place to say so")
        }
        let plane = try CapturePlane(record.header)
        guard let density = plane.density else { throw .sizeUnknown(format: name) }
        let strokes = record.strokes(selection).filter { !$0.samples.isEmpty }
        let samples = samples(of: record.traces(selection))
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
        // Newtons are not known, so that force has no scaling value, only its ends.
        if let force { channels.append(.init(kind: .force, range: force)) }
        channels.append(.init(kind: .tip))

        var points: [[Int]] = []
        points.reserveCapacity(samples.count)
        for (index, sample) in samples.enumerated() {
            let place = places.places[index]
            var point = [place.x, place.y, time.values[index]]
            // Nothing presses in the air.
            if let force { point.append(sample.pressure.map(Int.init) ?? force.lowerBound) }
            points.append(point + [sample.isDown ? 1 : 0])
        }
        return ISO19794File(channels: channels, points: points).bytes
    }

    private static func samples(of traces: [CaptureTrace]) -> [Sample] {
        var samples: [Sample] = []
        for trace in traces {
            switch trace {
            case .stroke(let stroke):
                samples += stroke.samples.map {
                    Sample(
                        microseconds: $0.microseconds, x: $0.x, y: $0.y, device: stroke.device, pressure: $0.pressure,
                        isDown: true)
                }
                guard let last = stroke.samples.last else { continue }
                // Where the pen lifted, so that the next stroke does not join this one. The lift has no time of its
                // own in a record: it is that of the last sample.
                samples.append(
                    Sample(
                        microseconds: last.microseconds, x: last.x, y: last.y, device: stroke.device, pressure: nil,
                        isDown: false))
            case .inAir(let movement):
                samples += movement.samples.map {
                    Sample(
                        microseconds: $0.microseconds, x: $0.x, y: $0.y, device: movement.device, pressure: nil,
                        isDown: false)
                }
            }
        }
        return samples
    }

    /// Places in units from the lower left corner of the screen, or of what lies beyond it; and how far they can be.
    private static func places(
        of samples: [Sample], _ plane: CapturePlane, _ density: PixelDensity
    ) throws(ExportError) -> (places: [Place], extent: Place, scaling: ISO19794Scaling) {
        var points: [Point] = []
        var bounds = plane.screenBounds ?? .empty
        for sample in samples {
            let point = try plane.position(x: sample.x, y: sample.y, of: sample.device)
            points.append(point)
            bounds.include(point)
        }
        if points.isEmpty, plane.screenBounds == nil { bounds = Rect(minX: 0, minY: 0, maxX: 0, maxY: 0) }
        let metresPerPixel = 0.001 / density.pixelsPerMillimetre
        let extent = max(bounds.maxX - bounds.minX, bounds.maxY - bounds.minY) * metresPerPixel
        guard let rate = placeRates.first(where: { (extent * $0).rounded() <= placeMaximum }),
            let scaling = ISO19794Scaling(rate)
        else {
            throw .inexpressible(format: name, what: "it reaches over more than 32 metres")
        }
        func units(_ pixels: Double) -> Int { Int((pixels * metresPerPixel * rate).rounded()) }
        return (
            points.map { Place(x: units($0.x - bounds.minX), y: units(bounds.maxY - $0.y)) },
            Place(x: units(bounds.maxX - bounds.minX), y: units(bounds.maxY - bounds.minY)), scaling
        )
    }

    /// The ends of the pressure axis; nil unless every sample has a pressure: the format has no word for "not
    /// measured", and none is made up. Nil also where devices with different axes drew: the file has one channel, with
    /// one pair of ends, and 300 of 1023 is not what 300 of 8191 is.
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
            throw .inexpressible(format: name, what: "a pressure in it is beyond 0...65535")
        }
        return range
    }
}
