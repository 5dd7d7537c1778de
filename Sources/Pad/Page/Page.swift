// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Raster

/// The content of the display, apart from ink: a list of elements from top to bottom. ``PlacedPage`` places them.
public struct Page: Equatable, Sendable {
    public var elements: [PageElement]
    public var direction: LayoutDirection
    /// Whether the page before fades into it, in ``PageDesign/motion``.
    public var fadesIn = false
    /// The least height of capitals in millimetres, if not that of the screen.
    public var letters: Double?
    /// The labels for pages with its texts in large letters, which come before it if it has no room for these; nil if
    /// none may come.
    public var turning: PageTurning?
    /// Whether it is one of these pages: its texts stand from the top, in ``letters``.
    public var isLargeTexts = false

    public init(_ elements: [PageElement], direction: LayoutDirection = .leftToRight) {
        self.elements = elements
        self.direction = direction
    }

    /// A page with a text in its middle.
    public static func words(_ text: String, direction: LayoutDirection = .leftToRight) -> Page {
        Page([.text(PageText(text, .headline))], direction: direction)
    }

    /// Whether the page has a text, rather than only a picture.
    var hasText: Bool { elements.contains { if case .text = $0 { true } else { false } } }

    var hasDocument: Bool { elements.contains(.document) }
    var hasOptions: Bool { elements.contains { if case .option = $0 { true } else { false } } }

    /// The kind of the ink field; nil for a page that takes no ink.
    public var inkField: InkField? {
        for case .inkField(let field) in elements { return field }
        return nil
    }
}

/// A part of a page.
public enum PageElement: Equatable, Sendable {
    case text(PageText)
    /// A label and its value, such as an amount.
    case row(label: String, value: String, of: PageText.Field = .prompt)
    /// A picture, as large as fits.
    case picture(Picture)
    /// A logo above the headline.
    case logo(Picture)
    /// The check mark after a capture.
    case tick
    /// The sign of a fault.
    case warningSign
    case sign(PageSign)
    /// A page has at most one.
    case inkField(InkField)
    /// The part of the screen in which a document is read. A page has at most one, and no ink field beside it.
    case document
    /// An answer to choose, as wide as the page; a rating's stand in one row. It is the button
    /// ``PageButton/option(_:)`` with this number.
    case option(Int, label: String, OptionStyle)
    /// - Parameter label: nil for a button with an icon.
    case button(PageButton, label: String?)
    /// A cross to touch, for calibration; in pixels of the picture.
    case target(Point)
    /// A line to draw along, for the self-test, from the point with a dot; in pixels of the picture.
    case line(from: Point, to: Point)

    /// Whether it has its place on the picture already, for setting a panel up.
    var isInPlace: Bool {
        switch self {
        case .target, .line: true
        default: false
        }
    }

    var isRow: Bool { if case .row = self { true } else { false } }
}

/// A calm sign above a headline.
public enum PageSign: Sendable, CaseIterable {
    /// The pad goes to another person.
    case nextPerson
    /// Somebody has declined.
    case declined
}

/// A paragraph of a page. Line feeds in it end lines.
public struct PageText: Equatable, Sendable {
    public enum Role: Sendable, CaseIterable {
        /// The one text of a page without an ink field.
        case headline
        case heading
        case body
        /// Smaller and muted.
        case detail
        /// A detail that goes at the end of the line of the detail before it, if it fits there.
        case trailingDetail
        /// A text in the upper corner at the end of the lines, on a page without an ink field.
        case corner
        /// Characters that people compare one by one, in a face that tells 0, O, I, l and 1 apart: a digest, and,
        /// large, digits.
        case code, digits
    }

    /// A host's text, as errors name it.
    public enum Field: String, Sendable, CaseIterable {
        case prompt, signer, reason, date
        /// The labels of the buttons.
        case labels
        /// The rows below the prompt, in errors only: their texts are of the prompt.
        case rows
        /// Why there is a typed name in place of a signature.
        case typedReason

        /// The name of the answers to choose, in what is reported of fonts.
        package static let choices = "choices"
    }

    public var text: String
    public var role: Role
    public var field: Field?

    public init(_ text: String, _ role: Role, of field: Field? = nil) {
        self.text = text
        self.role = role
        self.field = field
    }
}

/// The kinds of ink fields.
public enum InkField: Equatable, Sendable {
    /// A card with a line to sign on.
    /// - Parameter hint: stands on the line until there is ink.
    case signing(hint: String)
    /// A higher card without a line, for words written by hand.
    /// - Parameter hint: stands at the beginning of the card until there is ink.
    case note(hint: String)
    /// The rest of the page beside a bar of tools.
    case drawing(SketchTools)
}

/// How an answer looks.
public enum OptionStyle: Sendable {
    /// A box that is ticked or not.
    case check
    /// One of several.
    case choice
    /// A number, in a row of numbers.
    case rating
}

/// A button of a page.
public enum PageButton: Hashable, Sendable {
    case accept, clear, cancel, undo
    // Only in a flow of pages:
    case next, back, decline
    /// Leads to what a person may do in place of a signature.
    case instead
    /// Leads to what is missing in a document, which its label names, or finishes it.
    case lead
    /// Uses the person's initials again.
    case again
    /// An answer.
    case option(Int)
    // Only on the sketch page:
    case redo, save
    /// Selects the colour at this index of ``SketchTools/colors``.
    case color(Int)
    /// Selects the width at this index of ``SketchTools/widths``.
    case width(Int)
    /// Selects the next colour and shows the current one, on pages without room for all.
    case nextColor
    case nextWidth

    /// The buttons of the signing page, from the start of the line to its end.
    public static let signing: [PageButton] = [.cancel, .undo, .clear, .accept]

    /// Whether the button leads on. A page has at most one of these.
    public var isPrimary: Bool { self == .accept || self == .next || self == .lead }
}

/// The appearance of a button.
public struct ButtonState: Hashable, Sendable {
    public var isPressed: Bool
    /// Whether pressing the button has an effect.
    public var isEnabled: Bool
    /// Whether the effect of the button is under way.
    public var isBusy = false
    /// Whether the button stands for the colour or width in use.
    public var isChosen: Bool
    /// The index of the colour or width on the button; 0 for other buttons.
    public var tool: Int

    public init(
        isPressed: Bool = false, isEnabled: Bool = true, isBusy: Bool = false, isChosen: Bool = false, tool: Int = 0
    ) {
        self.isPressed = isPressed
        self.isEnabled = isEnabled
        self.isBusy = isBusy
        self.isChosen = isChosen
        self.tool = tool
    }
}

/// A message over the ink field of a page.
public struct Banner: Equatable, Sendable {
    public var text: String
    /// Whether something is wrong.
    public var isWarning: Bool

    public init(_ text: String, isWarning: Bool = false) {
        self.text = text
        self.isWarning = isWarning
    }
}

/// The side at which lines of text start.
public enum LayoutDirection: String, Sendable, CaseIterable {
    case leftToRight = "left-to-right"
    case rightToLeft = "right-to-left"
}
