// SPDX-License-Identifier: Apache-2.0
import Ink
import Raster

/// The colours that a stroke's ink of different tones has on a paper.
struct InkColors {
    var ink: Color
    var paper: Color

    /// Nil is ink without tones.
    subscript(tone: Tone?) -> Color { tone.map { ink.mixed(with: paper, $0.paperShare) } ?? ink }
}
