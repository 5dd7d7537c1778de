// SPDX-License-Identifier: Apache-2.0
import Geometry
import PadFixtures
import Record
import Touch

@testable import Pad

/// A signing page of 400x300 pixels at 10 pixels a millimetre, and points on it.
enum TestPad {
    static let area = PixelRect(minX: 20, minY: 60, maxX: 380, maxY: 200)
    static let density = PixelDensity(dotsPerInch: 254)
    static let screen = PadScreen(
        name: "screen", panelSize: PixelSize(width: 400, height: 300), rotation: .none, density: density,
        pageDensity: density)

    /// Places the ink field and the buttons.
    static func place(_ page: Page) -> PlacedPage {
        let elements = page.elements.compactMap { element -> PlacedElement? in
            switch element {
            case .inkField: PlacedElement(element, area)
            case .button(let button, _): PlacedElement(element, rect(button))
            case .text, .row, .picture, .logo, .tick, .warningSign, .sign, .target, .line, .document, .option: nil
            }
        }
        return PlacedPage(page, size: screen.size, density: density, elements: elements)
    }

    static func rect(_ button: PageButton) -> PixelRect {
        let order: [PageButton] = [.cancel, .clear, .undo, .accept]
        let x = order.firstIndex(of: button)! * 100 + 10
        return PixelRect(minX: x, minY: 220, maxX: x + 80, maxY: 290)
    }

    static func touch(
        _ phase: Contact.Phase, _ x: Double, _ y: Double, _ contact: Int32 = 1, at time: Timestamp
    ) -> TouchEvent {
        TouchEvent(phase, at: Point(x: x, y: y), contact: contact, time: time)
    }

    static func center(_ button: PageButton) -> Point {
        let rect = rect(button)
        return Point(x: Double(rect.minX + rect.maxX) / 2, y: Double(rect.minY + rect.maxY) / 2)
    }
}
