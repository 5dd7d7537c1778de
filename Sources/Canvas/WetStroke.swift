// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

/// The stroke being drawn: its model, its ink, and where on the page each part of the ink lies.
///
/// It is not on the paper yet. Whatever region is shown is filled from the pieces that touch it, all in one fill, so
/// there is no seam between pieces and the dry stroke will be the same bytes.
struct WetStroke {
    /// Pieces found together; with 32 a stroke of 100,000 samples is some 3,000 boxes to look at.
    private static let chunkLength = 32

    private(set) var ink = StrokeInk()
    /// A box of all ink there is or was; kept, because asking every piece would cost more with each report.
    private(set) var bounds = Rect.empty
    private var model: any StrokeModel
    private var predictor: StrokePredictor
    /// Boxes of the first, second, … `chunkLength` dry pieces, which never change again.
    private var chunks: [Rect] = []

    /// - Parameter density: of the page, for the limits of prediction.
    init(model: any StrokeModel, density: PixelDensity) {
        self.model = model
        predictor = StrokePredictor(density: density)
    }

    /// Whether no report has been taken yet.
    var isBlank: Bool { predictor.lastMicroseconds == nil }

    /// Takes a report; returns the box of the ink that changed.
    mutating func add(_ sample: Sample) -> Rect {
        ink.removePrediction()
        model.add(sample, to: &ink)
        indexDryPieces()
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

    /// The finished ink of the stroke, which has lifted.
    consuming func dried() -> StrokeInk {
        ink.dry()
        return ink
    }

    private mutating func indexDryPieces() {
        while (chunks.count + 1) * Self.chunkLength <= ink.dryPieceCount {
            let first = chunks.count * Self.chunkLength
            chunks.append(ink.pieces[first..<first + Self.chunkLength].reduce(.empty) { $0.union($1.bounds) })
        }
    }

    /// Fills the parts of the outline that touch `clip` into the page, run by run.
    func fill(_ clip: PixelRect, of page: Surface, with rasterizer: inout Rasterizer, colors: InkColors) {
        let box = clip.rect
        var open: StrokeInk.Piece?
        for number in 0...chunks.count {
            let first = number * Self.chunkLength
            let isIndexed = number < chunks.count
            if isIndexed && !chunks[number].intersects(box) { continue }
            let end = isIndexed ? first + Self.chunkLength : ink.pieces.count
            for piece in ink.pieces[first..<end] where piece.bounds.intersects(box) {
                if piece.run != open?.run {
                    if let open { rasterizer.fill(.nonZero, with: colors[open.tone], into: page) }
                    rasterizer.begin(clip: clip)
                }
                open = piece
                rasterizer.add(ink.outline, from: piece.start, to: piece.end)
            }
        }
        if let open { rasterizer.fill(.nonZero, with: colors[open.tone], into: page) }
    }
}
