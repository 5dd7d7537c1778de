// SPDX-License-Identifier: Apache-2.0

/// A reply to a call for a signature: the state of the capture. The one with the outcome is the last.
public struct CaptureReply: Equatable, Sendable {
    public var id: CaptureID
    public var state: CaptureState
    /// The number of strokes on the page; nil if the capture has ended.
    public var strokes: Int?
    /// The stroke that was just finished, if this reports one.
    public var stroke: HostStroke?
    /// A copy of ``CaptureRequest/data``, with the outcome.
    public var data: [String: String]?
    /// The seal of an accepted record: the head of the chain, for the host to keep.
    public var seal: SealHead?
    /// Texts that the page does not show as they are; nil for none, and before there is a page.
    public var missingGlyphs: [MissingGlyphs]?
    /// The role of the person whose turn it is, or who ended the capture; nil for a capture of one person.
    public var person: String?
    /// The number of the document's page that is read, from 1.
    public var page: Int?
    /// The name of the field or the question that is filled.
    public var field: String?
    /// All answers up to now; nil before the first.
    public var answers: [CaptureAnswer]?
    /// The alternatives that were accepted in place of signatures up to now; nil for none.
    public var instead: [GivenInstead]?
    /// Whether there is a signed document, to be fetched with `GetDocument`; nil before the capture was accepted.
    public var signed: Bool?
    /// Whether the pages are read aloud; nil if nobody has asked for it.
    public var speech: SpeechState?

    public init(
        id: CaptureID, state: CaptureState, strokes: Int? = nil, stroke: HostStroke? = nil,
        data: [String: String]? = nil, seal: SealHead? = nil, missingGlyphs: [MissingGlyphs]? = nil
    ) {
        self.id = id
        self.state = state
        self.strokes = strokes
        self.stroke = stroke
        self.data = data
        self.seal = seal
        self.missingGlyphs = missingGlyphs
    }

    /// nil before the capture has ended.
    public var outcome: CaptureOutcome? { if case .ended(let outcome) = state { outcome } else { nil } }
}

/// An alternative that was accepted in place of a signature.
public struct GivenInstead: Codable, Equatable, Sendable {
    /// The name of the signature, as ``SignedField/name``.
    public var name: String
    public var alternative: Alternative
    /// Whether the host accepted it, as ``SignedField/host``.
    public var host: Bool?

    public init(name: String, alternative: Alternative, host: Bool? = nil) {
        self.name = name
        self.alternative = alternative
        self.host = host
    }
}

/// Whether the pages of a capture are read aloud.
public struct SpeechState: Codable, Equatable, Sendable {
    public var speaks: Bool
    /// Why not, for people; nil if they are.
    public var fault: String?

    public init(speaks: Bool, fault: String? = nil) {
        self.speaks = speaks
        self.fault = fault
    }
}

/// The state of a capture.
public enum CaptureState: Equatable, Sendable {
    /// Waits for another capture to end, or for a display or a touch device.
    case waiting
    /// A person reads the document.
    case reading
    /// A person answers a question.
    case answering
    case signing
    /// The pad waits for the next person.
    case handingOver
    /// Accept was pressed, but the ink was refused. Signing goes on, with a message on the page.
    case refused(Refusal)
    /// The ink was accepted; the record is being stored.
    case saving
    case ended(CaptureOutcome)

    /// The state's name in the interface.
    public var name: String { word.rawValue }

    fileprivate var word: Word {
        switch self {
        case .waiting: .waiting
        case .reading: .reading
        case .answering: .answering
        case .signing: .signing
        case .handingOver: .handingOver
        case .refused: .refused
        case .saving: .saving
        case .ended: .ended
        }
    }

    fileprivate enum Word: String, Codable {
        case waiting, reading, answering, signing, handingOver, refused, saving, ended
    }
}

