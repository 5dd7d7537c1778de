// SPDX-License-Identifier: Apache-2.0

/// A place in a document that a person fills on the pad.
///
/// A field of the document's own form may have several places, such as the buttons of a choice. Each place is then a
/// `DocumentField` of its own, with the same name.
public struct DocumentField: Codable, Equatable, Sendable {
    public enum Kind: String, Codable, CaseIterable, Sendable {
        /// A signature field (ISO 32000-1, 12.7.4.5).
        case signature
        /// A check box of the document's own form.
        case check
        /// A choice of one among several, of the document's own form.
        case radio
        /// A text of the document's own form, which the host fills.
        case text
    }

    /// The fully qualified name (ISO 32000-1, 12.7.3.2).
    public var name: String
    public var kind: Kind
    /// The number of the page, from 1.
    public var page: Int
    public var rectangle: DocumentRectangle
    /// The words beside the field (`TU`), for people.
    public var label: String?
    /// The name of the choice that this place stands for; only for radio buttons and check boxes.
    public var choices: [String]?
    /// The meaning of the choice for people (`Opt`); nil if the document states none.
    public var meaning: String?
    /// Whether the document demands a value (`Ff`, bit 2).
    public var isRequired: Bool?
    /// The value that the field already has in the document: a text, or the name of a choice.
    public var value: String?
    /// How a text is set; only for text fields.
    public var format: TextFormat?

    public init(
        name: String, kind: Kind, page: Int, rectangle: DocumentRectangle, label: String? = nil,
        choices: [String]? = nil, meaning: String? = nil, isRequired: Bool? = nil, value: String? = nil,
        format: TextFormat? = nil
    ) {
        self.name = name
        self.kind = kind
        self.page = page
        self.rectangle = rectangle
        self.label = label
        self.choices = choices
        self.meaning = meaning
        self.isRequired = isRequired
        self.value = value
        self.format = format
    }
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
    /// By how much the text is turned counterclockwise on the page as it is shown: 90, 180 or 270 degrees; nil if it is
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
