// SPDX-License-Identifier: Apache-2.0
import Geometry

extension Rect {
    init(_ rect: PixelRect) {
        self.init(
            minX: Double(rect.minX), minY: Double(rect.minY), maxX: Double(rect.maxX), maxY: Double(rect.maxY))
    }

    /// Smaller by so much on each side.
    func insetBy(_ inset: Double) -> Rect {
        Rect(minX: minX + inset, minY: minY + inset, maxX: maxX - inset, maxY: maxY - inset)
    }
}
