// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Makes the width of the ink of its speed, or of its pressure: thick where the pen is slow or presses.
///
/// What the pen aims at from moment to moment is smoothed over time, before and after alike (a two-sided exponential),
/// and may then change only so much per pixel of way: width follows the hand, not the sample rate.
struct WidthModel {
    /// The width that a thinner one may grow from, as a part of the nominal one: nothing grows from no width.
    private static let seedWidth = 0.05

    private let parameters: InkParameters
    /// ``InkParameters/width`` in pixels.
    private let nominal: Double
    /// The speed in px/s at which the width is half way between slow and fast; 0 where ``InkParameters/fastWidth`` is 1:
    /// then no speed makes the ink thinner, and none thicker.
    private let halfSpeed: Double
    /// ``InkParameters/widthSlope`` per pixel.
    private let slope: Double
    /// Of the last final node.
    private var past: Double?
    private var width: Double?

    init(_ parameters: InkParameters, density: PixelDensity) {
        self.parameters = parameters
        nominal = parameters.width * density.pixelsPerMillimetre
        slope = parameters.widthSlope / density.pixelsPerMillimetre
        // So that the width is nominal at the reference speed.
        halfSpeed = parameters.referenceSpeed * density.pixelsPerMillimetre * (1 - parameters.fastWidth)
            / max(parameters.slowWidth - 1, 1e-3)
    }

    /// Finds the widths of the nodes. The first one is the last final one, or the start of the stroke.
    func update(_ nodes: inout [CurveNode]) {
        guard nodes.count > 1 else {
            nodes[0].past = aim(speed: 0, pressure: nodes[0].pressure)
            nodes[0].width = width ?? nodes[0].past
            return
        }
        for index in 1..<nodes.count { aim(&nodes, at: index) }
        if width == nil { calm(&nodes) }
        smooth(&nodes)
        limitSlope(&nodes)
    }

    /// Makes the nodes up to this one final.
    mutating func settle(at node: CurveNode) {
        past = node.past
        width = node.width
    }

    private func aim(_ nodes: inout [CurveNode], at index: Int) {
        let before = nodes[index - 1]
        let time = nodes[index].seconds - before.seconds
        nodes[index].way = before.position.distance(to: nodes[index].position)
        var pressure = nodes[index].pressure
        if let a = before.pressure, let b = pressure { pressure = (a + b) / 2 }
        nodes[index].aim = aim(speed: nodes[index].way / time, pressure: pressure)
        nodes[index].decay = Self.decay(time / parameters.widthTime)
    }

    /// A stroke that is hardly longer than wide is a dot, and its speed is the noise of the panel. Only while nothing
    /// of it is final.
    private func calm(_ nodes: inout [CurveNode]) {
        let way = nodes.reduce(0) { $0 + $1.way }
        let share = way / (2 * nominal)
        guard share < 1 else { return }
        for index in 1..<nodes.count {
            let rest = aim(speed: 0, pressure: nodes[index].pressure)
            nodes[index].aim = rest + (nodes[index].aim - rest) * share
        }
    }

    private func smooth(_ nodes: inout [CurveNode]) {
        let last = nodes.count - 1
        var past = past ?? ahead(of: nodes)
        nodes[0].past = past
        for index in 1...last {
            past = nodes[index].aim + (past - nodes[index].aim) * nodes[index].decay
            nodes[index].past = past
        }
        // Nothing is known of what comes, so the tip has the mean of what has been.
        var future = past
        nodes[last].width = past
        for index in stride(from: last - 1, through: 0, by: -1) {
            future = nodes[index + 1].aim + (future - nodes[index + 1].aim) * nodes[index + 1].decay
            nodes[index].width = (nodes[index].past + future) / 2
        }
    }

    /// The mean of the aims to come at the start of a stroke, which has no past.
    private func ahead(of nodes: [CurveNode]) -> Double {
        var future = nodes[nodes.count - 1].aim
        for index in stride(from: nodes.count - 1, through: 1, by: -1) {
            future = nodes[index].aim + (future - nodes[index].aim) * nodes[index].decay
        }
        return future
    }

    private func limitSlope(_ nodes: inout [CurveNode]) {
        func clamp(_ index: Int, to neighbour: Double, way: Double) {
            let factor = 1 + slope * way
            let most = max(neighbour, Self.seedWidth * nominal) * factor
            nodes[index].width = min(max(nodes[index].width, neighbour / factor), most)
        }
        for index in stride(from: nodes.count - 2, through: 0, by: -1) {
            clamp(index, to: nodes[index + 1].width, way: nodes[index + 1].way)
        }
        // Last, because the width so far is final.
        if let width { nodes[0].width = width }
        for index in 1..<nodes.count { clamp(index, to: nodes[index - 1].width, way: nodes[index].way) }
    }

    private func aim(speed: Double, pressure: Double?) -> Double {
        let p = parameters
        if let pressure = pressure.flatMap(p.pressureCurve.apply) {
            return nominal * (p.lightWidth + (p.heavyWidth - p.lightWidth) * pressure)
        }
        // Resting, 0 of 0 is no number.
        guard halfSpeed > 0 else { return nominal * p.fastWidth }
        return nominal * (p.fastWidth + (p.slowWidth - p.fastWidth) * halfSpeed / (halfSpeed + speed))
    }

    /// About `exp(-x)` for the short steps between nodes; rational because exp differs between machines.
    private static func decay(_ x: Double) -> Double { 1 / (1 + x * (1 + x * (0.5 + x / 6))) }
}
