// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The facts about a stroke that the next one needs.
public struct StrokeTrail: Sendable {
    /// The scatter of the samples of this stroke and those before.
    let scatter: Scatter
    /// The thinned out end, which the next stroke may continue; nil if it is not.
    let taperedEnd: TaperedEnd?

    /// The memory that it takes.
    public var byteCount: Int { scatter.byteCount + (taperedEnd?.byteCount ?? 0) }
}

/// The end of a stroke that was thinned out, with its widths before.
///
/// A panel may lose a fast contact for some reports and then report another one. The stroke of that one continues the
/// movement, and first draws this end, so that the line has no thin place.
struct TaperedEnd: Sendable {
    /// The centre line from the last point that was not thinned out. Not empty.
    private let nodes: [CenterlinePoint]
    /// The pen's velocity in pixels per second.
    private let velocity: Point
    /// ``InkParameters/taperGap`` in seconds.
    private let longestGap: Double
    /// ``InkParameters/taperTolerance`` in pixels.
    private let tolerance: Double

    /// - Parameters:
    ///   - nodes: the wet end of a centre line before it was thinned out. Not empty.
    ///   - thinCount: the number of nodes that were thinned out.
    init(_ nodes: [CenterlinePoint], thinCount: Int, _ parameters: InkParameters, density: PixelDensity) {
        let tip = nodes[nodes.count - 1]
        let start = nodes.last { tip.time.seconds(since: $0.time) >= parameters.taperTime } ?? nodes[0]
        let seconds = tip.time.seconds(since: start.time)
        velocity = seconds > 0 ? (tip.position - start.position) * (1 / seconds) : .zero
        self.nodes = nodes.suffix(thinCount + 1)
        longestGap = parameters.taperGap
        tolerance = parameters.taperTolerance * density.pixelsPerMillimetre
    }

    /// The memory that it takes.
    var byteCount: Int { nodes.capacity * MemoryLayout<CenterlinePoint>.stride }

    /// Whether a stroke that starts with a sample goes on with the movement.
    func continues(at sample: Sample) -> Bool {
        let tip = nodes[nodes.count - 1]
        let gap = sample.time.seconds(since: tip.time)
        guard gap > 0, gap <= longestGap else { return false }
        let way = velocity * gap
        return sample.position.distance(to: tip.position + way) <= tolerance + way.length / 2
    }

    /// Adds the outline of the end to the ink of another stroke, which has none yet.
    func draw(to ink: inout StrokeInk) {
        var outliner = StrokeOutliner()
        for node in nodes { outliner.add(node, to: &ink) }
        outliner.finish(&ink)
        ink.dry()
    }
}
