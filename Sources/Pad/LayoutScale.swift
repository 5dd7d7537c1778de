// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The lengths used in page layouts, in pixels unless stated otherwise.
struct LayoutScale {
    /// Side of a touch target, in millimetres: Material Design's 48 dp, and the smallest size that studies of touch
    /// screens found to be hit reliably.
    private static let target = 9.0
    /// Side of a touch target in pixels if the size of a pixel is unknown.
    private static let targetInPixels = 48.0
    /// Millimetres. Capitals should be 20 to 22 minutes of arc high and need 16 (ISO 9241-303); they are 0.7 em high.
    /// `largeEm` is 20' at arm's length, 650 mm; `smallEm` is 16' at 320 mm, the distance of a small hand-held panel.
    private static let largeEm = 5.4
    /// 16' at 530 mm, the distance from a writer's eyes to the pen. Above this size the prompt keeps the host's lines;
    /// below it, lines are broken instead.
    private static let readableEm = 3.5
    private static let smallEm = 2.1
    static let readableShare = readableEm / largeEm
    /// The smallest em of a button's label, as a share of `smallEm`: a label is one word, recognized by its place.
    private static let labelShare = 0.8
    /// Smaller letters are illegible at any density.
    private static let smallestEmInPixels = 8.0
    /// Millimetres: more than half the width of any pen, so that ink at the edge of the signing area does not reach a
    /// button.
    private static let gap = 1.0

    /// Pixels per millimetre.
    let unit: Double
    /// The distance between elements, and the page margin.
    let gap: Int
    let target: Int
    let promptEms: [Double]
    let readableEm: Double
    let detailEms: [Double]
    let labelEms: [Double]
    let lineThickness: Int
    let mark: Int

    /// Pixels per millimetre as the screen states them, or else an estimate.
    static func wantedUnit(size: PixelSize, density: PixelDensity?) -> Double {
        let shorter = Double(min(size.width, size.height))
        let unit = density?.pixelsPerMillimetre ?? max(targetInPixels, shorter / 10) / target
        return max(unit, smallestEmInPixels / smallEm)
    }

    /// The smallest legible em, in pixels.
    static func smallestEm(unit: Double) -> Double { max(smallEm * unit, smallestEmInPixels) }

    init(unit: Double, size: PixelSize) {
        self.unit = unit
        let shorter = Double(min(size.width, size.height))
        func pixels(_ millimetres: Double, orPart part: Double = .infinity) -> Int {
            max(1, Int(max(millimetres * unit, shorter / part).rounded(.up)))
        }
        // Shares of the shorter side make everything grow with a large screen; they suit 800x480 and larger.
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

    /// Sizes from large to small in steps of 10 %, including the smallest.
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
