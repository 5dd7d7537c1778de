// SPDX-License-Identifier: Apache-2.0

extension PixelSize {
    /// The largest side of a picture: twice an 8K screen's.
    private static let maximumSide = 16384
    /// Twice an 8K screen's pixels: paper and three buffers of it are a gigabyte.
    private static let maximumArea = 1 << 26

    /// Whether a picture of this size can be drawn in reasonable memory.
    public var isDrawable: Bool {
        1...Self.maximumSide ~= width && 1...Self.maximumSide ~= height && width * height <= Self.maximumArea
    }

    /// `WxH` in pixels; nil for a text that is none.
    public init?(_ text: String) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1] else { return nil }
        self.init(width: width, height: height)
    }
}
