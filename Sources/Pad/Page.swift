// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Raster

/// The content of the display, apart from ink and pressed buttons.
public enum Page: Equatable, Sendable {
    /// A short text in the middle.
    case words(String)
    /// A picture in the middle, as large as fits.
    case picture(Picture)
    case sketch(SketchLayout, SketchTools, [PageButton: ButtonState])
    /// - Parameter message: replaces prompt and reason.
    case signature(SignatureLayout, message: String?, hasButtons: Bool)
}

/// A button of a page.
public enum PageButton: Hashable, Sendable {
    case accept, clear, cancel, undo
    // Only on the sketch page:
    case redo, save
    /// Selects the colour at this index of ``SketchTools/colors``.
    case color(Int)
    /// Selects the width at this index of ``SketchTools/widths``.
    case width(Int)
    /// Selects the next colour and shows the current one, on pages without room for all.
    case nextColor
    case nextWidth

    /// The buttons of the signing page.
    public static let signing: [PageButton] = [.accept, .clear, .cancel, .undo]
}

/// The appearance of a button.
public struct ButtonState: Hashable, Sendable {
    public var isPressed: Bool
    /// Whether pressing the button has an effect.
    public var isEnabled: Bool
    /// Whether the button stands for the colour or width in use.
    public var isChosen: Bool
    /// The index of the colour or width on the button; 0 for other buttons.
    public var tool: Int

    public init(isPressed: Bool = false, isEnabled: Bool = true, isChosen: Bool = false, tool: Int = 0) {
        self.isPressed = isPressed
        self.isEnabled = isEnabled
        self.isChosen = isChosen
        self.tool = tool
    }
}

/// A button and its label in the middle. All of `rect` accepts touches. Sketch buttons have icons instead of labels.
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

/// The areas of a page that respond to touches: the ink field and the buttons.
public struct PageGeometry: Equatable, Sendable {
    /// The area that takes ink. No button overlaps it.
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

/// The texts of a signing page; nil leaves a text out.
public struct PageTexts: Equatable, Sendable {
    public enum Field: String, Sendable, CaseIterable {
        case prompt, signer, reason, date
        /// The labels of the buttons.
        case labels
    }

    public var prompt: [String]
    public var signer: String?
    public var reason: String?
    public var date: String?
    /// The label of each button; the keys are the page's buttons.
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
