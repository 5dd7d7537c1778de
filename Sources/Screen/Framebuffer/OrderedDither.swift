// SPDX-License-Identifier: Apache-2.0

/// Colours of 8 bits as such of 5 or 6, so that many pixels together look like the colour that one cannot have.
///
/// Ordered dithering with Bayer's matrix of 8 x 8 (B. E. Bayer, "An optimum method for two-level rendition of
/// continuous-tone pictures", IEEE ICC 1973): a pixel takes the upper of the two levels around its colour when the
/// colour is further up between them than the matrix says at that place. So what a pixel becomes depends on its colour
/// and its place alone. A part that is painted again is the same as before, where a method that hands errors on to
/// neighbours (Floyd and Steinberg's) would make the picture shimmer around the pen.
///
/// A colour that a level shows exactly stays that level everywhere: black, white and every colour that 5, 6 and 5 bits
/// can have are as smooth as without dithering. What a level shows is what screens make of it: its upper bits are
/// repeated as the lower ones.
struct OrderedDither: Sendable {
    /// The matrix's side; a power of two.
    static let side = 8

    /// For each place of the matrix, row after row, the levels of the colours 0...255.
    private let levels: [UInt8]

    /// - Parameter bits: of a level, 5 or 6.
    init(bits: Int) {
        precondition(bits == 5 || bits == 6, "what pixels of 16 bits have")
        let shown = (0..<(1 << bits)).map { Self.shown($0, bits: bits) }
        var levels: [UInt8] = []
        levels.reserveCapacity(Self.side * Self.side * 256)
        for place in 0..<(Self.side * Self.side) {
            let threshold = 2 * Self.threshold(x: place % Self.side, y: place / Self.side) + 1
            var lower = 0
            for color in 0...255 {
                if lower + 1 < shown.count, shown[lower + 1] <= color { lower += 1 }
                guard lower + 1 < shown.count else {
                    levels.append(UInt8(lower))
                    continue
                }
                let above = (color - shown[lower]) * 2 * Self.side * Self.side
                let isUpper = above > threshold * (shown[lower + 1] - shown[lower])
                levels.append(UInt8(isUpper ? lower + 1 : lower))
            }
        }
        self.levels = levels
    }

    /// Bayer's matrix: 0...63, each once.
    static func threshold(x: Int, y: Int) -> Int {
        var threshold = 0
        for bit in 0..<3 {
            threshold = threshold << 2 | ((x ^ y) >> bit & 1) << 1 | (y >> bit & 1)
        }
        return threshold
    }

    /// The colour of 8 bits that a level is seen as.
    static func shown(_ level: Int, bits: Int) -> Int { level << (8 - bits) | level >> (2 * bits - 8) }

    /// Gives the levels of the places in row `y`: those of column `x` from `(x % side) * 256` on.
    func withRow<Result>(_ y: Int, _ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        levels.withUnsafeBufferPointer { body($0.baseAddress! + (y & (Self.side - 1)) * Self.side * 256) }
    }
}
