// SPDX-License-Identifier: Apache-2.0
import Geometry
import Screen

/// How large the picture is, and how it lies on the panel.
struct ScreenGeometry: Equatable, Sendable {
    /// Of the panel, before rotation.
    var size: PixelSize
    var rotation: Rotation
    /// What millimetres are to the pen.
    var density: PixelDensity
    /// What they are on a page; nil where nobody says how large the screen is.
    var pageDensity: PixelDensity?

    /// What the look asks for, or what it leaves to the display.
    init(_ look: Look, _ display: any Display) {
        size = display.size
        rotation = look.rotation ?? display.details.orientation ?? .none
        pageDensity = look.density ?? display.statedDensity
        density = pageDensity ?? .standard
    }

    /// Of a panel that no display has been seen on yet.
    init(waiting look: Look) {
        // The most usual touch panel: the Raspberry Pi's first.
        size = PixelSize(width: 800, height: 480)
        rotation = look.rotation ?? .none
        pageDensity = look.density
        density = pageDensity ?? .standard
    }

    /// As the person sees it.
    var picture: PixelSize { rotation.pictureSize(onPanel: size) }

    /// Whether what was drawn for the other fits here as it is: only the way it lies on the panel may differ.
    func showsSame(as other: ScreenGeometry) -> Bool {
        picture == other.picture && density == other.density && pageDensity == other.pageDensity
    }
}
