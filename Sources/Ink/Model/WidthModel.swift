// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Makes the width of the ink of its speed, or of its pressure: thick where the pen is slow or presses.
///
/// What the pen aims at from moment to moment is smoothed over time, before and after alike (a two-sided exponential),
/// and may then change only so much per pixel of way: width follows the hand, not the sample rate.
struct WidthModel {
    private let parameters: InkParameters
    /// Of the last final node: the part of the smoothing that looks back, and the width.
    private var past: Double?
    private var width: Double?

    init(_ parameters: InkParameters) { self.parameters = parameters }

    /// A node whose width is to be found.
    struct Node {
        var microseconds: Int64
        var seconds: Double
        var position: Point
        var pressure: Double?
    }

    /// The width of a pen that does not move.
    func dot(pressure: Double?) -> Double { aim(speed: 0, pressure: pressure) }

    /// The widths of the nodes. The first one is the last final one, or the start of the stroke.
    func widths(of nodes: [Node]) -> Widths {
        let count = nodes.count
        guard count > 1 else {
            let dot = dot(pressure: nodes.first?.pressure)
            return Widths(past: [dot], widths: [width ?? dot])
        }
        var aims: [Double] = []
        var weights: [Double] = []
        var ways: [Double] = []
        for (a, b) in zip(nodes, nodes.dropFirst()) {
            let time = b.seconds - a.seconds
            let way = a.position.distance(to: b.position)
            var pressure = b.pressure
            if let before = a.pressure, let after = b.pressure { pressure = (before + after) / 2 }
            aims.append(aim(speed: way / time, pressure: pressure))
            weights.append(Self.decay(time / parameters.widthTime))
            ways.append(way)
        }
        // The part that looks ahead starts at the tip with what the tip itself aims at, the mean of the part behind
        // it.
        var pasts = [past ?? lookingAhead(aims, weights, from: aims[count - 2])[0]]
        for (index, aim) in aims.enumerated() { pasts.append(aim + (pasts[index] - aim) * weights[index]) }
        let futures = lookingAhead(aims, weights, from: pasts[count - 1])
        var widths = zip(pasts, futures).map { ($0 + $1) / 2 }
        limitSlope(&widths, ways: ways)
        return Widths(past: pasts, widths: widths)
    }

    struct Widths {
        fileprivate var past: [Double]
        var widths: [Double]
    }

    /// Makes the first nodes up to `index` final.
    mutating func settle(_ result: Widths, at index: Int) {
        past = result.past[index]
        width = result.widths[index]
    }

    private func lookingAhead(_ aims: [Double], _ weights: [Double], from tip: Double) -> [Double] {
        var result = Array(repeating: tip, count: aims.count + 1)
        for index in stride(from: aims.count - 1, through: 0, by: -1) {
            result[index] = aims[index] + (result[index + 1] - aims[index]) * weights[index]
        }
        return result
    }

    private func limitSlope(_ widths: inout [Double], ways: [Double]) {
        func clamp(_ index: Int, to neighbour: Int, way: Double) {
            let factor = 1 + parameters.widthSlope * way
            widths[index] = min(max(widths[index], widths[neighbour] / factor), widths[neighbour] * factor)
        }
        for index in stride(from: ways.count - 1, through: 0, by: -1) { clamp(index, to: index + 1, way: ways[index]) }
        // Last, because the width so far is final.
        if let width { widths[0] = width }
        for index in 1..<widths.count { clamp(index, to: index - 1, way: ways[index - 1]) }
    }

    private func aim(speed: Double, pressure: Double?) -> Double {
        let p = parameters
        if let pressure {
            let limited = min(max(pressure, 0), 1)
            return p.width * (p.lightWidth + (p.heavyWidth - p.lightWidth) * limited)
        }
        // From slowWidth at rest through 1 at the reference speed towards fastWidth.
        let half = p.referenceSpeed * (1 - p.fastWidth) / max(p.slowWidth - 1, 1e-3)
        return p.width * (p.fastWidth + (p.slowWidth - p.fastWidth) * half / (half + speed))
    }

    /// About `exp(-x)` for the short steps between nodes; rational because exp differs between machines.
    private static func decay(_ x: Double) -> Double { 1 / (1 + x * (1 + x * (0.5 + x / 6))) }
}
