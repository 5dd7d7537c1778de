// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Raster

/// What lies below the ink and above it: pages, and what covers them.
extension Canvas {
    /// Begins another page: all ink goes, what could be undone too, and nothing brings it back.
    ///
    /// On the page is what the caller draws on the surface that is returned, all of it, before the canvas is next
    /// composed. Ink is seen within `inkArea` only and is cut off at its edge; without a backdrop, on paper of one
    /// colour, it is seen everywhere.
    /// - Parameter inkArea: what is beyond the page is left out.
    public mutating func beginPage(inkArea: PixelRect) -> Surface {
        wipe()
        uncover()
        self.inkArea = inkArea.intersection(PixelRect(size: size))
        damage.add(PixelRect(size: size))
        return paper.makeBackdrop()
    }

    /// What the caller may draw on to change the page where no ink is shown, before the canvas is next composed.
    /// - Parameter region: what looks different afterwards.
    public mutating func changeBackdrop(_ region: PixelRect) -> Surface {
        damage.add(region.intersection(PixelRect(size: size)))
        return paper.makeBackdrop()
    }

    /// Shows ink in another part of the page from now on, and the backdrop around it; all ink stays on the page.
    /// - Parameter area: what is beyond the page is left out.
    public mutating func showInk(in area: PixelRect) {
        let area = area.intersection(PixelRect(size: size))
        if area == inkArea { return }
        damage.add(inkArea.union(area))
        inkArea = area
    }

    /// Covers a part of the page, ink too, until ``uncover()``; the page goes on below it. Another cover takes the place
    /// of the one before.
    /// - Parameter region: what is beyond the page is left out.
    /// - Returns: what the caller draws the cover on, all of it, before the canvas is next composed: as large as the
    ///   region and in coordinates of its own. Nil when there is nothing to cover.
    public mutating func cover(_ region: PixelRect) -> Surface? {
        uncover()
        let region = region.intersection(PixelRect(size: size))
        if region.isEmpty { return nil }
        damage.add(region)
        return cover.cover(region)
    }

    /// Takes the cover away.
    public mutating func uncover() {
        damage.add(cover.region)
        cover.remove()
    }

    /// Takes all ink off the page, what could be undone and what could be done again, for good: the next person must
    /// not bring it back.
    public mutating func wipe() {
        wet = nil
        history = PageHistory(grid, byteLimit: undoBytes)
        paper.voidAll()
        damage.add(inkArea)
    }
}
