// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Ink

/// Why a file with strokes could not be read.
public enum ImportError: Error, Equatable, CustomStringConvertible {
    /// Invalid JSON, or other JSON than signature_pad's.
    case malformed(String)
    /// Invalid XML, or not InkML.
    case malformedInkML(String, line: Int?)
    /// The ink needs a page of this size, which cannot be drawn.
    case pageTooLarge(PixelSize)

    public var description: String {
        switch self {
        case .malformed(let reason): "not signature_pad's toData() JSON: \(reason)"
        case .malformedInkML(let reason, let line?): "not readable as InkML: line \(line): \(reason)"
        case .pageTooLarge(let size): "needs a page of \(size) pixels, which is too large"
        case .malformedInkML(let reason, nil): "not readable as InkML: \(reason)"
        }
    }

    /// Adds the line unless the error has one.
    func inLine(_ line: Int) -> ImportError {
        if case .malformedInkML(let reason, nil) = self { .malformedInkML(reason, line: line) } else { self }
    }
}

/// Strokes from another program.
public struct ImportedInk: Equatable, Sendable {
    public enum Unit: Equatable, Sendable {
        case millimetres, pixels
        /// Unknown; only proportions matter.
        case arbitrary
    }

    public var unit: Unit
    /// All have samples.
    public var strokes: [[Sample]]
    /// Whether the file tells when any points of a stroke were drawn. Otherwise the times of samples mean nothing.
    public var hasTimes = true
    /// The number of points that were left out, because the file has no position for them.
    public var leftOutCount = 0
}

/// A point of a stroke as a file has it.
struct ImportedPoint {
    var position: Point
    /// nil if the file has none.
    var milliseconds: Double?
}

extension [ImportedPoint] {
    /// Samples per second of points without times. Digitizers have 100 to 200.
    private static var assumedRate: Double { 100 }

    /// Whether two points have different times.
    var hasTimes: Bool {
        let times = lazy.compactMap(\.milliseconds)
        return times.first.map { first in times.contains { $0 != first } } ?? false
    }

    /// The points with a time each. A missing one lies evenly between those around it. Before the first and after the
    /// last, and in strokes without times, points follow each other at a rate, and so where the time stands still.
    /// Times that run backwards stay; pens repair them as they do those of devices.
    /// - Parameter rate: samples per second; nil if the file does not tell.
    func samples(perSecond rate: Double?) -> [Sample] {
        let step = 1000 / (rate ?? Self.assumedRate)
        var times = map(\.milliseconds)
        if count > 1, let first = times[0], times.allSatisfy({ $0 == first }) {
            times.replaceSubrange(1..., with: repeatElement(nil, count: count - 1))
        }
        var last: Int?
        for index in indices {
            guard let time = times[index] else { continue }
            if let last, let before = times[last] {
                let gap = (time - before) / Double(index - last)
                for missing in last + 1..<index { times[missing] = before + gap * Double(missing - last) }
            } else {
                for missing in 0..<index { times[missing] = time - step * Double(index - missing) }
            }
            last = index
        }
        let (start, base) = last.flatMap { last in times[last].map { (last, $0) } } ?? (0, 0)
        for missing in (last.map { $0 + 1 } ?? 0)..<count { times[missing] = base + step * Double(missing - start) }
        return zip(self, times).map { point, time in
            Sample(time: Timestamp(microseconds: Int64(((time ?? 0) * 1000).rounded())), position: point.position)
        }
    }
}

/// Formats of files with strokes that another program wrote, recognised by their first bytes.
public enum ImportFormat: Sendable {
    case signaturePad, inkML

    /// nil for other files, such as recordings. signature_pad's data is an array and InkML is XML; no line of a
    /// recording starts with a bracket or a brace.
    public init?(start: [UInt8]) {
        let isUTF16 = start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF])
        // Some editors write a byte order mark. XML may be UTF-16; JSON in it is refused as such.
        let text = isUTF16 ? start.dropFirst(2).filter { $0 != 0 } : start.filter { ![0xEF, 0xBB, 0xBF].contains($0) }
        switch text.first(where: { !($0 == 0x20 || 0x09...0x0D ~= $0) }) {
        case UInt8(ascii: "["), UInt8(ascii: "{"): self = .signaturePad
        case UInt8(ascii: "<"): self = .inkML
        default: return nil
        }
    }

    public func decode(_ bytes: [UInt8]) throws(ImportError) -> ImportedInk {
        switch self {
        case .signaturePad: try SignaturePadJSON.decode(bytes)
        case .inkML: try InkMLDecoder.decode(bytes)
        }
    }
}
