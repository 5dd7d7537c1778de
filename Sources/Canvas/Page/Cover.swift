// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

/// What is shown in place of a part of the page, ink and all, while it stands; below it the page goes on.
struct Cover: ~Copyable {
    private let page: PixelSize
    /// Of the page; empty without a cover.
    private(set) var region = PixelRect.empty
    /// Whole rows of the page, those of the region.
    private var rows: PixelBuffer?
    /// Those of ``rows``, seen as a page of which there are these rows only.
    private var seen: Surface?

    init(page: PixelSize) { self.page = page }

    /// - Parameter region: on the page, not empty.
    /// - Returns: the region alone, from its own corner.
    mutating func cover(_ region: PixelRect) -> Surface {
        let rows = PixelBuffer(size: PixelSize(width: page.width, height: region.height))
        let (base, stride) = (rows.surface.base, rows.surface.strideBytes)
        seen = Surface(base: base - region.minY * stride, size: page, strideBytes: stride)
        self.rows = consume rows
        self.region = region
        return Surface(
            base: base + region.minX * 4, size: PixelSize(width: region.width, height: region.height),
            strideBytes: stride)
    }

    mutating func remove() {
        region = .empty
        seen = nil
        rows = nil
    }

    /// Copies what of a part of the page is covered.
    func copy(_ part: PixelRect, onto surface: Surface, rotation: Rotation) {
        // Not a row beyond those that there are is read.
        if let seen { surface.copy(part.intersection(region), from: seen, rotation: rotation) }
    }
}
