// SPDX-License-Identifier: Apache-2.0
import Geometry
import Record

extension SketchStroke {
    /// The same stroke on another page: as large in proportion as the old page fits in the new one, in its middle.
    func fitted(from old: SketchPage, to new: SketchPage) -> SketchStroke {
        let scale = min(
            Double(new.size.width) / Double(old.size.width), Double(new.size.height) / Double(old.size.height))
        let offset = Point(
            x: (Double(new.size.width) - Double(old.size.width) * scale) / 2,
            y: (Double(new.size.height) - Double(old.size.height) * scale) / 2)
        func place(_ value: Int32, _ offset: Double) -> Int32 {
            // A stroke of a hostile file may lie beyond any page; nothing of it is seen.
            let scaled = Double(value) * scale + (offset * Self.placeScale)
            return Int32(max(-2e9, min(scaled, 2e9)).rounded())
        }
        var stroke = self
        for index in samples.indices {
            stroke.samples[index].x = place(samples[index].x, offset.x)
            stroke.samples[index].y = place(samples[index].y, offset.y)
        }
        // Pixels of ink grow as the page does; millimetres of it also where pixels are larger.
        let growth = scale * old.density.dotsPerInch / new.density.dotsPerInch
        stroke.width = width.map { Self.micrometres(Double($0) / 1000 * growth) }
        return stroke
    }
}
