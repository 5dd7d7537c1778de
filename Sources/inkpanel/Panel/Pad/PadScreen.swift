// SPDX-License-Identifier: Apache-2.0
import Control
import Geometry
import Screen

/// The screen that the pad's pages are on.
struct PadScreen: Equatable, Sendable {
    /// As hosts are told of it.
    var status: PanelStatus.Screen
    /// What millimetres are on a page; nil where nobody says how large the screen is.
    var pageDensity: PixelDensity?
    /// How the picture lies on the panel, by which records place what devices report.
    var size: PixelSize
    var rotation: Rotation

    /// - Parameter name: for people.
    init(name: String, _ geometry: ScreenGeometry) {
        status = PanelStatus.Screen(name: name, size: geometry.picture, density: geometry.density)
        pageDensity = geometry.pageDensity
        (size, rotation) = (geometry.size, geometry.rotation)
    }

    /// Whether a record that was begun on the other is true here.
    func liesAs(_ other: PadScreen) -> Bool { size == other.size && rotation == other.rotation }

    /// Whether a page laid out for the other fits here as it is.
    func fits(_ other: PadScreen) -> Bool {
        status.size == other.status.size && status.density == other.status.density && pageDensity == other.pageDensity
    }
}
