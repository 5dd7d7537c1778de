// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Where a touch on the page means what.
public struct PadGeometry: Equatable, Sendable {
    /// Takes ink. No button may reach into it.
    public var signingArea: PixelRect
    public var buttons: [PageButton: PixelRect]
    /// What millimetres of ink are reckoned with.
    public var density: PixelDensity

    public init(signingArea: PixelRect, buttons: [PageButton: PixelRect], density: PixelDensity) {
        self.signingArea = signingArea
        self.buttons = buttons
        self.density = density
    }

    func button(at point: Point) -> PageButton? {
        // In the order of the cases, so that what is touched does not depend on a dictionary's.
        PageButton.allCases.first { isInside(point, $0) }
    }

    func isInside(_ point: Point, _ button: PageButton) -> Bool {
        guard let rect = buttons[button] else { return false }
        return point.x >= Double(rect.minX) && point.x < Double(rect.maxX) && point.y >= Double(rect.minY)
            && point.y < Double(rect.maxY)
    }
}
