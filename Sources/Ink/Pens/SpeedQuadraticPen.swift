// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The curves of ``QuadraticPen``, each as wide as its hand was slow: "Smooth Freehand Drawing", part 3.
///
/// Each curve has one width, so there are steps between them. The line to the last sample keeps the width of the curve
/// before it; a tap is a dot of the full width.
public struct SpeedQuadraticPen: StrokeModel {
    /// The full width in pixels.
    public static let defaultWidth = 5.0

    private var grouping = MidpointGrouping()
    private var law: WidthLaw
    private var last: Sample?

    /// - Parameter width: of slow ink, in pixels; the fastest has a fifth of it.
    public init(width: Double = Self.defaultWidth) { law = WidthLaw(fullWidth: width) }

    public mutating func add(_ sample: Sample, to ink: inout StrokeInk) {
        if let last { law.advance(from: last, to: sample) }
        last = sample
        let dry = grouping.add(sample).map { RoundCurve(curve: $0, width: law.width) }
        let wet = grouping.rest.map { RoundCurve(curve: $0, width: law.width) }
        let dot = CenterlinePoint(microseconds: sample.microseconds, position: sample.position, width: law.width)
        ink.replaceTail(dry: dry, wet: wet, dot: dot)
    }

    /// The full width over 0.6 of the speed and 0.4 of the speed before; between 0.75 and 1.25 of the width before, and
    /// between 0.2 of the full width and all of it. Speeds are in points a second over 600, a point being a pixel.
    struct WidthLaw {
        private static let unitSpeed = 600.0
        private static let (share, previousShare) = (0.6, 0.4)
        private static let change = 0.75...1.25
        private static let least = 0.2

        private let fullWidth: Double
        private var speed = 0.0
        /// Of the newest curve, in pixels.
        private(set) var width: Double

        init(fullWidth: Double) {
            self.fullWidth = fullWidth
            width = fullWidth
        }

        mutating func advance(from last: Sample, to sample: Sample) {
            // Wraps for stamps further apart than the type can say; any result is then clamped.
            let seconds = Double(sample.microseconds &- last.microseconds) * 1e-6
            // Two reports at one time, or time that runs backwards, say nothing of the speed.
            let newSpeed =
                seconds > 0 ? last.position.distance(to: sample.position) / seconds / Self.unitSpeed : speed
            let mean = Self.share * newSpeed + Self.previousShare * speed
            let wanted = mean > 0 ? fullWidth / mean : fullWidth
            let near = min(max(wanted, Self.change.lowerBound * width), Self.change.upperBound * width)
            width = min(max(near, Self.least * fullWidth), fullWidth)
            speed = newSpeed
        }
    }
}
