// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Derives the width of the ink from speed or pressure: thick where the pen is slow or presses.
///
/// The target width at each moment is smoothed over time by a two-sided exponential. Its change per pixel of distance
/// is then limited. So the width follows the hand and not the sample rate.
struct WidthModel {
    /// The least width that growth starts from, as a part of the nominal one: a width of 0 would never grow.
    private static let seedWidth = 0.05

    private let parameters: InkParameters
    /// ``InkParameters/width`` in pixels.
    private let nominal: Double
    /// The speed in px/s at which the width is half way between slow and fast; 0 where ``InkParameters/fastWidth`` is 1
    /// and the width does not depend on speed.
    private let halfSpeed: Double
    /// ``InkParameters/widthSlope`` per pixel.
    private let slope: Double
    private let pixelsPerMillimetre: Double
    /// The least width of a tip in pixels, and at speed: a pixel, so that accents are not grey hairs.
    private let leastTip: Double
    private let least: Double
    /// ``InkParameters/endReach`` in pixels.
    private let reach: Double
    // The values of the last final node.
    private var past: Double?
    private var width: Double?
    /// The length of the final ink in pixels.
    private var length = 0.0

    init(_ parameters: InkParameters, density: PixelDensity) {
        self.parameters = parameters
        nominal = parameters.width * density.pixelsPerMillimetre
        reach = parameters.endReach * nominal
        leastTip = min(nominal, parameters.leastWidth * density.pixelsPerMillimetre)
        least = min(nominal, max(leastTip, 1))
        pixelsPerMillimetre = density.pixelsPerMillimetre
        slope = parameters.widthSlope / density.pixelsPerMillimetre
        // So that the width is nominal at the reference speed.
        halfSpeed =
            parameters.referenceSpeed * density.pixelsPerMillimetre * (1 - parameters.fastWidth)
            / max(parameters.slowWidth - 1, 1e-3)
    }

    /// Sets the widths of the nodes. The first one is the last final one, or the start of the stroke.
    /// - Parameter firstWet: the index of the first node that later samples may still change.
    func update(_ nodes: inout [CurveNode], firstWet: Int) {
        guard nodes.count > 1 else {
            nodes[0].past = target(speed: 0, pressure: nodes[0].pressure)
            nodes[0].width = width ?? nodes[0].past
            return
        }
        for index in 1..<nodes.count { setTarget(&nodes, at: index) }
        if width == nil { slowDown(&nodes) }
        smooth(&nodes)
        limitEnds(&nodes, firstWet: firstWet)
        limitSlope(&nodes)
    }

    /// Makes nodes final.
    mutating func settle(_ nodes: [CurveNode], _ indices: Range<Int>) {
        guard let last = indices.last else { return }
        for index in indices { length += nodes[index].distance }
        past = nodes[last].past
        width = nodes[last].width
    }

    private func setTarget(_ nodes: inout [CurveNode], at index: Int) {
        let before = nodes[index - 1]
        let time = nodes[index].seconds - before.seconds
        nodes[index].distance = before.position.distance(to: nodes[index].position)
        var pressure = nodes[index].pressure
        if let a = before.pressure, let b = pressure { pressure = (a + b) / 2 }
        nodes[index].target = target(speed: nodes[index].distance / time, pressure: pressure)
        nodes[index].decay = Self.decay(time / parameters.widthTime)
    }

    /// Reduces the effect of speed on a stroke that is hardly longer than wide: it is a dot, and its speed is the
    /// panel's noise. Only while no ink is final.
    private func slowDown(_ nodes: inout [CurveNode]) {
        let length = nodes.reduce(0) { $0 + $1.distance }
        let share = length / (2 * nominal)
        guard share < 1 else { return }
        for index in 1..<nodes.count {
            let rest = target(speed: 0, pressure: nodes[index].pressure)
            nodes[index].target = rest + (nodes[index].target - rest) * share
        }
    }

    private func smooth(_ nodes: inout [CurveNode]) {
        let last = nodes.count - 1
        var past = past ?? mean(ahead: nodes)
        nodes[0].past = past
        for index in 1...last {
            past = nodes[index].target + (past - nodes[index].target) * nodes[index].decay
            nodes[index].past = past
        }
        // The future is unknown, so the tip has the mean of the past.
        var future = past
        nodes[last].width = past
        for index in stride(from: last - 1, through: 0, by: -1) {
            future = nodes[index + 1].target + (future - nodes[index + 1].target) * nodes[index + 1].decay
            nodes[index].width = (nodes[index].past + future) / 2
        }
    }

    /// The mean of the targets ahead, for the start of a stroke, which has no past.
    private func mean(ahead nodes: [CurveNode]) -> Double {
        var future = nodes[nodes.count - 1].target
        for index in stride(from: nodes.count - 1, through: 1, by: -1) {
            future = nodes[index].target + (future - nodes[index].target) * nodes[index].decay
        }
        return future
    }

