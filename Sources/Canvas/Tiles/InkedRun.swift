// SPDX-License-Identifier: Apache-2.0
import Ink

/// Pixels of a tile that one run of a stroke inks wholly, in place of pieces that touch no others.
struct InkedRun {
    let run: Int
    let tone: Tone?
    var pixels: TileMask
}
