// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import TestSupport

/// Strokes of one to 24 reports, slow and fast ones, on and beside a page of 140 x 110 pixels.
enum RandomStroke {
    /// All but the end.
    static func events(_ random: inout SeededGenerator) -> [StrokeEvent] {
        let speed = [2.0, 12, 70][Int.random(in: 0..<3, using: &random)]
        var position = Point(x: .random(in: -10..<150, using: &random), y: .random(in: -10..<120, using: &random))
        return (0..<Int.random(in: 1..<25, using: &random)).map { index in
            let sample = Sample(microseconds: Int64(index) * 8000, position: position)
            position = position + Point(
                x: .random(in: -speed...speed, using: &random), y: .random(in: -speed...speed, using: &random))
            return index == 0 ? .begin(sample) : .move(sample)
        }
    }
}
