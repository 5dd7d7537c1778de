// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Raster

/// What the display shows, apart from ink and pressed buttons.
public enum Page: Equatable, Sendable {
    /// A few words in the middle.
    case words(String)
    /// As large as fits, in the middle.
    case picture(Picture)
    case sketch(SketchLayout, SketchTools, [PageButton: ButtonState])
    /// - Parameter message: in the place of prompt and reason.
    case signature(SignatureLayout, message: String?, hasButtons: Bool)
}

/// What a person can press on a page.
public enum PageButton: Hashable, Sendable {
    case accept, clear, cancel, undo
    // Only on the sketch page:
    case redo, save
    /// Chooses that one of ``SketchTools/colors``.
    case color(Int)
    /// Chooses that one of ``SketchTools/widths``.
    case width(Int)
    /// Chooses the next colour, and shows the current one: on pages without room for all.
    case nextColor
    case nextWidth

    /// Those of the signing page.
    public static let signing: [PageButton] = [.accept, .clear, .cancel, .undo]
}

/// How a button looks.
public struct ButtonState: Hashable, Sendable {
    public var isPressed: Bool
    /// Whether pressing it would do anything.
    public var isEnabled: Bool
    /// Whether it is the colour or the width in use.
    public var isChosen: Bool
    /// The index of the colour or width that it shows; 0 where it shows none.
    public var tool: Int

    public init(isPressed: Bool = false, isEnabled: Bool = true, isChosen: Bool = false, tool: Int = 0) {
        self.isPressed = isPressed
        self.isEnabled = isEnabled
        self.isChosen = isChosen
        self.tool = tool
    }
}

/// A button, which takes touches all over `rect`, and its label in the middle of it; sketch buttons have icons.
public struct PlacedButton: Equatable, Sendable {
    public var button: PageButton
    public var rect: PixelRect
    public var label: PlacedText?

    public init(button: PageButton, rect: PixelRect, label: PlacedText? = nil) {
        self.button = button
        self.rect = rect
        self.label = label
    }
}

/// What a touch means on a page: where ink goes and where buttons are.
public struct PageGeometry: Equatable, Sendable {
    /// Takes ink. No button overlaps it.
    public var inkField: PixelRect
    public var buttons: [PlacedButton]
    public var density: PixelDensity

    public init(inkField: PixelRect, buttons: [PlacedButton], density: PixelDensity) {
        self.inkField = inkField
        self.buttons = buttons
        self.density = density
    }

    func button(at point: Point) -> PageButton? { buttons.first { $0.rect.contains(point) }?.button }

    func isInside(_ point: Point, _ button: PageButton) -> Bool {
        buttons.first { $0.button == button }?.rect.contains(point) ?? false
    }
}

extension PixelRect {
    /// Whether the point is on one of its pixels.
    fileprivate func contains(_ point: Point) -> Bool {
        point.x >= Double(minX) && point.x < Double(maxX) && point.y >= Double(minY) && point.y < Double(maxY)
    }
}

/// The text of a signing page; nil is not written.
public struct PageTexts: Equatable, Sendable {
    public enum Field: String, Sendable, CaseIterable {
        case prompt, signer, reason, date
        /// Those of the buttons.
        case labels
    }

    public var prompt: [String]
    public var signer: String?
    public var reason: String?
    public var date: String?
    /// The label of each button, and so which buttons there are.
    public var labels: [PageButton: String]

    public init(
        prompt: [String], signer: String? = nil, reason: String? = nil, date: String? = nil,
        labels: [PageButton: String]
    ) {
        self.prompt = prompt
        self.signer = signer
        self.reason = reason
        self.date = date
        self.labels = labels
    }
}

/// A page's texts do not fit on the picture at the smallest legible sizes.
public struct PageTooSmall: Error, Equatable, Sendable {
    /// The text that needs the most room; nil if the page does not fit without it either.
    public var field: PageTexts.Field?

    public init(field: PageTexts.Field? = nil) { self.field = field }
}

/// The side at which lines of text start.
public enum LayoutDirection: String, Sendable, CaseIterable {
    case leftToRight = "left-to-right"
    case rightToLeft = "right-to-left"
}
