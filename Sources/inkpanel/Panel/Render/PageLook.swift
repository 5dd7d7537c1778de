// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pages

/// How pages look, and the one to begin with.
struct PageLook: Equatable, Sendable {
    var theme: PageTheme
    /// What millimetres are on a page; nil where nobody says how large the screen is.
    var density: PixelDensity?
    var first: PageView
}
