// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

/// Reads strokes from W3C InkML (Recommendation of 20 September 2011): X and Y, with pressure (F) and time (T) if
/// present. docs/formats.md says what is read and what is ignored.
public enum InkMLDecoder {
    /// More than a century; microseconds would overflow.
    private static let maximumMilliseconds = 4e12
    /// The maximum in any unit. No digitizer is this large, and later arithmetic stays exact.
    private static let maximumCoordinate = 1e9
    /// One stroke with pressures as in the file.
    private struct Stroke {
        var points: [ImportedPoint] = []
        var forces: [Double?] = []
        var context: InkMLDocument.ContextChoice
    }

    public static func decode(_ bytes: [UInt8]) throws(ImportError) -> ImportedInk {
        let document = try InkMLDocument(bytes)
        var layouts: [InkMLDocument.ContextChoice: InkMLLayout] = [:]
        var strokes: [Stroke] = []
        var strokeOfTrace: [String: Int] = [:]
        var unit: ImportedInk.Unit?
        var leftOutCount = 0
        for (index, trace) in document.traces.enumerated() {
            if layouts[trace.context] == nil { layouts[trace.context] = try document.layout(of: trace.context) }
            let layout = layouts[trace.context]!
            if let unit, unit != layout.unit {
                throw .malformedInkML("some traces have sizes and others have none, or pixels", line: nil)
            }
            unit = layout.unit
            let prior = trace.priorRef.flatMap { strokeOfTrace[$0] } ?? strokes.indices.last
            let number: Int
            if trace.isContinuation, let prior {
                number = prior
            } else {
                number = strokes.count
                strokes.append(Stroke(context: trace.context))
            }
            if let id = trace.id { strokeOfTrace[id] = number }
            leftOutCount += try append(trace, number: index, layout, to: &strokes[number])
        }
        if leftOutCount > 0, strokes.allSatisfy(\.points.isEmpty) {
            throw .malformedInkML("none of its \(leftOutCount) points has a position", line: nil)
        }
        return ImportedInk(
            unit: unit ?? .arbitrary, strokes: samples(of: strokes, layouts).filter { !$0.isEmpty },
            hasTimes: strokes.contains { $0.points.hasTimes || layouts[$0.context]?.sampleRate != nil },
            leftOutCount: leftOutCount)
    }

    /// - Returns: the number of points that were left out, because they have no position.
    private static func append(
        _ trace: InkMLDocument.Trace, number: Int, _ layout: InkMLLayout, to stroke: inout Stroke
    ) throws(ImportError) -> Int {
        var leftOutCount = 0
        do throws(InkMLTrace.Malformed) {
            var number = -1
            try InkMLTrace.forEachPoint(trace.bytes, layout.format) { point throws(InkMLTrace.Malformed) in
                number += 1
                guard let x = point[layout.x], let y = point[layout.y] else {
                    leftOutCount += 1
                    return
                }
                let position = Point(x: x * layout.xScale, y: y * layout.yScale)
                let milliseconds = layout.time.flatMap { point[$0] }.map { $0 * layout.timeScale }
                guard abs(position.x) <= maximumCoordinate, abs(position.y) <= maximumCoordinate,
                    abs(milliseconds ?? 0) <= maximumMilliseconds
                else { throw InkMLTrace.Malformed(point: number, reason: "is out of range") }
                stroke.points.append(ImportedPoint(position: position, milliseconds: milliseconds))
                stroke.forces.append(layout.force.flatMap { point[$0] })
            }
        } catch {
            throw .malformedInkML("trace \(number + 1), point \(error.point + 1) \(error.reason)", line: nil)
        }
        return leftOutCount
    }

    /// Scales measured pressures to the stated maximum, or else to the largest one.
    private static func samples(
        of strokes: [Stroke], _ layouts: [InkMLDocument.ContextChoice: InkMLLayout]
    ) -> [[Sample]] {
        var ranges: [InkMLDocument.ContextChoice: (minimum: Double, maximum: Double)] = [:]
        var extremes: [InkMLDocument.ContextChoice: (least: Double, most: Double)] = [:]
        var pressures: [InkMLDocument.ContextChoice: MeasuredPressure] = [:]
        for stroke in strokes {
            for force in stroke.forces { pressures[stroke.context, default: MeasuredPressure()].add(force) }
            let forces = stroke.forces.lazy.compactMap { $0 }
            guard let least = forces.min(), let most = forces.max() else { continue }
            let before = extremes[stroke.context] ?? (least, most)
            extremes[stroke.context] = (min(before.least, least), max(before.most, most))
        }
        for (context, (least, most)) in extremes where pressures[context]?.isMeasured == true {
            guard let channel = layouts[context]?.forceChannel else { continue }
            let most = channel.maximum ?? (channel.units == "%" ? 100 : most)
            let range = (minimum: channel.minimum ?? min(0, least), maximum: most)
            if range.minimum < range.maximum { ranges[context] = range }
        }
        return strokes.map { stroke in
            let samples = stroke.points.samples(perSecond: layouts[stroke.context]?.sampleRate)
            guard let range = ranges[stroke.context] else { return samples }
            return zip(samples, stroke.forces).map { sample, force in
                var sample = sample
                sample.pressure = force.map {
                    min(max(($0 - range.minimum) / (range.maximum - range.minimum), 0), 1)
                }
                return sample
            }
        }
    }
}

