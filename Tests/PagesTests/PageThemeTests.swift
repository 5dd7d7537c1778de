// SPDX-License-Identifier: Apache-2.0
import Pages
import Raster
import Testing

@Suite("The themes of the pages")
struct PageThemeTests {
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

    @Test("contrast is computed as WCAG does")
    func formula() {
        #expect(abs(contrast(.black, .white) - 21) < 0.001)
        // WCAG's own example of the least grey that reads on white.
        #expect(abs(contrast(Color(red: 0x76, green: 0x76, blue: 0x76), .white) - 4.54) < 0.01)
    }

    @Test("can be read, and what can be pressed can be seen", arguments: [PageTheme.light, .dark])
    func contrast(theme: PageTheme) {
        #expect(contrast(theme.text, theme.background) >= 7)
        #expect(contrast(theme.ink, theme.paper) >= 7)
        #expect(contrast(theme.signingLine, theme.paper) >= 3)
        #expect(contrast(theme.paperBorder, theme.background) >= 3)
        for button in [theme.button, theme.acceptButton] {
            #expect(contrast(button.text, button.face) >= 7)
            #expect(contrast(button.border, theme.background) >= 3)
            #expect(button.face != button.pressedFace)
            #expect(contrast(button.text, button.pressedFace) >= 4.5)
        }
    }

    @Test("colours to draw with stand out from the paper by 3 to 1", arguments: [PageTheme.light, .dark])
    func sketchColors(theme: PageTheme) {
        #expect(theme.sketchColors.count == 5 && Set(theme.sketchColors).count == 5)
        for color in theme.sketchColors { #expect(contrast(color, theme.paper) >= 3, "\(color)") }
    }
}
