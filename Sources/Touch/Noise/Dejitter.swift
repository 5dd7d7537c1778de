// SPDX-License-Identifier: Apache-2.0
import Geometry

/// tslib's `dejitter`: a weighted mean of the last four positions while the contact is slow. A step that is longer than
/// the limit is a movement, not noise, and begins anew.
struct Dejitter: Sendable {
    /// Of tslib's plugins/dejitter.c, the latest first: for two positions, three and four.
    private static let two = (5.0 / 8, 3.0 / 8)
    private static let three = (8.0 / 16, 5.0 / 16, 3.0 / 16)
    private static let four = (6.0 / 16, 4.0 / 16, 3.0 / 16, 3.0 / 16)

    /// In pixels.
    let limit: Double
    private var count = 0
    /// The latest first; of them, `count` are positions.
    private var last = Point(x: 0, y: 0)
    private var second = Point(x: 0, y: 0)
    private var third = Point(x: 0, y: 0)

    init(limit: Double) { self.limit = limit }

    mutating func smooth(_ point: Point) -> Point {
        if count > 0, (point - last).length > limit { count = 0 }
        defer {
            third = second
            second = last
            last = point
            count = min(count + 1, 3)
        }
        switch count {
        case 0: return point
        case 1: return point * Self.two.0 + last * Self.two.1
        case 2: return point * Self.three.0 + last * Self.three.1 + second * Self.three.2
        default:
            let recent = point * Self.four.0 + last * Self.four.1
            return recent + second * Self.four.2 + third * Self.four.3
        }
    }
}
