// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Ink

/// The contents of a page's document element at one moment. Places are pixels of the picture on the screen, and may
/// extend beyond the element. They are rounded to whole pixels; a picture as large as its place is copied.
public struct DocumentScene: Equatable, Sendable {
    /// A page of the document.
    public struct Sheet: Equatable, Sendable {
        /// The number of the page, from 1.
        public var page: Int
        public var place: Rect
        /// nil until it is drawn: the sheet is blank.
        public var picture: DrawnPage?
        /// A part that was drawn larger, and its place; nil unless the page is enlarged and at rest.
        public var detail: DrawnPage?
        public var detailPlace: Rect?
        /// Pixels on the screen in a point of 1/72 inch of the document. With it ink and words have the size that they
        /// get in the signed document; nil if unknown: they are as large as their fields let them.
        public var pixelsPerPoint: Double?

        public init(page: Int, place: Rect, picture: DrawnPage? = nil) {
            self.page = page
            self.place = place
            self.picture = picture
        }
    }

    /// A field of the document.
    public struct Mark: Equatable, Sendable {
        public enum State: Equatable, Sendable {
            /// The person whose turn it is can fill it.
            case open(isRequired: Bool)
            /// Another person's.
            case foreign
            /// A check box or a choice that was not chosen, although somebody answered or need not.
            case empty
            case ticked
            case ink(SignedInk)
            /// Words in place of a signature, and the ink of those who took part: none, or that of a representative,
            /// or a mark and those of its witnesses.
            case instead(String, [SignedInk])
            /// Words that the pad fills in: the date or the name.
            case words(String)
        }

        public enum Shape: Equatable, Sendable { case signature, initials, check, choice, words }

        public var shape: Shape
        public var place: Rect
        public var state: State
        /// The hint in an open signature or initials: "Sign here".
        public var hint: String?
        public var isPressed = false
        /// The line below a signature.
        public var caption: String?
        /// Whether the ground is dark, so that ink needs a white plate.
        public var hasPlate = false

        public init(_ shape: Shape, place: Rect, state: State, hint: String? = nil) {
            self.shape = shape
            self.place = place
            self.state = state
            self.hint = hint
        }
    }

    public var sheets: [Sheet]
    public var marks: [Mark]
    /// The part of the document that is visible, from 0 to 1, for the bar of the position; nil if all of it is.
    public var visible: ClosedRange<Double>?

    public init(sheets: [Sheet] = [], marks: [Mark] = [], visible: ClosedRange<Double>? = nil) {
        self.sheets = sheets
        self.marks = marks
        self.visible = visible
    }
}

/// Ink that a person has accepted for a field, as the canvas drew it.
public final class SignedInk: Equatable, Sendable {
    /// The strokes in pixels of the picture on which they were written.
    public let strokes: [[Sample]]
    public let pen: Pen
    public let color: Color
    public let density: PixelDensity

    public init(strokes: [[Sample]], pen: Pen, color: Color, density: PixelDensity) {
        self.strokes = strokes
        self.pen = pen
        self.color = color
        self.density = density
    }

    public static func == (a: SignedInk, b: SignedInk) -> Bool { a === b }
}
