// SPDX-License-Identifier: Apache-2.0
public import Document
public import HostAPI

/// The document, questions and people of a capture: a member of the header. Records with it have
/// ``CaptureHeader/version`` 2.
public struct RecordedFlow: Codable, Equatable, Sendable {
    /// nil for a capture without a document to read.
    public var document: RecordedDocument?
    public var questions: [CaptureQuestion]?
    /// nil for a single person, whose name is that of the request.
    public var people: [CapturePerson]?
    /// The reasons that a person could choose for declining; nil if the pages had no button for that.
    public var declineReasons: [String]?
    /// The alternatives to a signature that the host allowed; nil for none.
    public var alternatives: [Alternative]?

    public init(
        document: RecordedDocument? = nil, questions: [CaptureQuestion]? = nil, people: [CapturePerson]? = nil,
        declineReasons: [String]? = nil, alternatives: [Alternative]? = nil
    ) {
        self.alternatives = alternatives
        self.document = document
        self.questions = questions
        self.people = people
        self.declineReasons = declineReasons
    }
}

/// The document of a capture. ``CaptureRequest/Document/sha256`` of the request is its digest, which the panel
/// computed.
public struct RecordedDocument: Equatable, Sendable {
    /// The number of its bytes, and of its pages.
    public var bytes, pages: Int
    /// The program that drew its pages, with the version of its package, such as `poppler 22.12.0-2+deb12u3`.
    public var renderer: String
    /// The fonts that are not embedded, which each viewer replaces in its own way.
    public var missingFonts: [String]?
    /// The reasons why it can look or act differently elsewhere (`DocumentFacts.Warning`).
    public var warnings: [String]?
    /// The fields that people were offered, with the places that were found for them.
    public var fields: [Field]
    public var policy: ReadingPolicy?
    /// The values that the host filled into the document's own form.
    public var values: [String: String]?
    /// The PNG and JPEG files, one after the other, of which the panel has made the document; nil if the host has sent
    /// a PDF file.
    public var pictures: RecordedOriginal?
    /// The PDF file whose drawing is the document; nil if the panel has not drawn it anew.
    public var flattened: RecordedOriginal?

    public init(
        bytes: Int, pages: Int, renderer: String, missingFonts: [String]? = nil, warnings: [String]? = nil,
        fields: [Field], policy: ReadingPolicy? = nil, values: [String: String]? = nil,
        pictures: RecordedOriginal? = nil, flattened: RecordedOriginal? = nil
    ) {
        self.pictures = pictures
        self.flattened = flattened
        self.bytes = bytes
        self.pages = pages
        self.renderer = renderer
        self.missingFonts = missingFonts
        self.warnings = warnings
        self.fields = fields
        self.policy = policy
        self.values = values
    }
}

/// Bytes of which the panel has made the document, or a step on the way to it.
public struct RecordedOriginal: Codable, Equatable, Sendable {
    /// The number of their bytes.
    public var bytes: Int
    /// SHA-256 of these bytes.
    public var sha256: String

    public init(bytes: Int, sha256: String) {
        self.bytes = bytes
        self.sha256 = sha256
    }
}

extension RecordedDocument: Codable {
    private enum CodingKeys: CodingKey {
        case bytes, pages, renderer, missingFonts, warnings, fields, policy, values, pictures, flattened
    }

    /// The members of a field. `value` is what stands for its place, `field` its name in the document.
    private enum FieldKeys: CodingKey {
        case name, kind, person, page, rectangle, required, label, value, meaning, field
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        var list = try members.nestedUnkeyedContainer(forKey: .fields)
        var fields: [Field] = []
        while !list.isAtEnd { fields.append(try Self.field(list.nestedContainer(keyedBy: FieldKeys.self))) }
        self.init(
            bytes: try members.decode(Int.self, forKey: .bytes), pages: try members.decode(Int.self, forKey: .pages),
            renderer: try members.decode(String.self, forKey: .renderer),
            missingFonts: try members.decodeIfPresent([String].self, forKey: .missingFonts),
            warnings: try members.decodeIfPresent([String].self, forKey: .warnings), fields: fields,
            policy: try members.decodeIfPresent(ReadingPolicy.self, forKey: .policy),
            values: try members.decodeIfPresent([String: String].self, forKey: .values),
            pictures: try members.decodeIfPresent(RecordedOriginal.self, forKey: .pictures),
            flattened: try members.decodeIfPresent(RecordedOriginal.self, forKey: .flattened))
    }

    private static func field(_ members: KeyedDecodingContainer<FieldKeys>) throws -> Field {
        let edges = try members.decode([Double].self, forKey: .rectangle)
        guard edges.count == 4 else {
            throw DecodingError.dataCorruptedError(
                forKey: .rectangle, in: members, debugDescription: "not a left, lower, right and upper edge")
        }
        return Field(
            name: try members.decode(String.self, forKey: .name),
            kind: try members.decode(Field.Kind.self, forKey: .kind),
            person: try members.decode(Int.self, forKey: .person), page: try members.decode(Int.self, forKey: .page),
            rectangle: DocumentRectangle(minX: edges[0], minY: edges[1], maxX: edges[2], maxY: edges[3]),
            isRequired: try members.decode(Bool.self, forKey: .required),
            label: try members.decodeIfPresent(String.self, forKey: .label),
            choice: try members.decodeIfPresent(String.self, forKey: .value),
            meaning: try members.decodeIfPresent(String.self, forKey: .meaning),
            formName: try members.decodeIfPresent(String.self, forKey: .field))
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(bytes, forKey: .bytes)
        try members.encode(pages, forKey: .pages)
        try members.encode(renderer, forKey: .renderer)
        try members.encodeIfPresent(missingFonts, forKey: .missingFonts)
        try members.encodeIfPresent(warnings, forKey: .warnings)
        try members.encodeIfPresent(policy, forKey: .policy)
        try members.encodeIfPresent(values, forKey: .values)
        try members.encodeIfPresent(pictures, forKey: .pictures)
        try members.encodeIfPresent(flattened, forKey: .flattened)
        var list = members.nestedUnkeyedContainer(forKey: .fields)
        for field in fields {
            var members = list.nestedContainer(keyedBy: FieldKeys.self)
            let place = field.rectangle
            try members.encode(field.name, forKey: .name)
            try members.encode(field.kind, forKey: .kind)
            try members.encode(field.person, forKey: .person)
            try members.encode(field.page, forKey: .page)
            try members.encode([place.minX, place.minY, place.maxX, place.maxY], forKey: .rectangle)
            try members.encode(field.isRequired, forKey: .required)
            try members.encodeIfPresent(field.label, forKey: .label)
            try members.encodeIfPresent(field.choice, forKey: .value)
            try members.encodeIfPresent(field.meaning, forKey: .meaning)
            try members.encodeIfPresent(field.formName, forKey: .field)
        }
    }
}

