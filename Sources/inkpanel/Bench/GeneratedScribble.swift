// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

/// A hand that hatches a small square over and over without lifting: each report lies on ink that is there already.
struct GeneratedScribble {
    /// The page that it is on.
    static let page = PixelSize(width: 2048, height: 2048)
    /// In pixels: of the square, and of its corner on the page.
    private static let side = 200.0
    private static let corner = Point(x: 700, y: 900)
    /// Reports from one side to the other, across and down: neither divides the other, so that the lines wander.
    private static let periods = (x: 13.7, y: 311.3)

    /// Reports a second.
    var hertz: Double
    /// Whether the hand slows down before it turns, as real ones do; else it is as fast everywhere.
    var slowsAtTurns = false

    func samples(_ count: Int) -> [Sample] {
        (0..<count).map { index in
            let place = Point(
                x: eased(Self.swing(Double(index) / Self.periods.x)), y: Self.swing(Double(index) / Self.periods.y))
            return Sample(
                microseconds: Int64(Double(index) / hertz * 1e6), position: Self.corner + place * Self.side)
        }
    }

    /// The cubic from 0 to 1 that is at rest at both ends.
    private func eased(_ share: Double) -> Double { slowsAtTurns ? share * share * (3 - 2 * share) : share }

    /// To and fro between 0 and 1.
    private static func swing(_ phase: Double) -> Double {
        let part = phase.truncatingRemainder(dividingBy: 2)
        return part < 1 ? part : 2 - part
    }
}
