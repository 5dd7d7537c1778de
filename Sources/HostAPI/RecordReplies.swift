// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The reply to `List`.
public struct RecordList: Codable, Equatable, Sendable {
    /// Newest first.
    public var captures: [RecordSummary]
    /// Why other files in the store cannot be read.
    public var unreadable: [String]
    /// The last seal; nil without one.
    public var seal: SealHead?
    /// The numbers of seals that are missing, although later ones exist.
    public var missingSeals: [Int64]?

    public init(
        captures: [RecordSummary], unreadable: [String], seal: SealHead? = nil, missingSeals: [Int64]? = nil
    ) {
        self.captures = captures
        self.unreadable = unreadable
        self.seal = seal
        self.missingSeals = missingSeals
    }
}

/// A stored record in ``RecordList``: its request and its outcome.
public struct RecordSummary: Codable, Equatable, Sendable {
    /// The outcome in the form of ``CaptureOutcome``.
    public struct Outcome: Codable, Equatable, Sendable {
        public var result: RecordOutcome
    }

    public var id: CaptureID
    public var outcome: Outcome
    /// Wall clock, microseconds since 1970-01-01 UTC.
    public var startedAt: Int64
    public var endedAt: Int64?
    public var prompt: [String]
    public var rows: [CaptureRequest.Row]?
    public var signer, reason, `operator`: String?
    public var document: CaptureRequest.Document?
    public var data: [String: String]?
    public var byteCount: Int
    /// nil if the record is not sealed.
    public var seal: SealHead?
    /// true if only the recipients can read the record; the texts of its request are then missing here.
    public var encrypted: Bool?

    public init(
        id: CaptureID, outcome: RecordOutcome, startedAt: Int64, endedAt: Int64?, request: CaptureRequest,
        byteCount: Int, seal: SealHead?, encrypted: Bool?
    ) {
        self.id = id
        self.outcome = Outcome(result: outcome)
        self.startedAt = startedAt
        self.endedAt = endedAt
        prompt = request.prompt
        rows = request.rows
        signer = request.signer
        reason = request.reason
        self.operator = request.operator
        document = request.document
        data = request.data
        self.byteCount = byteCount
        self.seal = seal
        self.encrypted = encrypted
    }
}

/// All of a record except its ink. Optional members are nil where the record does not have them.
public struct RecordMetadata: Codable, Equatable, Sendable {
    public var summary: RecordSummary
    public var shows: ShownFields?
    /// The date at the start, as on the page.
    public var date: LocalDate?
    /// The language of the page; nil if the host named none.
    public var language: String?
    public var program: String
    public var panel: String?
    /// The role of the host that asked for the capture; nil for an operator.
    public var askedBy: HostRole?
    /// The names of the devices of the visible strokes.
    public var devices: [String]
    /// Pixels.
    public var screen: PixelSize
    public var pixelsPerMillimetre: Double
    /// The number of strokes that are visible at the end, and of their samples.
    public var strokes, samples: Int
    /// The number of samples of hovering pens.
    public var inAirSamples: Int
    public var quality: CaptureQuality?
    /// The page that the person saw; nil in older records.
    public var shown: ShownPage?
    /// Texts that the page did not show as they are; nil for none.
    public var missingGlyphs: [MissingGlyphs]?
    /// The people who took part; nil if the host named none.
    public var people: [CapturePerson]?
    /// The parts of the document that each person read, in the order of people.
    public var reading: [ReadingResult]?
    /// The last answer to each question and field; nil for none.
    public var answers: [CaptureAnswer]?
    /// The fields with ink, of a capture with several pages.
    public var fields: [SignedField]?
    /// The number of bytes of the signed document; nil without one.
    public var signedByteCount: Int?

    public init(
        summary: RecordSummary, shows: ShownFields? = nil, date: LocalDate? = nil, language: String? = nil,
        program: String, panel: String? = nil, askedBy: HostRole? = nil, devices: [String], screen: PixelSize,
        pixelsPerMillimetre: Double, strokes: Int, samples: Int, inAirSamples: Int, quality: CaptureQuality? = nil,
        shown: ShownPage? = nil, missingGlyphs: [MissingGlyphs]? = nil
    ) {
        self.summary = summary
        self.shows = shows
        self.date = date
        self.language = language
        self.program = program
        self.panel = panel
        self.askedBy = askedBy
        self.devices = devices
        self.screen = screen
        self.pixelsPerMillimetre = pixelsPerMillimetre
        self.strokes = strokes
        self.samples = samples
        self.inAirSamples = inAirSamples
        self.quality = quality
        self.shown = shown
        self.missingGlyphs = missingGlyphs
    }
}
