// SPDX-License-Identifier: Apache-2.0
import Pad
import Raster
import Testing

@Suite("Themes")
struct PageThemeTests {
    static let themes = [PageTheme.light, .dark, .highContrast]

    /// WCAG 2.2, relative luminance and contrast ratio.
    private func contrast(_ one: Color, _ other: Color) -> Double {
        func luminance(_ color: Color) -> Double {
            func linear(_ channel: UInt8) -> Double {
                let value = Double(channel) / 255
                return value <= 0.04045 ? value / 12.92 : Self.power((value + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
        }
        let (light, dark) = (max(luminance(one), luminance(other)), min(luminance(one), luminance(other)))
        return (light + 0.05) / (dark + 0.05)
    }

    /// x to the 2.4th as the fifth root of x to the 12th, by Newton's method: no library for one number.
    private static func power(_ x: Double, _ exponent: Double) -> Double {
        precondition(exponent == 2.4, "the only one there is")
        let target = (0..<12).reduce(1.0) { product, _ in product * x }
        var root = max(x, 0.01)
        for _ in 0..<60 {
            let fourth = root * root * root * root
            root -= (root * fourth - target) / (5 * fourth)
        }
        return root
    }

    @Test("contrast is that of WCAG")
    func formula() {
        #expect(abs(contrast(.black, .white) - 21) < 0.001)
        // WCAG's own example of the least grey that reads on white.
        #expect(abs(contrast(Color(red: 0x76, green: 0x76, blue: 0x76), .white) - 4.54) < 0.01)
    }

    /// Text: 4.5 to 1, and 7 to 1 in high contrast.
    private func least(_ theme: PageTheme) -> Double { theme == .highContrast ? 7 : 4.5 }

    @Test("texts have enough contrast", arguments: themes)
    func texts(theme: PageTheme) {
        #expect(contrast(theme.text, theme.background) >= 7)
        #expect(contrast(theme.ink, theme.paper) >= 7)
        #expect(contrast(theme.mutedText, theme.background) >= least(theme))
        for banner in [theme.warning, theme.notice] { #expect(contrast(banner.text, banner.face) >= 7) }
        #expect(contrast(theme.warning.face, theme.notice.face) >= 1.2 && theme.warning.face != theme.paper)
    }

    @Test("the labels of buttons have enough contrast, also while pressed", arguments: themes)
    func labels(theme: PageTheme) {
        for button in [theme.primary, theme.quiet] {
            #expect(contrast(button.text, button.face) >= 7)
            #expect(contrast(button.text, button.pressedFace) >= least(theme))
            #expect(button.face != button.pressedFace)
        }
        // WCAG exempts buttons without an effect, but people read their labels, too.
        for face in [theme.disabled.face, theme.background] {
            #expect(contrast(theme.disabled.text, face) >= 4.5)
        }
    }

    @Test("icons on the card and on the page have enough contrast", arguments: themes)
    func icons(theme: PageTheme) {
        // The card is white on the black page of high contrast, so its icons have the colour of the ink there.
        let onPaper = contrast(theme.text, theme.paper) > contrast(theme.ink, theme.paper) ? theme.text : theme.ink
        #expect(contrast(onPaper, theme.paper) >= least(theme))
        #expect(contrast(theme.quiet.text, theme.background) >= least(theme))
        #expect(contrast(theme.success, theme.background) >= least(theme))
    }

    @Test("edges, the signing line and its hint have enough contrast", arguments: themes)
    func edges(theme: PageTheme) {
        #expect(contrast(theme.border, theme.background) >= 3)
        #expect(contrast(theme.border, theme.paper) >= 3 || theme == .highContrast)
        // The hint is a text in the guide's colour.
        #expect(contrast(theme.guide, theme.paper) >= least(theme))
        // The primary button has no border; its face is its edge. A quiet button has none until it is pressed.
        #expect(contrast(theme.primary.face, theme.background) >= 3)
        #expect(theme.quiet.face == theme.background)
    }

    @Test("drawing colours have a contrast of 3 to 1 with the paper", arguments: themes)
    func sketchColors(theme: PageTheme) {
        #expect(theme.sketchColors.count == 5 && Set(theme.sketchColors).count == 5)
        for color in theme.sketchColors { #expect(contrast(color, theme.paper) >= 3, "\(color)") }
    }
}
