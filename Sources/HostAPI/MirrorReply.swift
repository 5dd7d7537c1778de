// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// How much of a capture its mirrors show. Each level includes those before.
public enum MirrorLevel: String, CaseIterable, Comparable, Sendable {
    /// The page and the number of strokes.
    case state
    /// The squares that have ink.
    case presence
    /// The outlines of the strokes: the ink as it looks, without pressure and times.
    case ink

    public static func < (a: MirrorLevel, b: MirrorLevel) -> Bool {
        allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
    }
}

/// A reply to `Mirror`. Members that have not changed are nil.
public struct MirrorReply: Codable, Equatable, Sendable {
    /// A rectangle in pixels of the page.
    public struct Rectangle: Codable, Equatable, Sendable {
        public var x, y, width, height: Int

        public init(x: Int, y: Int, width: Int, height: Int) {
            (self.x, self.y, self.width, self.height) = (x, y, width, height)
        }
    }

    /// A button of the page.
    public struct Button: Codable, Equatable, Sendable {
        /// accept, cancel, clear or undo.
        public var button: String
        /// nil for a button with an icon.
        public var label: String?
        public var rectangle: Rectangle

        public init(button: String, label: String?, rectangle: Rectangle) {
            (self.button, self.label, self.rectangle) = (button, label, rectangle)
        }
    }

    /// The place in a document that the person sees.
    public struct Document: Codable, Equatable, Sendable {
        /// The number of the page, from 1, and that of all pages.
        public var page, pages: Int

        public init(page: Int, pages: Int) { (self.page, self.pages) = (page, pages) }
    }

    /// A capture that is shown from now on: its page, and the colour of its ink. A page without ink has an empty field
    /// and no button but Cancel.
    public struct Capture: Codable, Equatable, Sendable {
        public var id: CaptureID
        public var size: PixelSize
        public var pixelsPerMillimetre: Double
        public var field: Rectangle
        public var buttons: [Button]
        public var color: String
        /// The texts of the page and its answers, from top to bottom; nil at levels that do not have its picture.
        public var texts: [String]?
        /// The language of texts and labels, a BCP 47 tag.
        public var language: String?

        public init(
            id: CaptureID, size: PixelSize, pixelsPerMillimetre: Double, field: Rectangle, buttons: [Button],
            color: String, texts: [String]? = nil, language: String? = nil
        ) {
            self.texts = texts
            self.language = language
            self.id = id
            self.size = size
            self.pixelsPerMillimetre = pixelsPerMillimetre
            self.field = field
            self.buttons = buttons
            self.color = color
        }
    }

    /// A square with ink, counted from the upper left corner of the signing area.
    public struct Cell: Codable, Hashable, Sendable {
        /// Millimetres.
        public static let side = 4.0

        public var x, y: Int

        public init(x: Int, y: Int) { (self.x, self.y) = (x, y) }
    }

    /// The new part of the stroke that is being drawn, or the start of a new one: ``final`` with ``tail`` or with
    /// ``ends``, or ``cancels`` alone. Outlines are SVG path data in 1/16 pixel of the page.
    public struct Step: Codable, Equatable, Sendable {
        /// The outlines to add to the stroke.
        public var final: String?
        /// Replaces the tail before.
        public var tail: String?
        /// The stroke has ended; it has no tail.
        public var ends: Bool?
        /// The stroke was no ink after all.
        public var cancels: Bool?

        public init(final: String? = nil, tail: String? = nil, ends: Bool? = nil, cancels: Bool? = nil) {
            self.final = final
            self.tail = tail
            self.ends = ends
            self.cancels = cancels
        }
    }

    /// nil in the reply with ``backdrop``, which has nothing else.
    public var page: PanelStatus.Page?
    public var capture: Capture?
    /// All ink before is gone.
    public var restarts: Bool?
    public var strokes: Int?
    public var document: Document?
    public var cells: [Cell]?
    public var steps: [Step]?
    /// The page of the capture without ink: PNG in Base64.
    public var backdrop: String?

    public init(
        page: PanelStatus.Page? = nil, capture: Capture? = nil, restarts: Bool? = nil, strokes: Int? = nil,
        document: Document? = nil, cells: [Cell]? = nil, steps: [Step]? = nil, backdrop: String? = nil
    ) {
        self.page = page
        self.capture = capture
        self.restarts = restarts
        self.strokes = strokes
        self.document = document
        self.cells = cells
        self.steps = steps
        self.backdrop = backdrop
    }
}