/// Parses the points of an InkML trace: values, with commas between points. The prefix ' makes a value the difference
/// to the previous one, " the difference of differences, ! an explicit value; a prefix holds for the following values
/// of the channel until the next prefix.
struct InkMLTrace {
    struct Malformed: Error, Equatable {
        var point: Int
        var reason: String
    }

    private enum Order {
        case explicit, first, second
    }

    private struct Channel {
        var order = Order.explicit
        var value: Double?
        var difference = 0.0

        /// - Returns: the channel's value; nil for a difference to a missing value.
        mutating func next(_ number: Double) -> Double? {
            switch order {
            case .explicit:
                value = number
                difference = 0
            case .first:
                difference = number
                value = value.map { $0 + difference }
            case .second:
                difference += number
                value = value.map { $0 + difference }
            }
            return value
        }
    }

    private var bytes: ArraySlice<UInt8>
    private var channels: [Channel]
    private let regularCount: Int
    private var pointCount = 0

    /// Calls `body` with each point. Points are not collected, because a short one may have values for many channels.
    /// - Parameter body: receives a value for each channel, nil if it is missing.
    static func forEachPoint(
        _ bytes: [UInt8], _ format: InkMLFormat, _ body: ([Double?]) throws(Malformed) -> Void
    ) throws(Malformed) {
        var trace = InkMLTrace(
            bytes: bytes[...], channels: Array(repeating: Channel(), count: format.channels.count),
            regularCount: format.regularCount)
        try trace.parse(body)
    }

    private mutating func parse(_ body: ([Double?]) throws(Malformed) -> Void) throws(Malformed) {
        var point: [Double?] = []
        skipSpace()
        while !bytes.isEmpty {
            point.removeAll(keepingCapacity: true)
            while let byte = bytes.first, byte != UInt8(ascii: ",") {
                guard point.count < channels.count else {
                    throw malformed("has more values than its trace format has channels (\(channels.count))")
                }
                point.append(try value(of: point.count))
                skipSpace()
            }
            guard point.count >= regularCount else {
                throw malformed("has \(point.count) values, and its trace format \(regularCount) channels")
            }
            // Omitted channels keep their value.
            for index in point.count..<channels.count { point.append(channels[index].value) }
            try body(point)
            pointCount += 1
            _ = bytes.popFirst()
            skipSpace()
        }
    }

    private mutating func value(of index: Int) throws(Malformed) -> Double? {
        switch bytes.first {
        case UInt8(ascii: "!"): channels[index].order = .explicit
        case UInt8(ascii: "'"): channels[index].order = .first
        case UInt8(ascii: "\""): channels[index].order = .second
        case UInt8(ascii: "?"):
            bytes.removeFirst()
            return nil
        case UInt8(ascii: "*"):
            bytes.removeFirst()
            channels[index].difference = 0
            return channels[index].value
        case UInt8(ascii: "T"), UInt8(ascii: "F"):
            channels[index].value = bytes.removeFirst() == UInt8(ascii: "T") ? 1 : 0
            return channels[index].value
        default: return try number(of: index)
        }
        bytes.removeFirst()
        skipSpace()
        return try number(of: index)
    }

    private mutating func number(of index: Int) throws(Malformed) -> Double {
        let number = try number()
        guard let value = channels[index].next(number) else {
            throw malformed("has a difference without a previous value")
        }
        guard value.isFinite else { throw malformed("is out of range") }
        return value
    }

    private mutating func number() throws(Malformed) -> Double {
        var isNegative = false
        if let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            bytes.removeFirst()
            skipSpace()
        }
        let magnitude: Double?
        if bytes.first == UInt8(ascii: "#") {
            bytes.removeFirst()
            let digits = self.digits { UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 | 0x20 }
            magnitude = UInt64(String(decoding: digits, as: UTF8.self), radix: 16).map { Double($0) }
        } else {
            var previous: UInt8 = 0
            let text = self.digits { byte in
                defer { previous = byte }
                let isExponent = byte | 0x20 == UInt8(ascii: "e")
                // A sign within a number belongs to its exponent, or else begins the next number.
                let isSign = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
                return byte == UInt8(ascii: ".") || isExponent || isSign && previous | 0x20 == UInt8(ascii: "e")
            }
            magnitude = Double(String(decoding: text, as: UTF8.self))
        }
        guard let magnitude else { throw malformed("contains something that is not a number") }
        return isNegative ? -magnitude : magnitude
    }

    /// Reads digits and bytes for which `isPart` is true; `isPart` is called for every byte.
    private mutating func digits(_ isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let end = bytes.firstIndex { !(isPart($0) || 0x30...0x39 ~= $0) } ?? bytes.endIndex
        defer { bytes = bytes[end...] }
        return bytes[..<end]
    }

    private mutating func skipSpace() {
        while let byte = bytes.first, byte == 0x20 || 0x09...0x0D ~= byte { bytes.removeFirst() }
    }

    private func malformed(_ reason: String) -> Malformed { Malformed(point: pointCount, reason: reason) }
}
