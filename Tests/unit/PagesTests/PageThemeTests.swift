// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pad
import Pages
import Raster
import TestSupport
import Testing

@Suite("Themes")
struct PageThemeTests {
    static let themes = [PageTheme.light, .dark, .highContrast]

    @Test("contrast is that of WCAG")
    func formula() {
        #expect(abs(Color.black.contrast(with: .white) - 21) < 0.001)
        // WCAG's own example of the least grey that reads on white.
        #expect(abs(Color(red: 0x76, green: 0x76, blue: 0x76).contrast(with: .white) - 4.54) < 0.01)
    }

    /// Text: 4.5 to 1, and 7 to 1 in high contrast.
    private func least(_ theme: PageTheme) -> Double { theme == .highContrast ? 7 : 4.5 }

    @Test("texts have enough contrast", arguments: themes)
    func texts(theme: PageTheme) {
        #expect(theme.text.contrast(with: theme.background) >= 7)
        #expect(theme.ink.contrast(with: theme.paper) >= 7)
        #expect(theme.mutedText.contrast(with: theme.background) >= least(theme))
        for banner in [theme.warning, theme.notice] { #expect(banner.text.contrast(with: banner.face) >= 7) }
        #expect(theme.warning.face.contrast(with: theme.notice.face) >= 1.2 && theme.warning.face != theme.paper)
    }

    @Test("the labels of buttons have enough contrast, also while pressed", arguments: themes)
    func labels(theme: PageTheme) {
        for button in [theme.primary, theme.quiet] {
            #expect(button.text.contrast(with: button.face) >= 7)
            #expect(button.text.contrast(with: button.pressedFace) >= least(theme))
            #expect(button.face != button.pressedFace)
        }
        // WCAG exempts buttons without an effect, but people read their labels, too.
        for face in [theme.disabled.face, theme.background] {
            #expect(theme.disabled.text.contrast(with: face) >= 4.5)
        }
    }

    @Test("icons on the card and on the page have enough contrast", arguments: themes)
    func icons(theme: PageTheme) {
        // The card is white on the black page of high contrast, so its icons have the colour of the ink there.
        let onPaper =
            theme.text.contrast(with: theme.paper) > theme.ink.contrast(with: theme.paper) ? theme.text : theme.ink
        #expect(onPaper.contrast(with: theme.paper) >= least(theme))
        #expect(theme.quiet.text.contrast(with: theme.background) >= least(theme))
        #expect(theme.success.contrast(with: theme.background) >= least(theme))
    }

    @Test("edges, the signing line and its hint have enough contrast", arguments: themes)
    func edges(theme: PageTheme) {
        #expect(theme.border.contrast(with: theme.background) >= 3)
        #expect(theme.border.contrast(with: theme.paper) >= 3 || theme == .highContrast)
        // The hint is a text in the guide's colour.
        #expect(theme.guide.contrast(with: theme.paper) >= least(theme))
        // The primary button has no border; its face is its edge. A quiet button has none until it is pressed.
        #expect(theme.primary.face.contrast(with: theme.background) >= 3)
        #expect(theme.quiet.face == theme.background)
    }

    @Test("drawing colours have a contrast of 3 to 1 with the paper", arguments: themes)
    func sketchColors(theme: PageTheme) {
        #expect(theme.sketchColors.count == 5 && Set(theme.sketchColors).count == 5)
        for color in theme.sketchColors { #expect(color.contrast(with: theme.paper) >= 3, "\(color)") }
    }

    @Test("a brand's colour is for Accept and the tick", arguments: themes)
    func accent(theme: PageTheme) throws {
        let accent: Color = theme == .light ? 0x0057B8 : 0x7FC4FF
        let branded = try theme.accented(accent)
        #expect(branded.primary.face == accent && branded.success == accent)
        #expect(branded.primary.text.contrast(with: accent) >= 4.5)
        #expect(branded.primary.text.contrast(with: branded.primary.pressedFace) >= 4.5)
        var rest = branded
        (rest.primary, rest.success) = (theme.primary, theme.success)
        #expect(rest == theme)
    }

    @Test("an illegible colour is refused with its contrast")
    func illegibleAccent() {
        let yellow = thrownError { try PageTheme.light.accented(0xFFEE00) } as? AccentError
        #expect(
            yellow?.description
                == "the contrast of the colour with the page is 1.0 to 1; at least 3.0 to 1 is required")
        #expect(throws: AccentError.self) { try PageTheme.dark.accented(0x202428) }
    }

    @Test("any colour is either legible on a page, pressed or not, or refused", arguments: themes)
    func anyAccent(theme: PageTheme) {
        var accepted = 0
        for red in stride(from: 0, through: 255, by: 17) {
            for green in stride(from: 0, through: 255, by: 17) {
                for blue in stride(from: 0, through: 255, by: 51) {
                    let color = Color(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
                    guard let branded = try? theme.accented(color) else { continue }
                    accepted += 1
                    let primary = branded.primary
                    #expect(primary.text.contrast(with: color) >= 4.5 && color.contrast(with: theme.background) >= 3)
                    #expect(primary.text.contrast(with: primary.pressedFace) >= 4.5)
                }
            }
        }
        #expect(accepted > 200)
    }
}
