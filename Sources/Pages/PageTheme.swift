// SPDX-License-Identifier: Apache-2.0
public import Raster

/// The colours of the pages. Contrast of text is at least 7 to 1 (WCAG 2.2, 1.4.6), of lines and borders 3 to 1.
public struct PageTheme: Equatable, Sendable {
    public var background: Color
    public var text: Color
    /// The signing area.
    public var paper: Color
    public var paperBorder: Color
    /// The signing line and the cross before it, below the ink.
    public var signingLine: Color
    public var ink: Color
    public var button: ButtonColors
    public var acceptButton: ButtonColors

    public struct ButtonColors: Equatable, Sendable {
        public var face: Color
        public var pressedFace: Color
        public var border: Color
        public var text: Color
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

    /// Dark, including the paper, for dark rooms.
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

extension PageTheme {
    /// Five distinguishable colours with a contrast of 3 to 1 on the paper: the ink, red, blue, green and orange.
    public var sketchColors: [Color] {
        let isDark = Int(paper.red) + Int(paper.green) + Int(paper.blue) < 3 * 128
        return isDark
            ? [
                ink, Color(red: 0xFF, green: 0x6B, blue: 0x6B), Color(red: 0x6C, green: 0xA8, blue: 0xFF),
                Color(red: 0x5F, green: 0xD3, blue: 0x7A), Color(red: 0xFF, green: 0xC2, blue: 0x4B),
            ]
            : [
                ink, Color(red: 0xC4, green: 0x1E, blue: 0x1E), Color(red: 0x1E, green: 0x6B, blue: 0xE0),
                Color(red: 0x14, green: 0x80, blue: 0x3C), Color(red: 0xC2, green: 0x5A, blue: 0x00),
            ]
    }
}
