// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

/// The stroke being drawn: its model, its ink, and where on the page each part of the ink lies.
///
/// It is not on the paper yet. Whatever region is shown is filled from the pieces that can change a pixel there, all in
/// one fill, so there is no seam between pieces and the dry stroke will be the same bytes.
struct WetStroke {
    private(set) var ink = StrokeInk()
    /// A box of all ink there is or was; kept, because asking every piece would cost more with each report.
    private(set) var bounds = Rect.empty
    private var model: any StrokeModel
    private let colors: InkColors
    private var predictor: StrokePredictor
    private var tiles: WetTiles
    /// Memory of ``fill(_:of:over:settled:with:)``.
    private var found: [UInt32] = []
    private var inked = Path()

    /// - Parameters:
    ///   - grid: of the page.
    ///   - density: of the page, for the limits of prediction.
    init(model: any StrokeModel, colors: InkColors, grid: TileGrid, density: PixelDensity) {
        self.model = model
        self.colors = colors
        predictor = StrokePredictor(density: density)
        tiles = WetTiles(grid: grid)
    }

    /// Whether no report has been taken yet.
    var isBlank: Bool { predictor.lastMicroseconds == nil }

    /// Takes a report; returns the box of the ink that changed.
    mutating func add(_ sample: Sample) -> Rect {
        ink.removePrediction()
        model.add(sample, to: &ink)
        tiles.update(with: ink)
        predictor.add(sample)
        return takeChanges()
    }

    /// Replaces what is predicted from the last report to a time; nil predicts nothing. Returns the box of the ink that
    /// changed.
    mutating func predict(until microseconds: Int64?) -> Rect {
        ink.show(microseconds.flatMap { predictor.path(until: $0) })
        return takeChanges()
    }

    /// When the pen must be thought to rest and what is predicted is to be taken back; nil when nothing is.
    var predictionExpiry: Int64? {
        guard ink.isPredicted, let last = predictor.lastMicroseconds else { return nil }
        return last &+ predictor.patienceMicroseconds
    }

    private mutating func takeChanges() -> Rect {
        let changed = ink.takeChangedBounds()
        bounds = bounds.union(changed)
        return changed
    }

    /// The finished ink of the stroke, which has lifted, and the same as a stroke of the page.
    consuming func dried() -> (StrokeInk, DryStroke) {
        ink.dry()
        tiles.update(with: ink)
        return (ink, DryStroke(ink, tiles, colors: colors))
    }

    /// Fills the parts of the outline that touch `clip` into the page, run by run, over what is on the paper.
    /// - Parameters:
    ///   - page: with the paper's pixels in `clip`.
    ///   - paper: complete in the tiles of `clip`.
    ///   - settled: memory for tiles of this stroke.
    mutating func fill(
        _ clip: PixelRect, of page: Surface, over paper: Surface, settled: inout LazyPixels,
        with rasterizer: inout Rasterizer
    ) {
        let box = clip.rect
        tiles.thin(ink, in: clip)
        tiles.settle(ink, in: clip, over: paper, onto: &settled, with: &rasterizer, colors: colors)
        tiles.copySettled(settled, in: clip, to: page)
        tiles.find(in: clip, pieces: &found, inked: &inked)
        var filling = RunFill(clip: clip, of: page, colors: colors)
        if !inked.isEmpty {
            let last = ink.pieces[tiles.pieceCount - 1]
            filling.turn(to: last.run, tone: last.tone, &rasterizer)
            rasterizer.add(inked)
        }
        var last: UInt32?
        for number in found where number != last {
            last = number
            add(ink.pieces[Int(number)], box, &filling, &rasterizer)
        }
        for piece in ink.pieces[tiles.pieceCount...] { add(piece, box, &filling, &rasterizer) }
        filling.finish(&rasterizer)
    }

    @inline(__always)
    private func add(
        _ piece: StrokeInk.Piece, _ box: Rect, _ filling: inout RunFill, _ rasterizer: inout Rasterizer
    ) {
        guard piece.bounds.intersects(box) else { return }
        filling.turn(to: piece.run, tone: piece.tone, &rasterizer)
        rasterizer.add(ink.outline, from: piece.start, to: piece.end)
    }
}
