// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Lines of one size, and where they go.
public struct PlacedText: Equatable, Sendable {
    public struct Line: Equatable, Sendable {
        public var text: String
        /// At the side where the page's lines start, and no wider than there is room.
        public var rect: PixelRect
        /// The text is wider than the room, or further lines of it have none: to be drawn with an ellipsis at its end.
        public var isCut: Bool
    }

    /// All that the text may take; the lines are within.
    public var rect: PixelRect
    /// In pixels.
    public var em: Double
    public var lines: [Line]

    /// Whether something of it is not to be seen.
    public var isCut: Bool { lines.contains(where: \.isCut) }
}
