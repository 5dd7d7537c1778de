// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

/// Strokes from W3C InkML (Recommendation of 20 September 2011): the traces of X and Y, with pressure (F) and time (T)
/// where they have them. docs/formats.md says what is understood and what is passed over.
public enum InkMLDecoder {
    /// Beyond a century of milliseconds there is no time of a stroke, and microseconds would overflow.
    private static let maximumMilliseconds = 4e12
    /// In any unit. No page is this large, nor any digitizer; a bound keeps later arithmetic exact.
    private static let maximumCoordinate = 1e9
    /// Samples per second of traces that say nothing of time: digitizers have 100 to 200, and the width of the ink
    /// wants some speed.
    private static let assumedRate = 100.0

    /// One stroke, with pressures as they were written.
    private struct Stroke {
        var samples: [Sample] = []
        var forces: [Double?] = []
        var context: InkMLDocument.ContextChoice
    }

    /// - Throws: ``ImportError/malformedInkML(_:line:)``.
    public static func decode(_ bytes: [UInt8]) throws(ImportError) -> ImportedInk {
        let document = InkMLDocument()
        try XMLReader.read(bytes, into: document)
        var layouts: [InkMLDocument.ContextChoice: InkMLLayout] = [:]
        var strokes: [Stroke] = []
        var strokeOfTrace: [String: Int] = [:]
        var unit: ImportedInk.Unit?
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
            try append(trace, number: index, layout, to: &strokes[number])
        }
        return ImportedInk(
            unit: unit ?? .arbitrary, strokes: withPressure(strokes, layouts).filter { !$0.isEmpty })
    }

    private static func append(
        _ trace: InkMLDocument.Trace, number: Int, _ layout: InkMLLayout, to stroke: inout Stroke
    ) throws(ImportError) {
        do throws(InkMLTrace.Malformed) {
            var number = -1
            try InkMLTrace.forEachPoint(trace.bytes, layout.format) { point throws(InkMLTrace.Malformed) in
                number += 1
                try append(point, number: number, layout, to: &stroke)
            }
        } catch {
            throw .malformedInkML("trace \(number + 1), point \(error.point + 1) \(error.reason)", line: nil)
        }
    }

    private static func append(
        _ point: [Double?], number: Int, _ layout: InkMLLayout, to stroke: inout Stroke
    ) throws(InkMLTrace.Malformed) {
        // A point without a place is none.
        guard let x = point[layout.x], let y = point[layout.y] else { return }
        let position = Point(x: x * layout.xScale, y: y * layout.yScale)
        let milliseconds: Double
        if let time = layout.time {
            let last = stroke.samples.last.map { Double($0.microseconds) / 1000 }
            milliseconds = point[time].map { $0 * layout.timeScale } ?? last ?? 0
        } else {
            milliseconds = Double(stroke.samples.count) * 1000 / (layout.sampleRate ?? assumedRate)
        }
        guard abs(position.x) <= maximumCoordinate, abs(position.y) <= maximumCoordinate,
            abs(milliseconds) <= maximumMilliseconds
        else { throw InkMLTrace.Malformed(point: number, reason: "is out of range") }
        stroke.samples.append(Sample(microseconds: Int64((milliseconds * 1000).rounded()), position: position))
        stroke.forces.append(layout.force.flatMap { point[$0] })
    }

    /// Pressures as shares of what is stated as the most, else of the most that there is. One that never varies was not
    /// measured, as in ``SignaturePadJSON``.
    private static func withPressure(
        _ strokes: [Stroke], _ layouts: [InkMLDocument.ContextChoice: InkMLLayout]
    ) -> [[Sample]] {
        var ranges: [InkMLDocument.ContextChoice: (minimum: Double, maximum: Double)] = [:]
        var extremes: [InkMLDocument.ContextChoice: (least: Double, most: Double)] = [:]
        for stroke in strokes {
            let forces = stroke.forces.lazy.compactMap { $0 }
            guard let least = forces.min(), let most = forces.max() else { continue }
            let before = extremes[stroke.context] ?? (least, most)
            extremes[stroke.context] = (min(before.least, least), max(before.most, most))
        }
        for (context, (least, most)) in extremes where least < most {
            guard let channel = layouts[context]?.forceChannel else { continue }
            let range = (minimum: channel.minimum ?? min(0, least), maximum: channel.maximum ?? most)
            if range.minimum < range.maximum { ranges[context] = range }
        }
        return strokes.map { stroke in
            guard let range = ranges[stroke.context] else { return stroke.samples }
            return zip(stroke.samples, stroke.forces).map { sample, force in
                var sample = sample
                sample.pressure = force.map {
                    min(max(($0 - range.minimum) / (range.maximum - range.minimum), 0), 1)
                }
                return sample
            }
        }
    }
}
