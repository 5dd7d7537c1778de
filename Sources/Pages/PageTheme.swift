// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Glibc

/// The colours of the pages. Contrast (WCAG 2.2) of text is at least 7 to 1, of muted text, hints and icons 4.5 to 1,
/// and of borders 3 to 1.
public struct PageTheme: Equatable, Sendable {
    public struct ButtonColors: Equatable, Sendable {
        public var face: Color
        public var pressedFace: Color
        public var text: Color
    }

    public var background: Color
    public var text: Color
    public var mutedText: Color
    /// The card of the signing page, and the sketch's drawing area.
    public var paper: Color
    public var border: Color
    /// The shadow below the card.
    public var shadow: Color
    /// The signing line and its hint, below the ink.
    public var guide: Color
    public var ink: Color
    /// Accept.
    public var primary: ButtonColors
    /// All other buttons, without a face of their own until pressed.
    public var quiet: ButtonColors
    /// A button without an effect.
    public var disabled: ButtonColors
    /// The banner of a refusal; its face stands out from the paper.
    public var warning: ButtonColors
    /// The banner of a notice.
    public var notice: ButtonColors
    /// The tick.
    public var success: Color

    /// The theme with the colour of a brand for Accept and the tick.
    /// - Throws: ``AccentError`` if it would not be legible.
    public func accented(_ accent: Color) throws(AccentError) -> PageTheme {
        let label = [primary.text, text, paper].max { accent.contrast(with: $0) < accent.contrast(with: $1) }!
        let (inLabel, onPage) = (accent.contrast(with: label), accent.contrast(with: background))
        if inLabel < Self.textContrast {
            throw AccentError(color: accent, ratio: inLabel, required: Self.textContrast, against: "its label")
        }
        if onPage < Self.shapeContrast {
            throw AccentError(color: accent, ratio: onPage, required: Self.shapeContrast, against: "the page")
        }
        var theme = self
        // Darker or lighter, whichever moves away from the label.
        let pressed = accent.mixed(with: label.luminance > accent.luminance ? .black : .white, 0.35)
        theme.primary = ButtonColors(face: accent, pressedFace: pressed, text: label)
        theme.success = accent
        return theme
    }

    /// WCAG 2.2, level AA: of text, and of what marks a control.
    public static let (textContrast, shapeContrast) = (4.5, 3.0)

    public static let light = PageTheme(
        background: 0xF3F4F6, text: 0x16181D, mutedText: 0x555B66, paper: 0xFFFFFF, border: 0x868C96, shadow: 0xDDE0E5,
        guide: 0x6F7580, ink: 0x0B1F5C,
        primary: ButtonColors(face: 0x0E5A33, pressedFace: 0x07391F, text: 0xFFFFFF),
        quiet: ButtonColors(face: 0xF3F4F6, pressedFace: 0xD3D8DF, text: 0x23262D),
        disabled: ButtonColors(face: 0xDFE2E7, pressedFace: 0xD3D8DF, text: 0x5E646F),
        warning: ButtonColors(face: 0xFDE9C8, pressedFace: 0xFDE9C8, text: 0x5A3400),
        notice: ButtonColors(face: 0x2B3039, pressedFace: 0x2B3039, text: 0xFFFFFF), success: 0x0E6B3B)

    /// Dark, including the paper, for dark rooms.
    public static let dark = PageTheme(
        background: 0x101216, text: 0xEEF0F3, mutedText: 0xA9AFBA, paper: 0x1E2127, border: 0x7D838E, shadow: 0x08090B,
        guide: 0x8D939E, ink: 0xF4F6FA,
        primary: ButtonColors(face: 0x7FD8A1, pressedFace: 0x54B078, text: 0x052312),
        quiet: ButtonColors(face: 0x101216, pressedFace: 0x353A43, text: 0xE2E5EA),
        disabled: ButtonColors(face: 0x2A2E35, pressedFace: 0x353A43, text: 0x9097A2),
        warning: ButtonColors(face: 0x4A3205, pressedFace: 0x4A3205, text: 0xFFE2AE),
        notice: ButtonColors(face: 0xE2E5EA, pressedFace: 0xE2E5EA, text: 0x16181D), success: 0x7FD8A1)

    /// Black and white with yellow, for people who see little.
    public static let highContrast = PageTheme(
        background: 0x000000, text: 0xFFFFFF, mutedText: 0xFFFFFF, paper: 0xFFFFFF, border: 0xFFFFFF, shadow: 0x000000,
        guide: 0x000000, ink: 0x000000,
        primary: ButtonColors(face: 0xFFDD00, pressedFace: 0xC4A600, text: 0x000000),
        quiet: ButtonColors(face: 0x000000, pressedFace: 0x4D4D4D, text: 0xFFFFFF),
        disabled: ButtonColors(face: 0x2B2B2B, pressedFace: 0x4D4D4D, text: 0xC8C8C8),
        warning: ButtonColors(face: 0xFFDD00, pressedFace: 0xFFDD00, text: 0x000000),
        notice: ButtonColors(face: 0x000000, pressedFace: 0x000000, text: 0xFFFFFF), success: 0xFFDD00)
}

extension PageTheme {
    /// Text on the paper, which may have other colours than the page.
    var paperText: Color { text.contrast(with: paper) >= Self.textContrast ? text : ink }

    /// The colour behind the pages of a document.
    var desk: Color { shadow }

    /// The open fields of a document, and what is chosen on paper: the colour of Accept, legible on white.
    var mark: Color { legiblePrimary(on: .white) }

    /// The colour of chosen answers on the paper of a card.
    var chosen: Color { legiblePrimary(on: paper) }

    /// The colour of Accept, or darker or lighter as far as texts need.
    private func legiblePrimary(on paper: Color) -> Color {
        let far: Color = paper.luminance > 0.18 ? .black : .white
        // Little would be left of a colour that is nearly the paper's, such as yellow on white.
        if primary.face.contrast(with: paper) < 1.5 { return far }
        for step in 0..<16 {
            let mixed = primary.face.mixed(with: far, Double(step) / 16)
            if mixed.contrast(with: paper) >= Self.textContrast { return mixed }
        }
        return far
    }

    /// Five distinguishable colours with a contrast of 3 to 1 on the paper: the ink, red, blue, green and orange.
    public var sketchColors: [Color] {
        let isDark = Int(paper.red) + Int(paper.green) + Int(paper.blue) < 3 * 128
        return isDark
            ? [ink, 0xFF6B6B, 0x6CA8FF, 0x5FD37A, 0xFFC24B]
            : [ink, 0xC41E1E, 0x1E6BE0, 0x14803C, 0xC25A00]
    }
}

/// A brand's colour cannot be used for buttons.
public struct AccentError: Error, Equatable, CustomStringConvertible {
    public var color: Color
    /// The contrast ratio.
    public var ratio: Double
    public var required: Double
    public var against: String

    public var description: String {
        func text(_ ratio: Double) -> String {
            // Rounded down: 4.49 is not enough for 4.5.
            let tenths = Int(ratio * 10)
            return "\(tenths / 10).\(tenths % 10)"
        }
        return "the contrast of the colour with \(against) is \(text(ratio)) to 1; at least \(text(required)) to 1 is "
            + "required"
    }
}

extension Color {
    /// The relative luminance of WCAG 2.2, 0...1.
    var luminance: Double {
        func linear(_ channel: UInt8) -> Double {
            let value = Double(channel) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// The contrast ratio of WCAG 2.2, 1...21.
    public func contrast(with other: Color) -> Double {
        let (one, two) = (luminance, other.luminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }
}
