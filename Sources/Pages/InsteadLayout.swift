// SPDX-License-Identifier: Apache-2.0
package import Geometry

/// Where words and ink in place of a signature are in their field: on the screen, and in the signed document.
package struct InsteadLayout {
    /// The em of the words in points, and the smallest that can be read.
    package static let (usualEm, smallestEm) = (9.0, 4.0)

    package let words: Rect
    /// One for each ink: a mark is at the left, its witnesses are below the words.
    package let inks: [Rect]

    /// - Parameter field: y down.
    package init(inkCount: Int, in field: Rect) {
        func part(_ x: ClosedRange<Double>, _ y: ClosedRange<Double>) -> Rect {
            Rect(
                minX: field.minX + x.lowerBound * field.width, minY: field.minY + y.lowerBound * field.height,
                maxX: field.minX + x.upperBound * field.width, maxY: field.minY + y.upperBound * field.height)
        }
        // Marks above Arabic letters extend beyond the line: a field would cut them at its edge.
        let top = 0.06
        switch inkCount {
        case 0: (words, inks) = (part(0...1, top...1), [])
        case 1: (words, inks) = (part(0...1, top...0.38), [part(0...1, 0.38...1)])
        default:
            let width = 0.68 / Double(inkCount - 1)
            let witnesses = (0..<inkCount - 1).map { index in
                let left = 0.32 + width * Double(index)
                return part(left...min(left + width * 0.95, 1), 0.4...1)
            }
            (words, inks) = (part(0.32...1, top...0.38), [part(0...0.3, 0...1)] + witnesses)
        }
    }
}
