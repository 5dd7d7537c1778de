// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

/// The stroke being drawn: its model, its ink, and the index of the ink by tile.
///
/// It is not on the paper yet. A region is filled from the pieces that can change a pixel there, all in one fill, so
/// that there is no seam between pieces and the dry stroke has the same bytes.
struct WetStroke {
    private(set) var ink = StrokeInk()
    /// The bounding box of all ink since the start of the stroke; kept, because the cost of a report must not grow.
    private(set) var bounds = Rect.empty
    private var model: any StrokeModel
    private let colors: InkColors
    private var predictor: StrokePredictor
    private var tiles: WetTiles
    // Kept for their memory.
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

    /// Whether there was no report yet.
    var isBlank: Bool { predictor.lastReport == nil }

    /// Adds a report; returns the bounds of the changed ink.
    mutating func add(_ sample: Sample) -> Rect {
        ink.removePrediction()
        model.add(sample, to: &ink)
        tiles.update(with: ink)
        predictor.add(sample)
        return changedBounds()
    }

    /// Replaces the prediction from the last report to a time; nil predicts nothing. Returns the bounds of the changed
    /// ink.
    mutating func predict(until time: Timestamp?) -> Rect {
        ink.show(time.flatMap { predictor.path(until: $0) })
        return changedBounds()
    }

    /// When the prediction must be removed because the pen rests; nil without prediction.
    var predictionExpiry: Timestamp? {
        guard ink.isPredicted, let last = predictor.lastReport else { return nil }
        return last + predictor.patience
    }

    private mutating func changedBounds() -> Rect {
        let changed = ink.takeChangedBounds()
        bounds = bounds.union(changed)
        return changed
    }

    /// Ends the ink where the pen lifted; returns the bounds of the changed ink. No report may follow.
    mutating func finish() -> Rect {
        model.finish(&ink)
        return changedBounds()
    }

    /// The ink of a finished stroke, and the same as a stroke of the page.
    consuming func dried() -> (StrokeInk, DryStroke) {
        tiles.update(with: ink)
        return (ink, DryStroke(ink, tiles, colors: colors, trail: model.trail))
    }

    /// Fills the parts of the outline that touch `clip` into the page, run by run.
    /// - Parameters:
    ///   - page: has the paper's pixels in `clip`.
    ///   - paper: complete in the tiles of `clip`.
    ///   - settled: pixels for settled tiles of this stroke.
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
