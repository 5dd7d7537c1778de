// SPDX-License-Identifier: Apache-2.0
import Geometry
import Touch

/// A finger that rests in a corner of the page without a capture asks for a report, which `inkpanel report` writes: the
/// way for a board without a network or a keyboard.
extension Pad {
    /// The sides of the corners, in millimetres, and the most of the shorter side of the page.
    private static let (cornerSide, cornerShare) = (20.0, 0.25)

    mutating func touchCorner(_ event: TouchEvent) {
        let (width, height) = (Double(screen.size.width), Double(screen.size.height))
        let side = min(
            Self.cornerSide * screen.density.pixelsPerMillimetre, Self.cornerShare * min(width, height))
        cornerTouch.receive(event, at: now, density: screen.density) { place in
            min(place.x, width - place.x) <= side && min(place.y, height - place.y) <= side
        }
    }

    mutating func requestReport(_ actions: inout [PadAction]) {
        guard let end = cornerTouch.end, now >= end else { return }
        cornerTouch.reset()
        actions.append(.requestReport)
    }
}
