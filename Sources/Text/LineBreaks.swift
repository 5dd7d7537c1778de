// SPDX-License-Identifier: Apache-2.0
import CPango
import Synchronization

/// Where lines of a text may end: at spaces, between ideographs, in words of scripts without spaces where Pango knows
/// them (Unicode's line breaking algorithm, UAX #14).
public enum LineBreaks {
    /// The text cut at all these places; joined, the parts are the text. Spaces are at the ends of parts.
    public static func pieces(of text: String) -> [String] {
        // One scalar for each, so that the places are the same; Pango would end at a NUL.
        let printable = TextLine.printable(text)
        let count = printable.unicodeScalars.count
        if count == 0 { return [] }
        // Also one for the end of the text.
        var breaks = [UInt8](repeating: 0, count: count + 1)
        let utf8 = Array(printable.utf8CString)
        Fonts.lock.withLock { _ in cpango_line_breaks(utf8, CInt(utf8.count - 1), &breaks, CInt(breaks.count)) }
        var pieces: [String] = []
        var piece = String.UnicodeScalarView()
        for (index, scalar) in text.unicodeScalars.enumerated() {
            if breaks[index] != 0, !piece.isEmpty {
                pieces.append(String(piece))
                piece = String.UnicodeScalarView()
            }
            piece.append(scalar)
        }
        return pieces + [String(piece)]
    }
}
