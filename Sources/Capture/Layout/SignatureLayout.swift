// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Where everything of the signature page is, in pixels of the picture as people see it. From top to bottom: prompt,
/// reason, signing area, signer and date, buttons. Every text is there to its last letter: what is signed for must have
/// been seen.
public struct SignatureLayout: Equatable, Sendable {
    /// Of the page, that the signing area has at least. It gets all that is left.
    public static let leastSigningShare = 0.25

    public var size: PixelSize
    /// Has room for a line at least, also without a prompt: messages stand in its place.
    public var prompt: PlacedText
    public var reason: PlacedText?
    public var signer: PlacedText?
    public var date: PlacedText?
    public var signingArea: PixelRect
    /// Within the signing area; ink goes over it.
    public var signingLine: PixelRect
    /// A cross before the line, within the signing area.
    public var mark: PixelRect
    public var buttons: [PlacedButton]
    /// Of messages that are short, in pixels.
    public var messageEm: Double
    /// As the screen says, or else as the page was laid out for.
    public var density: PixelDensity

    public var pad: PadGeometry {
        PadGeometry(
            signingArea: signingArea,
            buttons: Dictionary(uniqueKeysWithValues: buttons.map { ($0.button, $0.rect) }), density: density)
    }

    /// Buttons are 9 mm wide and high at least; where the screen is too small for that (its shorter side below some
    /// 36 mm) all gets smaller together until it fits.
    /// - Parameters:
    ///   - size: of the picture as people see it, turned by the rotation.
    ///   - density: nil when the screen does not say how large it is; then 48 pixels stand for 9 mm, or a tenth of the
    ///     shorter side if that is more.
    ///   - direction: of the page; from right to left everything is mirrored.
    ///   - pieces: where lines may be broken.
    /// - Throws: ``PageTooSmall`` without a field when the picture has not enough pixels for a page, of which 240 on the
    ///   shorter side always are; with one when the texts are too long for the picture.
    public init(
        size: PixelSize, density: PixelDensity?, direction: LayoutDirection, texts: PageTexts,
        measure: TextMeasure, pieces: TextPieces = SignatureLayout.words
    ) throws(PageTooSmall) {
        let wanted = LayoutScale.wantedUnit(size: size, density: density)
        // Twentieth by twentieth: few steps on a real screen, and an end for what is none. 0.4 pixels per millimetre
        // are those of the coarsest density there is.
        var unit = wanted
        while unit > 0.4 {
            let scale = LayoutScale(unit: unit, size: size)
            let density = density ?? PixelDensity(dotsPerInch: wanted * 25.4)
            do throws(PageTooSmall) {
                let arrangement = try PageArrangement(
                    size: size, texts: texts, scale: scale, measure: measure, pieces: pieces)
                self = arrangement.layout(texts: texts, density: density, measure: measure)
                if direction == .rightToLeft { mirror() }
                return
            } catch {
                // Letters do not get smaller than can be read for the sake of a long text.
                if error.field != nil { throw error }
            }
            unit *= 0.95
        }
        throw PageTooSmall()
    }

    init(
        size: PixelSize, prompt: PlacedText, reason: PlacedText?, signer: PlacedText?, date: PlacedText?,
        signingArea: PixelRect, signingLine: PixelRect, mark: PixelRect, buttons: [PlacedButton],
        messageEm: Double, density: PixelDensity
    ) {
        self.size = size
        self.prompt = prompt
        self.reason = reason
        self.signer = signer
        self.date = date
        self.signingArea = signingArea
        self.signingLine = signingLine
        self.mark = mark
        self.buttons = buttons
        self.messageEm = messageEm
        self.density = density
    }
}