    /// Limits the width at both ends by that of the ink further in. A slow stroke keeps its width, and so does one
    /// whose width comes from pressure.
    private func limitEnds(_ nodes: inout [CurveNode], firstWet: Int) {
        let last = nodes.count - 1
        guard effectivePressure(nodes[last].pressure) == nil else { return }
        func limit(from end: Int, to bound: Int, by step: Int) {
            // The distance between two neighbours is that of the later one.
            var (inner, length) = (end, 0.0)
            while inner != bound, length < reach {
                length += nodes[max(inner, inner + step)].distance
                inner += step
            }
            let most = inner == 0 ? width ?? nodes[0].width : nodes[inner].width
            for index in stride(from: end, to: inner, by: step) {
                nodes[index].width = min(nodes[index].width, most)
            }
        }
        if width == nil { limit(from: 0, to: last, by: 1) }
        // Ink that becomes final is not at the end: the pen may go on.
        limit(from: last, to: max(firstWet - 1, 0), by: -1)
    }

    /// - Parameter first: the index of the first node to limit.
    private func limitSlope(_ nodes: inout [CurveNode], from first: Int = 0) {
        func clamp(_ index: Int, to neighbour: Double, distance: Double) {
            let factor = 1 + slope * distance
            let most = max(neighbour, Self.seedWidth * nominal) * factor
            nodes[index].width = min(max(nodes[index].width, neighbour / factor), most)
        }
        for index in stride(from: nodes.count - 2, through: first, by: -1) {
            clamp(index, to: nodes[index + 1].width, distance: nodes[index + 1].distance)
        }
        // Forwards last, because the width of the last final node does not change.
        if first == 0, let width { nodes[0].width = width }
        for index in max(first, 1)..<nodes.count {
            clamp(index, to: nodes[index - 1].width, distance: nodes[index].distance)
        }
    }

    // MARK: end of the stroke

    /// Thins out the end of a finished stroke if the pen left fast.
    /// - Parameters:
    ///   - nodes: with their widths.
    ///   - firstWet: the index of the first node that is not final.
    /// - Returns: whether widths changed.
    func taper(_ nodes: inout [CurveNode], firstWet: Int) -> Bool {
        let strength = taperStrength(nodes, firstWet: firstWet)
        guard strength > 0 else { return false }
        let last = nodes.count - 1
        let share = 1 - (1 - parameters.taperWidth) * strength
        // Pressure may have done it already, or a part of it.
        let isPressed = effectivePressure(nodes[last].pressure) != nil
        let full = isPressed ? nodes[firstWet...].reduce(0) { max($0, $1.width) } : nodes[last].width
        guard full * share < nodes[last].width else { return false }
        nodes[last].width = max(full * share, min(leastTip, nodes[last].width))
        limitSlope(&nodes, from: firstWet)
        return true
    }

    /// 0...1.
    private func taperStrength(_ nodes: [CurveNode], firstWet: Int) -> Double {
        let last = nodes.count - 1
        guard firstWet <= last else { return 0 }
        var (first, distance) = (last, 0.0)
        while first > 0, nodes[last].seconds - nodes[first].seconds < parameters.taperTime {
            distance += nodes[first].distance
            first -= 1
        }
        guard first < last else { return 0 }
        let speed = distance / (nodes[last].seconds - nodes[first].seconds) / pixelsPerMillimetre
        let (least, full) = (parameters.taperSpeed.lowerBound, parameters.taperSpeed.upperBound)
        let strength = speed >= full ? 1 : max(0, (speed - least) / (full - least))
        let length = nodes[firstWet...].reduce(length) { $0 + $1.distance }
        return strength * min(max(length / (parameters.taperLength * nominal) - 1, 0), 1)
    }

    // MARK: width at a speed or pressure

    private func target(speed: Double, pressure: Double?) -> Double {
        let p = parameters
        if let pressure = effectivePressure(pressure) {
            return nominal * (p.lightWidth + (p.heavyWidth - p.lightWidth) * pressure)
        }
        // 0 / 0 at rest.
        guard halfSpeed > 0 else { return nominal * p.fastWidth }
        return max(least, nominal * (p.fastWidth + (p.slowWidth - p.fastWidth) * halfSpeed / (halfSpeed + speed)))
    }

    /// - Returns: 0...1; nil if speed sets the width.
    private func effectivePressure(_ pressure: Double?) -> Double? {
        pressure.flatMap(parameters.pressureCurve.apply)
    }

    /// About `exp(-x)` for the short steps between nodes; rational, because exp differs between machines.
    private static func decay(_ x: Double) -> Double { 1 / (1 + x * (1 + x * (0.5 + x / 6))) }
}
