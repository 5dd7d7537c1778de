// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

/// How ink and paper look, and how the picture lies on the panel.
struct Look: Sendable {
    var pen = Pen()
    var color = Color.black
    var background = Color.white
    /// What millimetres are to the pen; nil is as the display states its size, or the standard if it does not.
    var density: PixelDensity?
    /// nil is as the kernel says the panel is built in ("panel orientation"), which is not turned if it says nothing.
    var rotation: Rotation?
}
