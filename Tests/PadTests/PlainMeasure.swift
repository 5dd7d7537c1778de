// SPDX-License-Identifier: Apache-2.0
import Geometry

/// A stand-in for fonts: letters of one width, lines of one height.
struct PlainMeasure {
    /// The line height as a share of the em: from Latin to the tall lines of Devanagari and Arabic.
    static let lineHeights = [1.2, 1.4, 1.7]

    var lineHeight = 1.2

    func measure(_ text: String, _ em: Double) -> PixelSize {
        PixelSize(
            width: Int((Double(text.unicodeScalars.count) * em * 0.55).rounded(.up)),
            height: Int((em * lineHeight).rounded(.up)))
    }
}
