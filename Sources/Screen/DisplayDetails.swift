// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// What a display is, for logs and for the layout of what is shown on it.
public struct DisplayDetails: Equatable, Sendable {
    /// The connector's name as the kernel gives it, e.g. `DSI-1`; `headless` without one.
    public let name: String
    /// The card's path; empty without one.
    public let card: String
    /// The kernel driver's name, e.g. `vc4`.
    public let driver: String
    /// The mode, e.g. `800x480 at 60.00 Hz`.
    public let mode: String
    /// How frames are handed over: `atomic`, `legacy` or `none`.
    public let commitStyle: String
    /// Width and height of the panel in millimetres; nil when unknown, which is common (0x0 in many device trees).
    public let millimetres: PixelSize?
    /// How the picture must be turned to be upright because the panel is built in turned; the same goes for touch,
    /// which reports in the panel's own coordinates (drm_connector.c, "panel orientation"). nil when the kernel does
    /// not say.
    public let orientation: Rotation?
}

extension DisplayDetails: CustomStringConvertible {
    public var description: String {
        card.isEmpty ? "\(name), \(mode)" : "\(name) on \(card) (\(driver)), \(mode), \(commitStyle)"
    }
}
