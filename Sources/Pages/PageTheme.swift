// SPDX-License-Identifier: Apache-2.0
public import Raster

/// The colours of the pages. Text stands out from what is behind it by at least 7 to 1 (WCAG 2.2, 1.4.6), and lines and
/// borders that matter by at least 3 to 1.
public struct PageTheme: Equatable, Sendable {
    public var background: Color
    public var text: Color
    /// Where people sign.
    public var paper: Color
    public var paperBorder: Color
    /// The signing line and the cross before it; ink goes over them.
    public var signingLine: Color
    /// A dark blue in the light theme, as of a fountain pen.
    public var ink: Color
    public var button: ButtonColors
    /// Of the button that ends it all.
    public var acceptButton: ButtonColors

    public struct ButtonColors: Equatable, Sendable {
        public var face: Color
        public var pressedFace: Color
        public var border: Color
        public var text: Color

        public init(face: Color, pressedFace: Color, border: Color, text: Color) {
            self.face = face
            self.pressedFace = pressedFace
            self.border = border
            self.text = text
        }
    }

    public init(
        background: Color, text: Color, paper: Color, paperBorder: Color, signingLine: Color, ink: Color,
        button: ButtonColors, acceptButton: ButtonColors
    ) {
        self.background = background
        self.text = text
        self.paper = paper
        self.paperBorder = paperBorder
        self.signingLine = signingLine
        self.ink = ink
        self.button = button
        self.acceptButton = acceptButton
    }

    public static let light = PageTheme(
        background: Color(red: 0xF2, green: 0xF3, blue: 0xF5), text: Color(red: 0x1B, green: 0x1D, blue: 0x21),
        paper: .white, paperBorder: Color(red: 0x86, green: 0x8B, blue: 0x94),
        signingLine: Color(red: 0x86, green: 0x8B, blue: 0x94), ink: Color(red: 0x0B, green: 0x1F, blue: 0x5C),
        button: ButtonColors(
            face: .white, pressedFace: Color(red: 0xC9, green: 0xCE, blue: 0xD6),
            border: Color(red: 0x6B, green: 0x71, blue: 0x7B), text: Color(red: 0x1B, green: 0x1D, blue: 0x21)),
        acceptButton: ButtonColors(
            face: Color(red: 0x0B, green: 0x57, blue: 0x2F), pressedFace: Color(red: 0x06, green: 0x36, blue: 0x1D),
            border: Color(red: 0x06, green: 0x36, blue: 0x1D), text: .white))

    /// For dark rooms: little light, and none of it on the paper either.
    public static let dark = PageTheme(
        background: Color(red: 0x14, green: 0x16, blue: 0x1A), text: Color(red: 0xEC, green: 0xEE, blue: 0xF1),
        paper: Color(red: 0x22, green: 0x25, blue: 0x2B), paperBorder: Color(red: 0x8A, green: 0x90, blue: 0x9A),
        signingLine: Color(red: 0x8A, green: 0x90, blue: 0x9A), ink: Color(red: 0xF4, green: 0xF6, blue: 0xFA),
        button: ButtonColors(
            face: Color(red: 0x2C, green: 0x30, blue: 0x38), pressedFace: Color(red: 0x12, green: 0x14, blue: 0x17),
            border: Color(red: 0x8A, green: 0x90, blue: 0x9A), text: Color(red: 0xEC, green: 0xEE, blue: 0xF1)),
        acceptButton: ButtonColors(
            face: Color(red: 0x7F, green: 0xD8, blue: 0xA1), pressedFace: Color(red: 0x54, green: 0xB0, blue: 0x78),
            border: Color(red: 0x7F, green: 0xD8, blue: 0xA1), text: Color(red: 0x05, green: 0x23, blue: 0x12)))
}
