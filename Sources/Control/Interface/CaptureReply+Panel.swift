// SPDX-License-Identifier: Apache-2.0
import Pad
import Record

/// What a client understands. Nil is an answer that is none of the interface.
extension CaptureReply {
    var progress: CaptureProgress? {
        guard let id = CaptureID(id), let strokes else { return nil }
        let state: CaptureState
        switch self.state {
        case .waiting: state = .waiting
        case .signing: state = .signing
        case .saving: state = .saving
        case .refused:
            guard let refusal = refusal?.refusal else { return nil }
            state = .refused(refusal)
        case .ended: return nil
        }
        let stroke = stroke.map { stroke in
            HostStroke(
                samples: stroke.points.map {
                    HostStroke.Sample(microseconds: $0.time, x: $0.x, y: $0.y, pressure: $0.pressure)
                })
        }
        return CaptureProgress(id: id, state: state, strokes: strokes, stroke: stroke)
    }

    var ended: EndedCapture? {
        guard state == .ended, let id = CaptureID(id), let outcome = outcome?.outcome else { return nil }
        return EndedCapture(id: id, outcome: outcome, data: data)
    }
}

extension CaptureReply.Outcome {
    var outcome: CaptureOutcome? {
        switch result {
        case .accepted: .accepted
        case .cancelled: by.flatMap(CaptureOutcome.Party.init).map { .cancelled(by: $0) }
        case .timedOut: limit.flatMap(CaptureOutcome.Limit.init).map { .timedOut($0) }
        case .failed: .failed(reason: reason ?? "")
        }
    }
}

extension CaptureReply.RefusalReply {
    var refusal: Refusal? {
        if reason == .noInk { return .noInk }
        guard let measured, let minimum else { return nil }
        // Counts and times, which were whole when they were written.
        func whole(_ value: Double) -> Int64? { Int64(exactly: value.rounded()) }
        switch reason {
        case .noInk: return .noInk
        case .short: return .short(measured, minimum: minimum)
        case .small: return .small(measured, minimum: minimum)
        case .straight: return .straight(measured, minimum: minimum)
        case .quick, .fewStrokes, .fewSamples:
            guard let count = whole(measured), let least = whole(minimum) else { return nil }
            return switch reason {
            case .quick: .quick(count, minimum: least)
            case .fewStrokes: .fewStrokes(Int(count), minimum: Int(least))
            default: .fewSamples(Int(count), minimum: Int(least))
            }
        }
    }
}