extension CaptureReply: Codable {
    private enum CodingKeys: CodingKey {
        case id, state, strokes, stroke, refusal, outcome, data, seal, missingGlyphs, person, page, field, answers,
            signed, speech, instead
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let state: CaptureState =
            switch try members.decode(CaptureState.Word.self, forKey: .state) {
            case .waiting: .waiting
            case .signing: .signing
            case .reading: .reading
            case .answering: .answering
            case .handingOver: .handingOver
            case .saving: .saving
            case .refused: .refused(try members.decode(Refusal.self, forKey: .refusal))
            case .ended: .ended(try members.decode(CaptureOutcome.self, forKey: .outcome))
            }
        self.init(
            id: try members.decode(CaptureID.self, forKey: .id), state: state,
            strokes: try members.decodeIfPresent(Int.self, forKey: .strokes),
            stroke: try members.decodeIfPresent(HostStroke.self, forKey: .stroke),
            data: try members.decodeIfPresent([String: String].self, forKey: .data),
            seal: try members.decodeIfPresent(SealHead.self, forKey: .seal),
            missingGlyphs: try members.decodeIfPresent([MissingGlyphs].self, forKey: .missingGlyphs))
        person = try members.decodeIfPresent(String.self, forKey: .person)
        page = try members.decodeIfPresent(Int.self, forKey: .page)
        field = try members.decodeIfPresent(String.self, forKey: .field)
        answers = try members.decodeIfPresent([CaptureAnswer].self, forKey: .answers)
        signed = try members.decodeIfPresent(Bool.self, forKey: .signed)
        speech = try members.decodeIfPresent(SpeechState.self, forKey: .speech)
        instead = try members.decodeIfPresent([GivenInstead].self, forKey: .instead)
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(id, forKey: .id)
        try members.encode(state.word, forKey: .state)
        try members.encodeIfPresent(strokes, forKey: .strokes)
        try members.encodeIfPresent(stroke, forKey: .stroke)
        if case .refused(let refusal) = state { try members.encode(refusal, forKey: .refusal) }
        try members.encodeIfPresent(outcome, forKey: .outcome)
        try members.encodeIfPresent(data, forKey: .data)
        try members.encodeIfPresent(seal, forKey: .seal)
        try members.encodeIfPresent(missingGlyphs, forKey: .missingGlyphs)
        try members.encodeIfPresent(person, forKey: .person)
        try members.encodeIfPresent(page, forKey: .page)
        try members.encodeIfPresent(field, forKey: .field)
        try members.encodeIfPresent(answers, forKey: .answers)
        try members.encodeIfPresent(signed, forKey: .signed)
        try members.encodeIfPresent(speech, forKey: .speech)
        try members.encodeIfPresent(instead, forKey: .instead)
    }
}

/// A finished stroke as a host receives it.
public struct HostStroke: Equatable, Sendable, Codable {
    enum CodingKeys: String, CodingKey { case samples = "points" }

    /// One report of the touch device.
    public struct Sample: Equatable, Sendable, Codable {
        enum CodingKeys: String, CodingKey {
            case microseconds = "time"
            case x, y, pressure
        }

        /// Time since the start of the capture.
        public var microseconds: Int64
        /// Millimetres from the upper left corner of the signing area, y down.
        public var x, y: Double
        /// 0...1 along the device's axis; nil if the device measured none.
        public var pressure: Double?

        public init(microseconds: Int64, x: Double, y: Double, pressure: Double? = nil) {
            self.microseconds = microseconds
            self.x = x
            self.y = y
            self.pressure = pressure
        }
    }

    public var samples: [Sample]

    public init(samples: [Sample]) { self.samples = samples }
}

/// How a capture ended. Only `accepted` leaves a record.
public enum CaptureOutcome: Equatable, Sendable {
    /// The one who cancelled a capture.
    public enum Party: String, Equatable, Sendable, Codable {
        case person
        /// A host's call, the end of the host's connection, or the end of the program.
        case host
    }
    /// The limit of ``CapturePolicy`` that has passed.
    public enum Limit: String, Equatable, Sendable, Codable {
        case inactivity, total
    }

    /// The record is durable.
    case accepted
    /// A person does not agree. The reply names them.
    /// - Parameter reason: one of the host's list; nil if the person chose none.
    case declined(reason: String?)
    case cancelled(by: Party)
    case timedOut(Limit)
    /// The record could not be stored, or the document must not be signed.
    /// - Parameters:
    ///   - reason: for people.
    ///   - fault: why a document is not signed, for programs, as in ``PanelError/documentRefused(fault:reason:)``; nil
    ///     for other reasons.
    case failed(reason: String, fault: String? = nil)
}

extension CaptureOutcome: Codable {
    private enum Result: String, Codable { case accepted, declined, cancelled, timedOut, failed }
    private enum CodingKeys: CodingKey { case result, by, limit, reason, fault }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        switch try members.decode(Result.self, forKey: .result) {
        case .accepted: self = .accepted
        case .declined: self = .declined(reason: try members.decodeIfPresent(String.self, forKey: .reason))
        case .cancelled: self = .cancelled(by: try members.decode(Party.self, forKey: .by))
        case .timedOut: self = .timedOut(try members.decode(Limit.self, forKey: .limit))
        case .failed:
            self = .failed(
                reason: try members.decodeIfPresent(String.self, forKey: .reason) ?? "",
                fault: try members.decodeIfPresent(String.self, forKey: .fault))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .accepted: try members.encode(Result.accepted, forKey: .result)
        case .declined(let reason):
            try members.encode(Result.declined, forKey: .result)
            try members.encodeIfPresent(reason, forKey: .reason)
        case .cancelled(let party):
            try members.encode(Result.cancelled, forKey: .result)
            try members.encode(party, forKey: .by)
        case .timedOut(let limit):
            try members.encode(Result.timedOut, forKey: .result)
            try members.encode(limit, forKey: .limit)
        case .failed(let reason, let fault):
            try members.encode(Result.failed, forKey: .result)
            try members.encode(reason, forKey: .reason)
            try members.encodeIfPresent(fault, forKey: .fault)
        }
    }
}
