// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The lengths that the page is made of, in pixels.
struct LayoutScale {
    /// Side of a touch target: nine millimetres are what Android's Material Design means by its 48 dp, and the least
    /// that studies of touch screens found to be hit reliably.
    private static let target = 9.0
    /// The same where nobody knows how large a pixel is.
    private static let targetInPixels = 48.0
    /// Letters read best when capitals stand 20 to 22 minutes of arc high, and need 16 (ISO 9241-303); capitals are 0.7
    /// of an em. 20' from an arm's length, 650 mm, and 16' from 320 mm, as near as a small panel is held.
    private static let largeEm = 5.4
    /// 16' from 530 mm, as far as the eyes of who writes are from the pen: a prompt that does not fit on the host's
    /// lines is broken rather than smaller than this.
    private static let readableEm = 3.5
    private static let smallEm = 2.1
    static let readableShare = readableEm / largeEm
    /// Of that, what a button's label may shrink to before it is cut: one word, known by its place.
    private static let labelShare = 0.8
    /// Letters of fewer pixels cannot be told apart, whatever the screen says of its size.
    private static let smallestEmInPixels = 8.0
    /// More than half the width of any pen, so that ink at the edge of the signing area does not reach a button.
    private static let gap = 1.0

    /// Pixels per millimetre.
    let unit: Double
    /// Between things, and around the page.
    let gap: Int
    let target: Int
    let promptEms: [Double]
    let readableEm: Double
    let detailEms: [Double]
    let labelEms: [Double]
    let lineThickness: Int
    let mark: Int

    /// Pixels per millimetre as the screen says, or else about as many as it probably has.
    static func wantedUnit(size: PixelSize, density: PixelDensity?) -> Double {
        let shorter = Double(min(size.width, size.height))
        let unit = density?.pixelsPerMillimetre ?? max(targetInPixels, shorter / 10) / target
        return max(unit, smallestEmInPixels / smallEm)
    }

    /// The smallest letters that can be read, in pixels.
    static func smallestEm(unit: Double) -> Double { max(smallEm * unit, smallestEmInPixels) }

    init(unit: Double, size: PixelSize) {
        self.unit = unit
        let shorter = Double(min(size.width, size.height))
        func pixels(_ millimetres: Double, orPart part: Double = .infinity) -> Int {
            max(1, Int(max(millimetres * unit, shorter / part).rounded(.up)))
        }
        // On a large screen all grows with it: parts of the shorter side that look well from 800x480 on.
        gap = pixels(Self.gap, orPart: 48)
        target = pixels(Self.target, orPart: 14)
        lineThickness = pixels(0.3)
        mark = pixels(4, orPart: 40)
        let smallest = Self.smallEm * unit
        let large = max(Self.largeEm * unit, shorter / 28)
        readableEm = large * Self.readableShare
        promptEms = Self.sizes(from: large, to: smallest)
        detailEms = Self.sizes(from: large * 0.75, to: smallest)
        labelEms = Self.sizes(from: large * 0.8, to: smallest * Self.labelShare)
    }

    /// From large to small in steps of a tenth, the smallest among them.
    private static func sizes(from large: Double, to small: Double) -> [Double] {
        var sizes: [Double] = []
        var size = large
        while size > small {
            sizes.append(size)
            size *= 0.9
        }
        return sizes + [small]
    }
}
