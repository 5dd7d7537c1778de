// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The ink of one stroke so far: a centre line and an outline, both with a dry part that is final, a wet tail that the
/// pen models again with each report, and for a moment a guess of what comes next (``show(_:)``), which never dries.
///
/// The outline is a list of pieces, each some closed contours. Filled together with the non-zero rule they are exactly
/// the ink: screen, PNG, SVG and JSON all come from it. Contours all turn the same way and none turns back on itself,
/// so that overlaps add up instead of cancelling to holes, and what is inked stays inked. Where pieces have tones,
/// those of one tone are filled together, run by run (``runs``).
public struct StrokeInk: Sendable {
    /// Some neighbouring contours of ``StrokeInk/outline``, found by their box.
    public struct Piece: Sendable {
        public let start: Path.Mark
        public let end: Path.Mark
        public let bounds: Rect
        /// Nil is the ink's own colour, all over the stroke.
        public let tone: Tone?
        /// How many times the tone changed before this piece.
        public let run: Int

        /// The same when everything before `mark` is gone from the outline.
        fileprivate func moved(by mark: Path.Mark) -> Piece {
            func moved(_ place: Path.Mark) -> Path.Mark {
                Path.Mark(
                    verbCount: place.verbCount - mark.verbCount, pointCount: place.pointCount - mark.pointCount)
            }
            return Piece(start: moved(start), end: moved(end), bounds: bounds, tone: tone, run: run)
        }
    }

    public private(set) var outline = Path()
    public private(set) var pieces: [Piece] = []
    public private(set) var centerline: [CenterlinePoint] = []
    /// The first so many pieces never change again.
    public private(set) var dryPieceCount = 0
    /// The first so many points of the centre line never change again.
    public private(set) var dryPointCount = 0
    /// Of the pieces that are appended from now on.
    public var tone: Tone?
    /// Where predicted ink begins, after the wet tail; nil when there is none.
    private var predictionStart: (piece: Int, point: Int)?
    /// Its memory is what is kept from one prediction to the next.
    var predictionOutliner = StrokeOutliner()
    private var changed = Rect.empty

    public init() {}

    /// The box of all ink.
    public var bounds: Rect { pieces.reduce(.empty) { $0.union($1.bounds) } }

    /// The box of everything that was added or taken back since the last call; empty when nothing was.
    public mutating func takeChangedBounds() -> Rect {
        defer { changed = .empty }
        return changed
    }

    // MARK: for pens

    /// Adds a point to the centre line, wet.
    public mutating func append(_ point: CenterlinePoint) { centerline.append(point) }

    /// Adds a piece, wet: `draw` appends its closed contours to the path it is given.
    public mutating func appendPiece(_ draw: (inout Path) -> Void) {
        let start = outline.end
        draw(&outline)
        guard outline.end != start else { return }
        let bounds = outline.bounds(from: start, to: outline.end)
        let run = pieces.last.map { $0.tone == tone ? $0.run : $0.run + 1 } ?? 0
        pieces.append(Piece(start: start, end: outline.end, bounds: bounds, tone: tone, run: run))
        changed = changed.union(bounds)
    }

    /// Takes the wet tail back, and what was predicted after it, before it is modelled again.
    public mutating func removeWet() {
        predictionStart = nil
        remove(fromPiece: dryPieceCount, point: dryPointCount)
    }

    /// Makes everything appended so far final. What was predicted is taken back first.
    public mutating func dry() {
        removePrediction()
        dryPieceCount = pieces.count
        dryPointCount = centerline.count
    }

    // MARK: for files

    /// Forgets the first `count` pieces, and the final centre line but for its last point: of a stroke that is written
    /// to a file while it is modelled, so that no more than a part of it is in memory.
    /// - Parameter count: at most ``dryPieceCount``.
    public mutating func forgetFirst(_ count: Int) {
        removePrediction()
        let mark = count < pieces.count ? pieces[count].start : outline.end
        outline.removeFirst(upTo: mark)
        pieces.removeFirst(count)
        for index in pieces.indices { pieces[index] = pieces[index].moved(by: mark) }
        dryPieceCount -= count
        let points = max(dryPointCount - 1, 0)
        centerline.removeFirst(points)
        dryPointCount -= points
    }

    // MARK: for prediction

    /// Whether there is predicted ink.
    public var isPredicted: Bool { predictionStart != nil }

    /// What is appended from here on is predicted.
    mutating func beginPrediction() { predictionStart = (pieces.count, centerline.count) }

    /// Takes back what was predicted.
    public mutating func removePrediction() {
        guard let start = predictionStart else { return }
        predictionStart = nil
        remove(fromPiece: start.piece, point: start.point)
    }

    private mutating func remove(fromPiece piece: Int, point: Int) {
        for piece in pieces[piece...] { changed = changed.union(piece.bounds) }
        outline.truncate(to: piece < pieces.count ? pieces[piece].start : outline.end)
        pieces.removeLast(pieces.count - piece)
        centerline.removeLast(centerline.count - point)
    }
}
