// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

/// The type scale, spacing, touch targets and durations of all pages. Proportions within a figure, such as an icon or
/// the card's shadow, are where it is drawn.
///
/// Lengths are in pixels, made from millimetres on the screen. Sizes follow the shorter side of the screen: a counter
/// panel of 7 inches has 90 mm, a hand-held one of 2.8 inches has 43 mm.
public struct PageDesign: Equatable, Sendable {
    /// Pixels per millimetre of the design; fewer than the screen's on a page that is too small for its elements.
    public let unit: Double
    /// Around the page.
    public let margin: Int
    /// Between groups of elements.
    public let gap: Int
    /// Between elements of a group.
    public let smallGap: Int
    /// The side of a touch target: 9 mm on the smallest panels (Material Design's 48 dp), 12 mm at a counter, 18 mm for
    /// gloves.
    public let target: Int
    /// The smallest distance of two touch targets: 3 mm for gloves; otherwise icons may touch.
    public let targetGap: Int
    /// The largest side of an icon on a button.
    public let largestIcon: Double
    /// The largest width of a signing page's elements, so that a hand reaches all of them and the eye finds the next
    /// line.
    let widestColumn: Int
    /// The radius of the corners of cards and buttons.
    public let radius: Double
    /// The thickness of borders.
    public let hairline: Int
    /// The thickness of the line to sign on.
    public let line: Int
    /// 16 minutes of arc for capitals, 0.7 em high, at arm's length of 500 mm (ISO 9241-303); 10 pixels at least.
    private let legibleEm: Double
    /// The smallest legible em; with ``letters``, that of such capitals.
    public let smallestEm: Double
    /// The least height of capitals for people who see little, in millimetres; nil for the usual letters.
    let letters: Double?
    /// Whether spacing is half as wide and the signing field may be lower, for texts that do not fit otherwise.
    let isTight: Bool
    /// The factor for texts of pages without an ink field: a headline is a twelfth of the page's shorter side at least.
    let centredGrowth: Double
    private let typeUnit: Double

    /// The time for the tick to be drawn, and for slides to cross-fade.
    public static let motion = Duration.milliseconds(300)
    /// The time of a turn of the ring on a busy button.
    public static let turn = Duration.seconds(1)
    /// The height of capitals, as a share of the em. The capitals of Inter and DejaVu Sans have 0.727 and 0.729.
    private static let capitalHeight = 0.7
    /// The smallest em of texts, in millimetres.
    private static let legible = 2.4
    /// The em of a headline, in millimetres.
    private static let headline = 8.0
    /// The largest sign and logo, as shares of the page's shorter side; and the widest logo, as a share of the page's
    /// width.
    static let (signShare, logoShare, logoWidthShare) = (0.26, 0.25, 0.5)
    /// Height of a line of text, as a factor of the font's own.
    public static let lineSpacing = 1.12
    /// Texts are beside the signing field instead of above it from this ratio of the page's width to its height, and
    /// take this share of the width.
    static let (besideRatio, besideShare) = (2.2, 0.32)
    /// The largest height of the signing field, and of that for a note, as shares of its width.
    static let (fieldProportion, noteProportion) = (0.4, 0.8)
    /// The place of the line to sign on, as a share of the field's height: letters extend further above it than below.
    static let lineShare = 0.74

    /// The heights of capitals that are tried for large letters, in millimetres: down to those of the smallest texts.
    static func heights(from wanted: Double) -> [Double] {
        var heights = [wanted]
        while heights.last! * 0.85 > legible * capitalHeight { heights.append(heights.last! * 0.85) }
        return heights
    }

    /// The height of capitals in millimetres.
    /// - Parameter unit: pixels per millimetre of the screen.
    static func capitals(ofEm em: Double, unit: Double) -> Double { em * capitalHeight / unit }

    /// Pixels per millimetre as the screen states them. Otherwise 48 pixels count as 9 mm, or a tenth of the shorter
    /// side if that is more.
    static func unit(size: PixelSize, density: PixelDensity?) -> Double {
        let shorter = Double(min(size.width, size.height))
        // On a coarser screen text of ten pixels would be too large for the page.
        return max(density?.pixelsPerMillimetre ?? max(48, shorter / 10) / 9, 3)
    }

    init(unit: Double, size: PixelSize, isTight: Bool = false, gloves: Bool = false, letters: Double? = nil) {
        self.unit = unit
        self.letters = letters
        self.isTight = isTight
        let shorter = Double(min(size.width, size.height)) / unit
        // Larger panels are read from further away.
        let growth = max(1, shorter / 150)
        func pixels(_ millimetres: Double) -> Int { max(1, Int((millimetres * unit).rounded())) }
        func between(_ low: Double, _ share: Double, _ high: Double) -> Double {
            max(low, min(shorter * share, high)) * growth
        }
        let spacing = isTight ? 0.5 : 1
        margin = pixels(max(2, between(2, 0.055, 8) * spacing))
        gap = pixels(between(1.2, 0.036, 4) * spacing)
        smallGap = pixels(between(0.6, 0.018, 2) * spacing)
        let usualTarget = min(between(9, 0.16, 12), 24)
        largestIcon = usualTarget * 0.46 * unit
        // About the width of a 9-inch panel.
        widestColumn = pixels(190 * growth)
        target = Int(((gloves ? max(18, usualTarget) : usualTarget) * unit).rounded(.up))
        targetGap = gloves ? Int((3 * unit).rounded(.up)) : 0
        radius = between(1.5, 0.034, 3) * unit
        hairline = pixels(0.18 * growth)
        // Thinner than ink.
        line = pixels(0.25)
        legibleEm = max(Self.legible * unit, 10)
        smallestEm = max(legibleEm, (letters ?? 0) / Self.capitalHeight * unit)
        // There is room for larger letters before targets must grow.
        typeUnit = max(0.72, min(shorter / 85, 1), shorter / 110) * unit
        centredGrowth = max(1, shorter * unit / 12 / (Self.headline * typeUnit))
    }

