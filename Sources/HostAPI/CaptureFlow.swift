// SPDX-License-Identifier: Apache-2.0
public import Document

/// The pages of a capture beside one page to sign on: a document to read, questions, several people.
///
/// Each person has a turn, in the order of ``people``. In it, the person reads the document, answers the questions and
/// fills the fields. The capture is accepted when the last person has finished; if one of them declines, nothing is
/// kept.
public struct CaptureFlow: Codable, Equatable, Sendable {
    /// nil for a capture without a document to read.
    public var document: ReadDocument?
    public var questions: [CaptureQuestion]
    /// Empty for one person, whose name is the signer of the request.
    public var people: [CapturePerson]
    /// The reasons that a person may choose who declines; nil if the pages have no button to decline.
    public var declineReasons: [String]?

    public init(
        document: ReadDocument? = nil, questions: [CaptureQuestion] = [], people: [CapturePerson] = [],
        declineReasons: [String]? = nil
    ) {
        self.document = document
        self.questions = questions
        self.people = people
        self.declineReasons = declineReasons
    }

    /// Whether the capture has only the page to sign on.
    public var isEmpty: Bool { document == nil && questions.isEmpty && people.isEmpty && declineReasons == nil }
}

/// A document that a person reads on the pad, and where it is filled.
public struct ReadDocument: Codable, Equatable, Sendable {
    /// A reason to refuse a document for signing, which the host can waive.
    public enum Allowance: String, Codable, CaseIterable, Sendable {
        /// A second engine draws a page differently.
        case drawnDifferently
        /// The engine that draws the pages could not draw something.
        case notDrawn
    }

    /// The name that `OpenDocument` gave it, on the same connection.
    public var id: String
    public var fields: [RequestedField]
    public var policy: ReadingPolicy
    /// Values that the host fills in, by the names of the fields in the document's own form. People are not asked for
    /// these.
    public var values: [String: String]?
    /// Whether name and date are drawn below each signature.
    public var caption: Bool?
    /// Whether a document with warnings (`DocumentFacts.Warning`) is refused.
    public var strict: Bool?
    /// Signed nevertheless, and the record says so.
    public var allow: [Allowance]?
    /// Whether nothing may be added to the signed document, not even further signatures or time stamps.
    public var final: Bool?
    /// Whether people read and sign the panel's drawing of the document, a new PDF file without forms, layers and
    /// actions.
    public var flatten: Bool?
    /// Whether a document in which nobody can sign is refused, rather than only read.
    public var signed: Bool?

    public init(
        id: String, fields: [RequestedField] = [], policy: ReadingPolicy = ReadingPolicy(),
        values: [String: String]? = nil, caption: Bool? = nil, strict: Bool? = nil, allow: [Allowance]? = nil,
        final: Bool? = nil, flatten: Bool? = nil, signed: Bool? = nil
    ) {
        self.id = id
        self.fields = fields
        self.policy = policy
        self.values = values
        self.caption = caption
        self.strict = strict
        self.allow = allow
        self.final = final
        self.flatten = flatten
        self.signed = signed
    }
}

/// The conditions under which a person can finish a document.
public struct ReadingPolicy: Codable, Equatable, Sendable {
    /// Whether all parts of all pages must have been on the screen.
    public var mustSeeAllPages: Bool?
    /// The least time with the document, in seconds.
    public var minimumSeconds: Double?
    /// Whether every question and every choice of the document must be answered. A check box may stay empty, unless it
    /// is required itself.
    public var requireAnswers: Bool?

    public init(mustSeeAllPages: Bool? = nil, minimumSeconds: Double? = nil, requireAnswers: Bool? = nil) {
        self.mustSeeAllPages = mustSeeAllPages
        self.minimumSeconds = minimumSeconds
        self.requireAnswers = requireAnswers
    }
}

/// A field that a host asks people for: a pattern, not a `Field`. Its place may be a text, or a field of the form with
/// several places, and its person is a role. The plan makes one or several fields of it (`DocumentPlan`).
public struct RequestedField: Equatable, Sendable {
    /// One of ``Field/Kind/ofPeople``.
    public var kind: Field.Kind
    /// The name in records and replies; nil for the name that the signed document gives it.
    public var name: String?
    /// The role of the person who fills it; nil for the first.
    public var person: String?
    public var place: SignaturePlace
    /// nil: signatures and initials are required, others are not.
    public var isRequired: Bool?
    /// The words beside it, for people.
    public var label: String?

    public init(
        kind: Field.Kind = .signature, name: String? = nil, person: String? = nil, place: SignaturePlace,
        isRequired: Bool? = nil, label: String? = nil
    ) {
        self.kind = kind
        self.name = name
        self.person = person
        self.place = place
        self.isRequired = isRequired
        self.label = label
    }

    public var mustBeFilled: Bool { isRequired ?? (kind == .signature || kind == .initials) }
}

/// A question on a page of its own, or beside others: see ``heading``.
public struct CaptureQuestion: Codable, Equatable, Sendable {
    public enum Kind: String, Codable, CaseIterable, Sendable {
        /// Yes, or nothing.
        case check
        /// One of ``CaptureQuestion/choices``.
        case choice
        /// A number from 1 to 5.
        case rating
        /// Written by hand.
        case note
    }

