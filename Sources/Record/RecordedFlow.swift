// SPDX-License-Identifier: Apache-2.0
public import HostAPI

/// What a person had to read, answer and sign: a member of the header. Records with it have ``CaptureHeader/version``
/// 2.
public struct RecordedFlow: Codable, Equatable, Sendable {
    /// nil for a capture without a document to read.
    public var document: RecordedDocument?
    public var questions: [CaptureQuestion]?
    /// nil for a single person, whose name is that of the request.
    public var people: [CapturePerson]?
    /// The reasons that a person could choose for declining; nil if the pages had no button for that.
    public var declineReasons: [String]?

    public init(
        document: RecordedDocument? = nil, questions: [CaptureQuestion]? = nil, people: [CapturePerson]? = nil,
        declineReasons: [String]? = nil
    ) {
        self.document = document
        self.questions = questions
        self.people = people
        self.declineReasons = declineReasons
    }
}

/// The document of a capture. ``CaptureRequest/Document/sha256`` of the request is its digest, which the panel
/// computed.
public struct RecordedDocument: Codable, Equatable, Sendable {
    /// The number of its bytes, and of its pages.
    public var bytes, pages: Int
    /// The program that drew its pages, with the version of its package, such as `poppler 22.12.0-2+deb12u3`.
    public var renderer: String
    /// The fonts that are not embedded, which each viewer replaces in its own way.
    public var missingFonts: [String]?
    /// The reasons why it can look or act differently elsewhere (`DocumentFacts.Warning`).
    public var warnings: [String]?
    public var fields: [FlowField]
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
        fields: [FlowField], policy: ReadingPolicy? = nil, values: [String: String]? = nil,
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

/// A field of a document, with the place that was found for it.
public struct FlowField: Codable, Equatable, Sendable {
    /// The name in answers and ``FieldSheet``. A choice has several fields of one name, one for each of its places.
    public var name: String
    public var kind: RequestedField.Kind
    /// The index of the person who fills it.
    public var person: Int
    /// The number of the page, from 1.
    public var page: Int
    /// Left, lower, right and upper edge in points, from the lower left corner of the page as it is shown.
    public var rectangle: [Double]
    public var required: Bool
    /// The words beside it, for people.
    public var label: String?
    /// The value that stands for this place of a check box or a choice in the document's own form; nil for others.
    public var value: String?
    /// The meaning of the value for people, as the document states it (`/Opt`); nil if it states none.
    public var meaning: String?
    /// The name of the field in the document's own form or, for a signature, in the signed document.
    public var field: String?

    public init(
        name: String, kind: RequestedField.Kind, person: Int = 0, page: Int, rectangle: [Double], required: Bool,
        label: String? = nil, value: String? = nil, meaning: String? = nil, field: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.person = person
        self.page = page
        self.rectangle = rectangle
        self.required = required
        self.label = label
        self.value = value
        self.meaning = meaning
        self.field = field
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
    /// The name of a ``FlowField`` or of a question. Without a document a signature has the name `signature`.
    public var name: String
    /// The index of the person.
    public var person: Int
    /// ``CaptureScreen/signingArea`` of the strokes of this sheet.
    public var signingArea: [Int]

    public init(name: String, person: Int, signingArea: [Int]) {
        self.name = name
        self.person = person
        self.signingArea = signingArea
    }
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
