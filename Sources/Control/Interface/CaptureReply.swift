// SPDX-License-Identifier: Apache-2.0
import Pad
import Record

/// An answer to `Capture`, as org.inkpanel.Panel.varlink has it.
struct CaptureReply: Codable, Equatable {
    enum State: String, Codable { case waiting, signing, refused, saving, ended }

    struct Point: Codable, Equatable {
        var time: Int64
        var x, y: Double
        var pressure: Double?
    }

    struct Stroke: Codable, Equatable {
        var points: [Point]
    }

    struct RefusalReply: Codable, Equatable {
        enum Reason: String, Codable { case noInk, fewStrokes, fewSamples, short, small, straight, quick }

        var reason: Reason
        var measured, minimum: Double?
    }

    struct Outcome: Codable, Equatable {
        enum Result: String, Codable { case accepted, cancelled, timedOut, failed }
        var result: Result
        var by: String?
        var limit: String?
        var reason: String?
    }

    var id: String
    var state: State
    var strokes: Int?
    var stroke: Stroke?
    var refusal: RefusalReply?
    var outcome: Outcome?
    var data: [String: String]?
}

extension CaptureReply {
    init(_ progress: CaptureProgress) {
        id = progress.id.description
        strokes = progress.strokes
        switch progress.state {
        case .waiting: state = .waiting
        case .signing: state = .signing
        case .saving: state = .saving
        case .refused(let refusal):
            state = .refused
            self.refusal = RefusalReply(refusal)
        }
        stroke = progress.stroke.map { stroke in
            Stroke(points: stroke.samples.map { Point(time: $0.microseconds, x: $0.x, y: $0.y, pressure: $0.pressure) })
        }
    }

    init(_ ended: EndedCapture) {
        id = ended.id.description
        state = .ended
        data = ended.data
        outcome = Outcome(ended.outcome)
    }
}

extension CaptureReply.Outcome {
    init(_ outcome: CaptureOutcome) {
        switch outcome {
        case .accepted: self.init(result: .accepted)
        case .cancelled(let party): self.init(result: .cancelled, by: party.rawValue)
        case .timedOut(let limit): self.init(result: .timedOut, limit: limit.rawValue)
        case .failed(let reason): self.init(result: .failed, reason: reason)
        }
    }
}

extension CaptureReply.RefusalReply {
    init(_ refusal: Refusal) {
        switch refusal {
        case .noInk: self.init(reason: .noInk)
        case .fewStrokes(let count, let minimum):
            self.init(reason: .fewStrokes, measured: Double(count), minimum: Double(minimum))
        case .fewSamples(let count, let minimum):
            self.init(reason: .fewSamples, measured: Double(count), minimum: Double(minimum))
        case .short(let length, let minimum): self.init(reason: .short, measured: length, minimum: minimum)
        case .small(let length, let minimum): self.init(reason: .small, measured: length, minimum: minimum)
        case .straight(let length, let minimum): self.init(reason: .straight, measured: length, minimum: minimum)
        case .quick(let time, let minimum):
            self.init(reason: .quick, measured: Double(time), minimum: Double(minimum))
        }
    }
}