/// An event of a capture with several pages.
public enum FlowEvent: Equatable, Sendable {
    /// The turn of the person with this index begins.
    case person(Int)
    case page(SeenPage)
    case view(SeenView)
    /// Each change of an answer; the last one counts.
    case answer(CaptureAnswer)
    case field(FieldSheet)
    case accepted(AcceptedField)
    case confirmed(ConfirmedField)
    case glass(GlassImage)
}

/// The picture of a document's page that was first lit on the screen, without marks and ink.
public struct SeenPage: Codable, Equatable, Sendable {
    /// The number of the page, from 1.
    public var number: Int
    /// The size of the picture of the whole page, in pixels.
    public var width, height: Int
    /// SHA-256 of its pixels: rows from the top, three bytes each (red, green, blue).
    public var sha256: String

    public init(number: Int, width: Int, height: Int, sha256: String) {
        self.number = number
        self.width = width
        self.height = height
        self.sha256 = sha256
    }
}

/// A part of the document that stood still on the screen, or moved slowly.
public struct SeenView: Codable, Equatable, Sendable {
    /// The visible part of a page, in pixels of its ``SeenPage``: left, upper, right and lower edge.
    public struct Part: Codable, Equatable, Sendable {
        public var page: Int
        public var rect: [Int]

        public init(page: Int, rect: [Int]) {
            self.page = page
            self.rect = rect
        }
    }

    /// The parts from the top.
    public var parts: [Part]

    public init(parts: [Part]) { self.parts = parts }
}

/// A page to sign on was shown: what follows belongs to this field until it is accepted. A field may have several; the
/// last accepted one counts.
public struct FieldSheet: Codable, Equatable, Sendable {
    /// The name of a `Field` or of a question. Without a document a signature has the name `signature`.
    public var name: String
    /// The part that the sheet has in place of a signature; nil for signatures, initials and notes.
    public var part: InsteadPart?
    /// The words that the page shows for a witness or a representative; nil if the person writes.
    public var words: String?
    /// The index of the person.
    public var person: Int
    /// ``CaptureScreen/signingArea`` of the strokes of this sheet.
    public var signingArea: [Int]

    public init(
        name: String, part: InsteadPart? = nil, words: String? = nil, person: Int, signingArea: [Int]
    ) {
        self.words = words
        self.part = part
        self.name = name
        self.person = person
        self.signingArea = signingArea
    }
}

extension InsteadPart {
    /// The alternative that it is a part of.
    public var alternative: Alternative {
        switch self {
        case .confirmed: .confirmed
        case .mark, .witness1, .witness2: .mark
        case .representative: .representative
        case .typed: .typed
        }
    }

    /// Whether there is no ink.
    public var isWithoutInk: Bool { self == .confirmed || self == .typed }

    public var isWitness: Bool { self == .witness1 || self == .witness2 }

    /// The name of this ink for a signature with a name.
    public func name(of signature: String) -> String { isWitness ? signature + "/" + rawValue : signature }
}

/// A signature was confirmed with a button or a key, without ink, or a typed name was accepted in its place.
public struct ConfirmedField: Codable, Equatable, Sendable {
    public var name: String
    /// The words that were confirmed, as the page showed them. For a typed name, these contain the name.
    public var words: String
    /// Whether all words of that page had been read aloud to their end.
    public var heard: Bool?
    /// The name that was typed; nil for a confirmation.
    public var entered: TypedName?
    /// Whether the host accepted the name, rather than somebody on the pad.
    public var host: Bool?

    public init(name: String, words: String, heard: Bool? = nil, entered: TypedName? = nil, host: Bool? = nil) {
        self.name = name
        self.words = words
        self.heard = heard
        self.entered = entered
        self.host = host
    }

    package var part: InsteadPart { entered == nil ? .confirmed : .typed }
}

/// A field was accepted.
public struct AcceptedField: Codable, Equatable, Sendable {
    public var name: String
    /// The field whose ink this one has too: the person chose to use their initials again.
    public var same: String?

    public init(name: String, same: String? = nil) {
        self.name = name
        self.same = same
    }
}

/// The picture on the whole screen, after a page of the flow was shown or a field was accepted.
public struct GlassImage: Codable, Equatable, Sendable {
    /// SHA-256 of the picture as a binary PPM file.
    public var sha256: String
    /// The fonts of its texts, with their versions.
    public var fonts: [String]?

    public init(sha256: String, fonts: [String]? = nil) {
        self.sha256 = sha256
        self.fonts = fonts
    }
}
