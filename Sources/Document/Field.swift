// SPDX-License-Identifier: Apache-2.0

/// A place in a document that somebody fills: whose it is, of which kind, and its value.
///
/// The document's own form has fields, and a plan offers fields to people, which records keep. A field of the form may
/// have several places, such as the buttons of a choice. Each place is then a `Field` of its own, with the same name.
public struct Field: Equatable, Sendable {
    public enum Kind: String, Codable, CaseIterable, Sendable {
        /// A signature field (ISO 32000-1, 12.7.4.5).
        case signature
        /// Written once; a tap writes them again in the person's further fields.
        case initials
        /// A check box.
        case check
        /// A choice of one among several, of the document's own form.
        case choice
        /// The date of the capture, and the person's name: drawn, not written by hand.
        case date, name
        /// A text of the document's own form, which the host fills.
        case text

        /// The kinds that a host can ask people for, and that records have.
        public static let ofPeople: [Kind] = allCases.filter { $0 != .text }
    }

    /// The fully qualified name (ISO 32000-1, 12.7.3.2) of a field of the form; the name in answers of a plan's or a
    /// record's.
    public var name: String
    public var kind: Kind
    /// The index of the person who fills it.
    public var person: Int
    /// The number of the page, from 1.
    public var page: Int
    public var rectangle: DocumentRectangle
    /// Whether it may not stay empty.
    public var isRequired: Bool
    /// The words beside it (`TU`), for people.
    public var label: String?
    /// The value that stands for this place of a check box or a choice of the form; nil for others.
    public var choice: String?
    /// The meaning of ``choice`` for people (`Opt`); nil if the document states none.
    public var meaning: String?
    /// The value that a field of the form already has: a text, or the name of a choice.
    public var value: String?
    /// How a text of the form is set; only for text fields.
    public var format: TextFormat?
    /// The name of a plan's or a record's field in the document's own form or, for a signature, in the signed document;
    /// nil for a place without a field.
    public var formName: String?

    public init(
        name: String, kind: Kind, person: Int = 0, page: Int, rectangle: DocumentRectangle, isRequired: Bool = false,
        label: String? = nil, choice: String? = nil, meaning: String? = nil, value: String? = nil,
        format: TextFormat? = nil, formName: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.person = person
        self.page = page
        self.rectangle = rectangle
        self.isRequired = isRequired
        self.label = label
        self.choice = choice
        self.meaning = meaning
        self.value = value
        self.format = format
        self.formName = formName
    }

    /// The field in the signed document; nil unless it is a signature of a plan.
    package var signatureField: Field? {
        guard kind == .signature, let formName else { return nil }
        return Field(name: formName, kind: .signature, page: page, rectangle: rectangle, label: label)
    }
}

/// A field of the document's own form, as ``DocumentFacts`` and ``DocumentUpdate`` have it in JSON.
extension Field: Codable {
    private enum CodingKeys: CodingKey {
        case name, kind, page, rectangle, label, choices, meaning, isRequired, value, format
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func corrupted(_ key: CodingKeys, _ words: String) -> DecodingError {
            DecodingError.dataCorruptedError(forKey: key, in: members, debugDescription: words)
        }
        let word = try members.decode(String.self, forKey: .kind)
        guard let kind = Kind.ofForm.first(where: { $0.formWord == word }) else {
            throw corrupted(.kind, "no field of a form")
        }
        let choices = try members.decodeIfPresent([String].self, forKey: .choices) ?? []
        guard choices.count <= 1 else { throw corrupted(.choices, "more than one choice of one place") }
        self.init(
            name: try members.decode(String.self, forKey: .name), kind: kind,
            page: try members.decode(Int.self, forKey: .page),
            rectangle: try members.decode(DocumentRectangle.self, forKey: .rectangle),
            isRequired: try members.decodeIfPresent(Bool.self, forKey: .isRequired) ?? false,
            label: try members.decodeIfPresent(String.self, forKey: .label), choice: choices.first,
            meaning: try members.decodeIfPresent(String.self, forKey: .meaning),
            value: try members.decodeIfPresent(String.self, forKey: .value),
            format: try members.decodeIfPresent(TextFormat.self, forKey: .format))
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(name, forKey: .name)
        guard Kind.ofForm.contains(kind) else {
            throw EncodingError.invalidValue(
                kind, .init(codingPath: members.codingPath, debugDescription: "no field of a form"))
        }
        try members.encode(kind.formWord, forKey: .kind)
        try members.encode(page, forKey: .page)
        try members.encode(rectangle, forKey: .rectangle)
        if isRequired { try members.encode(true, forKey: .isRequired) }
        try members.encodeIfPresent(label, forKey: .label)
        try members.encodeIfPresent(choice.map { [$0] }, forKey: .choices)
        try members.encodeIfPresent(meaning, forKey: .meaning)
        try members.encodeIfPresent(value, forKey: .value)
        try members.encodeIfPresent(format, forKey: .format)
    }
}

extension Field.Kind {
    /// The kinds of a form's fields.
    fileprivate static let ofForm: [Self] = [.signature, .check, .choice, .text]

    /// The word for the kind of a form's field: PDF calls a choice of one radio buttons.
    package var formWord: String { self == .choice ? "radio" : rawValue }
}

/// How the text of a field is set (ISO 32000-1, 12.7.3.3 and 12.7.4.3).
public struct TextFormat: Codable, Equatable, Sendable {
    public enum Alignment: String, Codable, CaseIterable, Sendable {
        case left, center, right
    }

    /// The em in points; nil if it depends on the text and the size of the field.
    public var em: Double?
    public var alignment: Alignment
    public var isMultiline: Bool
    /// The most characters; nil for no limit.
    public var longest: Int?
    /// Whether each of ``longest`` characters has a cell of its own.
    public var isComb: Bool
    /// The counterclockwise rotation of the text on the page as it is shown: 90, 180 or 270 degrees; nil if it is
    /// upright.
    public var turn: Int?

    public init(
        em: Double? = nil, alignment: Alignment = .left, isMultiline: Bool = false, longest: Int? = nil,
        isComb: Bool = false, turn: Int? = nil
    ) {
        self.em = em
        self.alignment = alignment
        self.isMultiline = isMultiline
        self.longest = longest
        self.isComb = isComb
        self.turn = turn
    }
}

/// A rectangle on a page as it is shown, cropped and turned: in points (1/72 inch) from its lower left corner, y up.
public struct DocumentRectangle: Codable, Equatable, Sendable {
    public var minX, minY, maxX, maxY: Double

    public init(minX: Double, minY: Double, maxX: Double, maxY: Double) {
        self.minX = minX
        self.minY = minY
        self.maxX = maxX
        self.maxY = maxY
    }

    public var width: Double { maxX - minX }
    public var height: Double { maxY - minY }

    /// Whether more is common to both than a border, whose numbers may be rounded: a point.
    package func overlaps(_ other: Self) -> Bool {
        min(maxX, other.maxX) - max(minX, other.minX) > 1 && min(maxY, other.maxY) - max(minY, other.minY) > 1
    }

    /// The edges as hosts state them: `rect=70,100,260.5,145`.
    package var edges: String { "rect=" + [minX, minY, maxX, maxY].map(Self.tenths).joined(separator: ",") }

    /// A number with a decimal, if it has one.
    package static func tenths(_ number: Double) -> String {
        let tenths = (number * 10).rounded() / 10
        return Int(exactly: tenths).map { "\($0)" } ?? "\(tenths)"
    }
}