    /// The name in records and replies.
    public var name: String
    public var kind: Kind
    /// The words above a check box. Check boxes that one person gets one after the other, and that have one heading,
    /// stand below it on one page.
    public var heading: String?
    public var text: String
    public var choices: [String]?
    public var required: Bool?
    /// The role of the person who is asked; nil for the first.
    public var person: String?

    public init(
        name: String, kind: Kind, heading: String? = nil, text: String, choices: [String]? = nil,
        required: Bool? = nil, person: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.heading = heading
        self.text = text
        self.choices = choices
        self.required = required
        self.person = person
    }
}

/// A person who takes part in a capture.
public struct CapturePerson: Codable, Equatable, Sendable {
    /// Such as "Customer"; shown, and different for each person.
    public var role: String
    public var name: String?
    /// The role of the person whom this one, a witness, has seen sign.
    public var sees: String?

    public init(role: String, name: String? = nil, sees: String? = nil) {
        self.role = role
        self.name = name
        self.sees = sees
    }

    /// Name and role, for people.
    public var words: String { name.map { "\($0) (\(role))" } ?? role }
}

/// The answer of a person. It has one of the values.
public struct CaptureAnswer: Codable, Equatable, Sendable {
    /// The name of the question, or of the document's field.
    public var name: String
    public var checked: Bool?
    public var choice: String?
    public var rating: Int?

    public init(name: String, checked: Bool? = nil, choice: String? = nil, rating: Int? = nil) {
        self.name = name
        self.checked = checked
        self.choice = choice
        self.rating = rating
    }
}

// MARK: strict members

extension CaptureQuestion: StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable { case name, kind, heading, text, choices, required, person }
}

extension CapturePerson: StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable { case role, name, sees }
}

extension ReadingPolicy: StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable { case mustSeeAllPages, minimumSeconds, requireAnswers }
}

extension RequestedField: StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable {
        case kind, name, person, page, rect, field, anchor, size, offset, required, label
    }

    /// Reads one place: `page` with `rect`, `field`, or `anchor` with `size` and `offset`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.strictContainer(keyedBy: CodingKeys.self)
        func numbers(_ key: CodingKeys, _ count: Int) throws -> [Double]? {
            let list = try members.decodeIfPresent([Double].self, forKey: key)
            if let list, list.count != count {
                throw Expectation.failure("\(count) numbers", at: members.codingPath + [key])
            }
            return list
        }
        let page = try members.decodeWholeIfPresent(forKey: .page).map { Int($0) }
        let (rect, size, offset) = (try numbers(.rect, 4), try numbers(.size, 2), try numbers(.offset, 2))
        let field = try members.decodeIfPresent(String.self, forKey: .field)
        let anchor = try members.decodeIfPresent(String.self, forKey: .anchor)
        let place: SignaturePlace
        switch (page, rect, field, anchor) {
        case (let page?, let rect?, nil, nil) where size == nil && offset == nil:
            place = .rectangle(
                page: page, DocumentRectangle(minX: rect[0], minY: rect[1], maxX: rect[2], maxY: rect[3]))
        case (nil, nil, let field?, nil) where size == nil && offset == nil: place = .field(name: field)
        case (nil, nil, nil, let anchor?):
            let usual = SignaturePlace.usualSize
            place = .anchor(
                text: anchor, width: size?[0] ?? usual.width, height: size?[1] ?? usual.height,
                offset: offset.map { SignaturePlace.Offset(right: $0[0], up: $0[1]) })
        default:
            throw Expectation.failure(
                "one place: page and rect, or field, or anchor with size and offset", at: members.codingPath)
        }
        let word = try members.decodeIfPresent(String.self, forKey: .kind) ?? Field.Kind.signature.rawValue
        guard let kind = Field.Kind.ofPeople.first(where: { $0.rawValue == word }) else {
            let kinds = Field.Kind.ofPeople.map(\.rawValue).joined(separator: ", ")
            throw Expectation.failure("one of \(kinds)", at: members.codingPath + [CodingKeys.kind])
        }
        self.init(
            kind: kind, name: try members.decodeIfPresent(String.self, forKey: .name),
            person: try members.decodeIfPresent(String.self, forKey: .person), place: place,
            isRequired: try members.decodeIfPresent(Bool.self, forKey: .required),
            label: try members.decodeIfPresent(String.self, forKey: .label))
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(kind, forKey: .kind)
        try members.encodeIfPresent(name, forKey: .name)
        try members.encodeIfPresent(person, forKey: .person)
        switch place {
        case .field(let name): try members.encode(name, forKey: .field)
        case .rectangle(let page, let rect):
            try members.encode(page, forKey: .page)
            try members.encode([rect.minX, rect.minY, rect.maxX, rect.maxY], forKey: .rect)
        case .anchor(let text, let width, let height, let offset):
            try members.encode(text, forKey: .anchor)
            try members.encode([width, height], forKey: .size)
            try members.encodeIfPresent(offset.map { [$0.right, $0.up] }, forKey: .offset)
        }
        try members.encodeIfPresent(isRequired, forKey: .required)
        try members.encodeIfPresent(label, forKey: .label)
    }
}
