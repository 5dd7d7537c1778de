// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// How points of a page become pixels of the pictures in which it is compared.
public struct ComparisonScale: Equatable, Sendable {
    /// The density of the pictures; less for pages that would have too many pixels.
    public static let dotsPerInch = 300.0

    public let page: DocumentFacts.PageSize
    /// The size of a picture.
    public let size: PixelSize

    /// - Parameter page: its size, of which no side is 0.
    public init(of page: DocumentFacts.PageSize) {
        self.page = page
        var scale = Self.dotsPerInch / 72
        scale = min(scale, (Double(HelperLimits.pixels) / (page.width * page.height)).squareRoot())
        scale = min(scale, Double(HelperLimits.pageSide) / max(page.width, page.height))
        size = PixelSize(width: max(1, Int(page.width * scale)), height: max(1, Int(page.height * scale)))
    }

    private var x: Double { Double(size.width) / page.width }
    private var y: Double { Double(size.height) / page.height }

    /// The pixels that a rectangle touches, with a margin in pixels.
    public func pixels(of rectangle: DocumentRectangle, margin: Double = 0) -> PixelRect {
        let rect = Rect(
            minX: rectangle.minX * x - margin, minY: (page.height - rectangle.maxY) * y - margin,
            maxX: rectangle.maxX * x + margin, maxY: (page.height - rectangle.minY) * y + margin)
        return PixelRect(covering: rect, within: PixelRect(size: size))
    }

    public func rectangle(of pixels: PixelRect) -> DocumentRectangle {
        DocumentRectangle(
            minX: Double(pixels.minX) / x, minY: page.height - Double(pixels.maxY) / y,
            maxX: Double(pixels.maxX) / x, maxY: page.height - Double(pixels.minY) / y)
    }
}
