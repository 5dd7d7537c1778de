// SPDX-License-Identifier: Apache-2.0

/// Ink on a page: filled paths, opaque, in device colours, as a content stream without fonts. PDF/A allows all of it.
public struct DocumentInk: Codable, Equatable, Sendable {
    /// A line of text in ink, and the rectangle that it fills there.
    public struct Text: Codable, Equatable, Sendable {
        public var text: String
        public var x, y, width, height: Double

        public init(_ text: String, x: Double, y: Double, width: Double, height: Double) {
            (self.text, self.x, self.y, self.width, self.height) = (text, x, y, width, height)
        }
    }

    /// The size in which the ink was written, in points. Its coordinates begin at 0, 0 in the lower left corner, y up.
    public var width, height: Double
    /// Path and colour operators (ISO 32000-1, 8.5 and 8.6.8); ASCII.
    public var content: String
    /// The texts that the paths show, for programs that read and do not see; nil for none.
    public var texts: [Text]?

    public init(width: Double, height: Double, content: String, texts: [Text]? = nil) {
        self.width = width
        self.height = height
        self.content = content
        self.texts = texts
    }
}
