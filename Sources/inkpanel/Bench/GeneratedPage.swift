// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

/// A page that is full of short strokes, as many as one likes, spread evenly.
struct GeneratedPage {
    static let size = PixelSize(width: 2048, height: 2048)
    private static let sampleCount = 6
    /// Multiples of these, less their whole part, spread evenly over the square (M. Roberts 2018, "R2 sequence").
    private static let spread = (x: 0.7548776662466927, y: 0.5698402909980532)

    /// The stroke with that number, somewhere on the page.
    static func stroke(_ number: Int) -> [Sample] {
        func place(_ factor: Double, _ side: Int) -> Double {
            (Double(number + 1) * factor).truncatingRemainder(dividingBy: 1) * Double(side)
        }
        let start = Point(x: place(spread.x, size.width), y: place(spread.y, size.height))
        // Each leans its own way.
        let step = Point(x: 9, y: place(spread.y, 16) - 8)
        return (0..<sampleCount).map { index in
            let bend = Point(x: 0, y: Double(index * (sampleCount - index)))
            return Sample(microseconds: Int64(index) * 8000, position: start + step * Double(index) + bend)
        }
    }
}
