// SPDX-License-Identifier: Apache-2.0

/// A curve with a width of its own and round ends, as a tutorial strokes a path: where the next one is thinner or
/// thicker the ink has a step.
struct RoundCurve {
    var curve: TimedCurve
    /// In pixels.
    var width: Double
}

extension StrokeInk {
    /// Replaces the wet tail by curves, or by a dot while there is no curve.
    /// - Parameters:
    ///   - dry: a curve that is final.
    ///   - wet: the curve after it, up to the tip.
    ///   - dot: the only sample so far.
    mutating func replaceTail(dry: RoundCurve?, wet: RoundCurve?, dot: CenterlinePoint) {
        removeWet()
        if let dry { append(dry) }
        self.dry()
        if let wet { append(wet) }
        if centerline.isEmpty {
            append(dot)
            appendOutline(along: [dot])
        }
    }

    private mutating func append(_ stroke: RoundCurve) {
        // The round of a pen at rest lies within the one that the curve before ended with.
        let isHidden = stroke.curve.isPoint && (centerline.last.map { $0.width >= stroke.width } ?? false)
        var nodes = [stroke.curve.startNode(width: stroke.width)]
        stroke.curve.appendNodes(width: stroke.width, to: &nodes)
        for node in nodes { append(node) }
        if !isHidden { appendOutline(along: nodes) }
    }

    /// Adds a line with round ends along some nodes to the outline, wet.
    mutating func appendOutline(along nodes: some Sequence<CenterlinePoint>) {
        var outliner = StrokeOutliner()
        for node in nodes { outliner.add(node, to: &self) }
        outliner.finish(&self)
    }
}
