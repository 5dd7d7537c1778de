// SPDX-License-Identifier: Apache-2.0
public import Pad
import Record

/// A reply to `Capture`. Names are those of org.inkpanel.Panel.varlink.
enum CaptureReply: Codable, Equatable {
    case progress(CaptureProgress)
    case ended(EndedCapture)

    private enum State: String, Codable { case waiting, signing, refused, saving, ended }
    private enum CodingKeys: CodingKey { case id, state, strokes, stroke, refusal, outcome, data, seal, missingGlyphs }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        guard let id = CaptureID(try members.decode(String.self, forKey: .id)) else {
            throw DecodingError.dataCorruptedError(forKey: .id, in: members, debugDescription: "not an ID")
        }
        let missing = try members.decodeIfPresent([MissingGlyphs].self, forKey: .missingGlyphs)
        let state: CaptureState
        switch try members.decode(State.self, forKey: .state) {
        case .waiting: state = .waiting
        case .signing: state = .signing
        case .saving: state = .saving
        case .refused: state = .refused(try members.decode(Refusal.self, forKey: .refusal))
        case .ended:
            self = .ended(
                EndedCapture(
                    id: id, outcome: try members.decode(CaptureOutcome.self, forKey: .outcome),
                    data: try members.decodeIfPresent([String: String].self, forKey: .data),
                    seal: try members.decodeIfPresent(SealHead.self, forKey: .seal), missingGlyphs: missing))
            return
        }
        self = .progress(
            CaptureProgress(
                id: id, state: state, strokes: try members.decode(Int.self, forKey: .strokes),
                stroke: try members.decodeIfPresent(HostStroke.self, forKey: .stroke), missingGlyphs: missing))
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .progress(let progress):
            try members.encode(progress.id.description, forKey: .id)
            try members.encode(progress.strokes, forKey: .strokes)
            try members.encodeIfPresent(progress.stroke, forKey: .stroke)
            try members.encodeIfPresent(progress.missingGlyphs, forKey: .missingGlyphs)
            switch progress.state {
            case .waiting: try members.encode(State.waiting, forKey: .state)
            case .signing: try members.encode(State.signing, forKey: .state)
            case .saving: try members.encode(State.saving, forKey: .state)
            case .refused(let refusal):
                try members.encode(State.refused, forKey: .state)
                try members.encode(refusal, forKey: .refusal)
            }
        case .ended(let ended):
            try members.encode(ended.id.description, forKey: .id)
            try members.encode(State.ended, forKey: .state)
            try members.encode(ended.outcome, forKey: .outcome)
            try members.encodeIfPresent(ended.data, forKey: .data)
            try members.encodeIfPresent(ended.seal, forKey: .seal)
            try members.encodeIfPresent(ended.missingGlyphs, forKey: .missingGlyphs)
        }
    }
}

extension CaptureOutcome: Codable {
    private enum Result: String, Codable { case accepted, cancelled, timedOut, failed }
    private enum CodingKeys: CodingKey { case result, by, limit, reason }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        switch try members.decode(Result.self, forKey: .result) {
        case .accepted: self = .accepted
        case .cancelled: self = .cancelled(by: try members.decode(Party.self, forKey: .by))
        case .timedOut: self = .timedOut(try members.decode(Limit.self, forKey: .limit))
        case .failed: self = .failed(reason: try members.decodeIfPresent(String.self, forKey: .reason) ?? "")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .accepted: try members.encode(Result.accepted, forKey: .result)
        case .cancelled(let party):
            try members.encode(Result.cancelled, forKey: .result)
            try members.encode(party, forKey: .by)
        case .timedOut(let limit):
            try members.encode(Result.timedOut, forKey: .result)
            try members.encode(limit, forKey: .limit)
        case .failed(let reason):
            try members.encode(Result.failed, forKey: .result)
            try members.encode(reason, forKey: .reason)
        }
    }
}

extension Refusal: Codable {
    private enum Reason: String, Codable { case noInk, fewStrokes, fewSamples, short, small, straight, quick }
    private enum CodingKeys: CodingKey { case reason, measured, minimum }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func number(_ key: CodingKeys) throws -> Double { try members.decode(Double.self, forKey: key) }
        /// Counts and times were whole when they were encoded.
        func whole(_ key: CodingKeys) throws -> Int64 {
            if let whole = Int64(exactly: try number(key).rounded()) { return whole }
            throw DecodingError.dataCorruptedError(forKey: key, in: members, debugDescription: "beyond 64 bits")
        }
        switch try members.decode(Reason.self, forKey: .reason) {
        case .noInk: self = .noInk
        case .fewStrokes: self = .fewStrokes(Int(try whole(.measured)), minimum: Int(try whole(.minimum)))
        case .fewSamples: self = .fewSamples(Int(try whole(.measured)), minimum: Int(try whole(.minimum)))
        case .short: self = .short(try number(.measured), minimum: try number(.minimum))
        case .small: self = .small(try number(.measured), minimum: try number(.minimum))
        case .straight: self = .straight(try number(.measured), minimum: try number(.minimum))
        case .quick: self = .quick(try whole(.measured), minimum: try whole(.minimum))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        let (reason, measured, minimum): (Reason, Double?, Double?) =
            switch self {
            case .noInk: (.noInk, nil, nil)
            case .fewStrokes(let count, let minimum): (.fewStrokes, Double(count), Double(minimum))
            case .fewSamples(let count, let minimum): (.fewSamples, Double(count), Double(minimum))
            case .short(let length, let minimum): (.short, length, minimum)
            case .small(let length, let minimum): (.small, length, minimum)
            case .straight(let length, let minimum): (.straight, length, minimum)
            case .quick(let time, let minimum): (.quick, Double(time), Double(minimum))
            }
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(reason, forKey: .reason)
        try members.encodeIfPresent(measured, forKey: .measured)
        try members.encodeIfPresent(minimum, forKey: .minimum)
    }
}
