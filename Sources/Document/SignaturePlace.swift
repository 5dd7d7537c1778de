// SPDX-License-Identifier: Apache-2.0

/// The place in a document at which a person signs, as the host states it.
public enum SignaturePlace: Equatable, Sendable {
    /// A signature field of the document's own form.
    case field(name: String)
    /// A rectangle on a page; pages count from 1.
    case rectangle(page: Int, DocumentRectangle)
    /// A rectangle of this size at a text, which must be in the document exactly once; all in points. Its lower left
    /// corner is that of the text, moved by `offset`; without one it is beside the text, or below it.
    case anchor(text: String, width: Double, height: Double, offset: Offset? = nil)

    /// A distance to the right and up.
    public struct Offset: Equatable, Sendable {
        public var right, up: Double

        public init(right: Double, up: Double) { (self.right, self.up) = (right, up) }
    }

    /// The usual size, in points: 56 x 18 mm, as on forms of banks and carriers.
    public static let usualSize = (width: 160.0, height: 50.0)
    /// The least width and height in points, 5 mm: no signature can be recognized in less.
    public static let leastSide = 14.0
    /// The space between a text and the field that is placed at it, in points.
    private static let gap = 4.0

    /// The rectangle of an anchor.
    /// - Parameters:
    ///   - text: the place of its text.
    ///   - offset: nil for beside the text: to its right if the page is wide enough there, else below it. It never
    ///     covers the text, which people have to read.
    package static func rectangle(
        width: Double, height: Double, offset: Offset?, at text: DocumentRectangle, on page: DocumentFacts.PageSize?
    ) -> DocumentRectangle {
        var (x, y) = (text.minX + (offset?.right ?? 0), text.minY + (offset?.up ?? 0))
        if offset == nil, let page {
            if text.maxX + gap + width <= page.width {
                // Higher than the line, it may reach down rather than beyond the page.
                (x, y) = (text.maxX + gap, max(0, min(text.minY, page.height - height)))
            } else {
                (x, y) = (max(0, min(text.minX, page.width - width)), text.minY - gap - height)
            }
        }
        return DocumentRectangle(minX: x, minY: y, maxX: x + width, maxY: y + height)
    }
}
