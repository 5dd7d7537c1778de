// SPDX-License-Identifier: Apache-2.0
import Document

/// The abilities of a panel: the reply to `Abilities`.
public struct PanelAbilities: Codable, Equatable, Sendable {
    /// Documents that people read and sign on the pad.
    public struct Documents: Codable, Equatable, Sendable {
        /// Whether the programs that read and draw documents are there.
        public var ready: Bool
        /// The missing packages, for people; nil if they are there.
        public var fault: String?
        /// The checks that are left out before a document is signed, for people; nil if all are made.
        public var warning: String?
        public var maximumBytes: Int
        public var maximumPages: Int
        /// Documents with these warnings are refused.
        public var refused: [String]

        public init(
            fault: String?, warning: String? = nil, maximumBytes: Int, maximumPages: Int, refused: [String]
        ) {
            ready = fault == nil
            self.fault = fault
            self.warning = warning
            self.maximumBytes = maximumBytes
            self.maximumPages = maximumPages
            self.refused = refused
        }
    }

    /// Limits of a request.
    public struct Limits: Codable, Equatable, Sendable {
        public var promptLines = CaptureCall.promptLineLimit
        public var rows = CaptureCall.rowLimit
        /// Bytes of UTF-8 of one text, and of all together.
        public var textBytes = CaptureCall.textLimit
        public var allTextBytes = CaptureCall.textSumLimit
        /// Entries of the host's data.
        public var data = CaptureCall.dataLimit
        public var questions = CaptureFlow.questionLimit
        public var people = CaptureFlow.peopleLimit
        public var fields = CaptureFlow.fieldLimit
        public var declineReasons = CaptureFlow.reasonLimit
        /// Calls that wait for another capture to end.
        public var waiting: Int

        init(waiting: Int) { self.waiting = waiting }
    }

    /// Name and version.
    public var program: String
    /// Formats of `Get`.
    public var formats: [String]
    /// BCP 47 tags of the languages of pages.
    public var languages: [String]
    /// That of the pages unless the host names another; nil if their words are not those of one of these.
    public var language: String?
    /// The members of `Capture` that the panel supports.
    public var pages: [String]
    /// Kinds of a document's fields.
    public var fields: [String]
    /// Kinds of questions.
    public var questions: [String]
    /// nil if nobody has looked.
    public var documents: Documents?
    /// The highest level of the mirror; nil for none.
    public var mirror: String?
    /// Whether programs may ask to be paired.
    public var pairing: Bool
    /// Whether a simulated person signs.
    public var simulated: Bool
    public var limits: Limits

    /// - Parameter waiting: calls that wait for another capture.
    package init(
        program: String, languages: [String], language: String?, mirror: MirrorLevel?, pairing: Bool, simulated: Bool,
        waiting: Int
    ) {
        self.program = program
        formats = [GetCall.metadata] + ExportFormat.allCases.map(\.rawValue)
        self.languages = languages
        self.language = language
        pages = Self.pages
        fields = Field.Kind.ofPeople.map(\.rawValue)
        questions = CaptureQuestion.Kind.allCases.map(\.rawValue)
        self.mirror = mirror?.rawValue
        self.pairing = pairing
        self.simulated = simulated
        limits = Limits(waiting: waiting)
    }

    private static let pages = [
        "prompt", "rows", "signer", "reason", "document", "questions", "people", "decline",
    ]
}

/// The reply to `Abilities`.
public struct AbilitiesReply: Codable, Sendable {
    public var abilities: PanelAbilities

    package init(abilities: PanelAbilities) { self.abilities = abilities }
}
