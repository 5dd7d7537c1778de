// SPDX-License-Identifier: Apache-2.0

/// A stroke of one width along the curves of a grouping, round at its ends.
///
/// Curves that are complete are dry at once; what is left over is wet, and made anew with each sample.
struct EvenCurveStroke<Grouping: CurveGrouping & Sendable>: StrokeModel {
    private let width: Double
    private var grouping: Grouping
    private var writer = CenterlineWriter()

    /// - Parameter width: in pixels.
    init(_ grouping: Grouping, width: Double) {
        self.grouping = grouping
        self.width = width
    }

    mutating func add(_ sample: Sample, to ink: inout StrokeInk) {
        var dry: [CenterlinePoint] = []
        if grouping.isEmpty {
            dry.append(CenterlinePoint(microseconds: sample.microseconds, position: sample.position, width: width))
        }
        grouping.add(sample)?.appendNodes(width: width, to: &dry)
        var wet: [CenterlinePoint] = []
        grouping.rest?.appendNodes(width: width, to: &wet)
        writer.write(dry: dry, wet: wet, to: &ink)
    }
}