    /// Heights of the signing field.
    enum FieldHeight {
        /// Texts shrink to three quarters for it.
        case good
        case least
    }

    /// A share of the field's width, or of the page's height if that is less.
    func fieldHeight(_ height: FieldHeight, width: Int, page: PixelSize) -> Int {
        let (proportion, share) = height == .good ? (0.26, 0.36) : (0.18, isTight ? 0.25 : 0.3)
        return max(1, Int(min(Double(width) * proportion, Double(page.height) * share)))
    }

    /// The em of a text before it shrinks to fit, in pixels. The ratio of the sizes is about 5 to 4.
    package func em(_ role: PageText.Role) -> Double {
        let millimetres =
            switch role {
            case .headline, .digits: Self.headline
            case .heading: 5.0
            case .body, .corner: 4.0
            case .detail, .trailingDetail: 3.2
            case .code: 3.6
            }
        return max(millimetres * typeUnit, smallestEm)
    }

    /// Large buttons for gloves have larger labels, in proportion to the details beside them.
    var labelEm: Double {
        max(4 * typeUnit, smallestEm, min(0.22 * Double(target), em(.detail) / Self.leastDetailShare))
    }

    /// The factor below which signer and date do not shrink, so that the labels of the buttons do not outshout them.
    var leastFooterFactor: Double { min(1, Self.leastDetailShare * labelEm / em(.detail)) }

    /// The em of signer and date, at least, as a share of that of a button's label.
    private static let leastDetailShare = 0.7

    /// The least distance of a label from the sides of its button.
    public var labelInset: Int { Int((smallestLabelEm * 0.35).rounded(.up)) }

    /// The distance of ink and icons from the edges of their card: ink stays within the rounded corners.
    var cardInset: Int { hairline + Int((radius * 0.35).rounded(.up)) }

    /// How far a button at the start of a page reaches into the margin, so that its label is in line with the texts.
    public var labelOutset: Int { max(0, margin - hairline) }

    /// The distances of a label from the sides of its answer: after the box or ring at the start, and at the end.
    var optionInset: (mark: Int, label: Int, end: Int) {
        let side = Int(largestIcon.rounded())
        let inset = side * 3 / 5
        return (inset, 2 * inset + side, inset)
    }

    /// The thickness of the ring in a chosen answer, within its border.
    public var chosenEdge: Int { max(2, Int((0.45 * unit).rounded())) }

    /// The least distance of a label from the upper and the lower side of its answer: no letter touches the ring.
    var optionPadding: Int { max(smallGap, hairline + chosenEdge + Int((0.3 * unit).rounded(.up))) }

    var hintEm: Double { max(3.6 * typeUnit, smallestEm) }
    public var bannerEm: Double { max(3.8 * typeUnit, smallestEm) }
    /// Banners are short of room also for large letters.
    var smallestBannerEm: Double { min(bannerEm, legibleEm * 0.8) }

    /// The smallest em of a button's label: a label is one word, recognized by its place.
    var smallestLabelEm: Double { letters == nil ? smallestEm * 0.8 : smallestEm }

    /// Whether a word that is wider than its line is broken rather than set smaller.
    var mayBreakWords: Bool { letters == nil }

    package static func weight(_ role: PageText.Role) -> TextStyle.Weight {
        switch role {
        case .headline, .heading, .digits: .semibold
        case .corner: .medium
        case .body, .detail, .trailingDetail, .code: .regular
        }
    }

    package static func face(_ role: PageText.Role) -> TextStyle.Face {
        role == .code || role == .digits ? .code : .text
    }

    /// The factors from the size of the table to the smallest, in steps of 8 %.
    package static let shrinking: [Double] = {
        var factors = [1.0]
        while factors.last! > 0.2 { factors.append(factors.last! * 0.92) }
        return factors
    }()
}

/// How a text is set.
public struct TextStyle: Hashable, Sendable {
    public enum Weight: Int, Sendable {
        case regular = 400
        case medium = 500
        case semibold = 600
        case bold = 700
    }

    public enum Face: Sendable {
        case text
        /// Tells 0, O, I, l and 1 apart.
        case code
    }

    /// The em in pixels.
    public var em: Double
    public var weight: Weight
    /// Whether all figures have one width, for a text whose figures change, such as a clock. Otherwise a 1 is narrower.
    public var alignsFigures: Bool
    public var face: Face

    public init(em: Double, weight: Weight = .regular, alignsFigures: Bool = false, face: Face = .text) {
        self.em = em
        self.weight = weight
        self.alignsFigures = alignsFigures
        self.face = face
    }
}
