// SPDX-License-Identifier: Apache-2.0
import Capture
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

    struct Refusal: Codable, Equatable {
        enum Reason: String, Codable { case noInk, fewStrokes, fewSamples, short, small, straight, quick }

        var reason: Reason
        var measured, minimum: Double?
    }

    struct Outcome: Codable, Equatable {
        enum Result: String, Codable { case accepted, cancelled, timedOut, failed }
        enum Party: String, Codable { case person, host }
        enum Limit: String, Codable { case inactivity, total }

        var result: Result
        var by: Party?
        var limit: Limit?
        var reason: String?
    }

    var id: String
    var state: State
    var strokes: Int?
    var stroke: Stroke?
    var refusal: Refusal?
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
            self.refusal = Refusal(refusal)
        }
        stroke = progress.stroke.map { stroke in
            Stroke(points: stroke.samples.map { Point(time: $0.microseconds, x: $0.x, y: $0.y, pressure: $0.pressure) })
        }
    }

    init(_ outcome: CaptureOutcome) {
        id = outcome.id.description
        state = .ended
        data = outcome.data
        switch outcome.result {
        case .accepted: self.outcome = Outcome(result: .accepted)
        case .cancelledByPerson: self.outcome = Outcome(result: .cancelled, by: .person)
        case .cancelledByHost: self.outcome = Outcome(result: .cancelled, by: .host)
        case .timedOut(.inactivity): self.outcome = Outcome(result: .timedOut, limit: .inactivity)
        case .timedOut(.total): self.outcome = Outcome(result: .timedOut, limit: .total)
        case .failed(let reason): self.outcome = Outcome(result: .failed, reason: reason)
        }
    }
}

extension CaptureReply.Refusal {
    init(_ refusal: Capture.Refusal) {
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
