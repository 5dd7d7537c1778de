// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Pad
import Raster
import Screen

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

extension PadScreen {
    /// A display, with what the look leaves open as the display states it.
    init(_ display: any Display, look: Look) {
        let density = look.density ?? display.statedDensity
        self.init(
            name: "\(display.details)", panelSize: display.size,
            rotation: look.rotation ?? display.details.orientation ?? .none, density: density ?? .standard,
            pageDensity: density)
    }

    /// What is assumed before the first display: the size of the Raspberry Pi's first touch panel, the most common one.
    init(waiting look: Look) {
        self.init(
            name: "none yet", panelSize: PixelSize(width: 800, height: 480), rotation: look.rotation ?? .none,
            density: look.density ?? .standard, pageDensity: look.density)
    }
}
