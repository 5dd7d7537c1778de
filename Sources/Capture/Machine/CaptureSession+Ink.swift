// SPDX-License-Identifier: Apache-2.0
import Record
import Touch

/// Strokes, on the page and in the record.
extension CaptureSession {
    mutating func add(_ piece: StrokeCutter.Piece, _ effects: inout [CaptureEffect]) {
        switch piece {
        case .begin(let point):
            if sampleCount >= sampleLimit { return }
            stroke = OpenStroke(first: point, start: start)
            effects.append(.beginStroke(point))
        case .extend(let point):
            guard stroke != nil else { return }
            stroke?.add(point)
            effects.append(.extendStroke(point))
            // What follows of this contact is no ink: what there is can still be accepted.
            if sampleCount + (stroke?.samples.count ?? 0) >= sampleLimit { endStroke(&effects) }
        case .end: endStroke(&effects)
        }
    }

    mutating func endStroke(_ effects: inout [CaptureEffect]) {
        guard let finished = stroke else { return }
        stroke = nil
        sampleCount += finished.samples.count
        ink.add(finished.measure)
        let entry = CaptureStroke(pen: order.policy.pen, device: finished.device, samples: finished.samples)
        recordTrail(&effects)
        effects += [.endStroke, append(.stroke(entry)), tellStrokes]
    }

    mutating func cancelStroke(_ effects: inout [CaptureEffect]) {
        guard stroke != nil else { return }
        stroke = nil
        effects.append(.cancelStroke)
    }

    mutating func undo(_ effects: inout [CaptureEffect]) {
        guard ink.undo() else { return }
        recordTrail(&effects)
        effects += [.undo, append(.action(.undo, microseconds: lastTouch &- start)), tellStrokes]
    }

    mutating func clear(_ effects: inout [CaptureEffect]) {
        guard ink.clear() else { return }
        recordTrail(&effects)
        effects += [.clear, append(.action(.clear, microseconds: lastTouch &- start)), tellStrokes]
    }

    /// A pen hovers.
    mutating func add(_ hover: PenHover, device: Int, microseconds: Int64, _ effects: inout [CaptureEffect]) {
        if let entry = trail.add(hover, device: device, microseconds: microseconds) { effects.append(append(entry)) }
    }

    /// What pens did in the air goes into the record, ahead of what comes next.
    mutating func recordTrail(_ effects: inout [CaptureEffect]) {
        if let entry = trail.take() { effects.append(append(entry)) }
    }

    private func append(_ entry: CaptureEntry) -> CaptureEffect { .record(order.id, .append(entry)) }

    private var tellStrokes: CaptureEffect { .tell(order.id, .strokes(ink.strokeCount)) }
}
