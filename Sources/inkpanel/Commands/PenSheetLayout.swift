// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Where on a comparison sheet the cells lie: a grid with a name above each picture of the page.
struct PenSheetLayout {
    /// Width to height that a sheet should have: a screen's.
    private static let proportion = 1.5
    /// Names fit into it, in pixels, however small the page is.
    private static let leastCellWidth = 160

    let columns: Int
    let rows: Int
    /// So many pixels of the page in either direction are one of the sheet: 1 unless the sheet would be too large.
    let reduction: Int
    /// Of a picture.
    let cell: PixelSize
    /// Of the names, in pixels.
    let textSize: Double
    /// Between and around the cells, in pixels.
    let gap: Int
    private let pitch: PixelSize
    private let nameHeight: Int

    /// - Parameters:
    ///   - count: of the cells, at least 1.
    ///   - page: drawable.
    init(count: Int, page: PixelSize) {
        precondition(count > 0 && page.isDrawable, "the caller has pens and a page")
        var reduction = 1
        while true {
            let layouts = (1...count).map {
                PenSheetLayout(count: count, columns: $0, page: page, reduction: reduction)
            }
            if let best = layouts.filter(\.size.isDrawable).min(by: { $0.misfit < $1.misfit }) {
                self = best
                return
            }
            // A page of one pixel with names on it is drawable, so this ends.
            reduction += 1
        }
    }

    private init(count: Int, columns: Int, page: PixelSize, reduction: Int) {
        self.columns = columns
        self.reduction = reduction
        rows = (count + columns - 1) / columns
        cell = PixelSize(
            width: (page.width + reduction - 1) / reduction, height: (page.height + reduction - 1) / reduction)
        let width = max(cell.width, Self.leastCellWidth)
        textSize = Double(min(max(width / 40, 13), 36))
        nameHeight = Int(textSize * 1.8)
        gap = Int(textSize)
        pitch = PixelSize(width: width + gap, height: nameHeight + cell.height + gap)
    }

    var size: PixelSize { PixelSize(width: columns * pitch.width + gap, height: rows * pitch.height + gap) }

    /// How far the sheet's proportions are from the ones wished for; a factor of 2 is as bad either way.
    private var misfit: Double {
        let ratio = Double(size.width) / Double(size.height) / Self.proportion
        return max(ratio, 1 / ratio)
    }

    /// Where the picture of the cell lies; cells count along the rows.
    func picture(_ index: Int) -> PixelRect {
        let (x, y) = (gap + index % columns * pitch.width, gap + index / columns * pitch.height + nameHeight)
        return PixelRect(minX: x, minY: y, maxX: x + cell.width, maxY: y + cell.height)
    }

    /// The room for the cell's name, above its picture.
    func name(_ index: Int) -> PixelRect {
        let picture = picture(index)
        return PixelRect(
            minX: picture.minX, minY: picture.minY - nameHeight, maxX: picture.minX + pitch.width - gap,
            maxY: picture.minY)
    }
}
