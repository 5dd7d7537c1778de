// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The ink of one stroke: a centre line and an outline. Both have a dry part that is final, a wet tail that the pen
/// models again with each report, and sometimes a prediction of the next moments (``show(_:)``), which never dries.
///
/// The outline is a list of pieces, each of some closed contours. Filled together with the non-zero rule they are
/// exactly the ink; screen, PNG, SVG and JSON all come from it. All contours turn the same way and none turns back on
/// itself, so that overlaps add up instead of cancelling to holes, and inked pixels stay inked. Where pieces have
/// tones, those of one tone are filled together, run by run (``runs``).
///
/// ```swift
/// rasterizer.begin(clip: page.surface.bounds)
/// rasterizer.add(ink.outline)
/// rasterizer.fill(.nonZero, with: .black, into: page.surface)
/// ```
public struct StrokeInk: Sendable {
    /// Some neighbouring contours of ``StrokeInk/outline`` with their bounding box.
    public struct Piece: Sendable {
        public let start: Path.Mark
        public let end: Path.Mark
        public let bounds: Rect
        /// nil is the ink's own colour, then for the whole stroke.
        public let tone: Tone?
        /// The number of changes of tone before this piece.
        public let run: Int

        /// The same piece after everything before `mark` was removed from the outline.
        fileprivate func moved(by mark: Path.Mark) -> Piece {
            Piece(start: start - mark, end: end - mark, bounds: bounds, tone: tone, run: run)
        }
    }

    public private(set) var outline = Path()
    public private(set) var pieces: [Piece] = []
    public private(set) var centerline: [CenterlinePoint] = []
    /// The number of pieces that never change again, the first ones.
    public private(set) var dryPieceCount = 0
    /// The number of points of the centre line that never change again, the first ones.
    public private(set) var dryPointCount = 0
    /// The tone of the pieces that are appended from now on.
    public var tone: Tone?
    /// The start of predicted ink, after the wet tail; nil without prediction.
    private var predictionStart: (piece: Int, point: Int)?
    /// Kept for its memory.
    private var predictionOutliner = StrokeOutliner()
    private var changed = Rect.empty

    public init() {}

    /// The bounding box of all ink.
    public var bounds: Rect { pieces.reduce(.empty) { $0.union($1.bounds) } }

    /// The bounding box of everything that was added or removed since the last call; empty when nothing was.
    public mutating func takeChangedBounds() -> Rect {
        defer { changed = .empty }
        return changed
    }

    // MARK: for pens

    /// Adds a point to the centre line, wet.
    public mutating func append(_ point: CenterlinePoint) { centerline.append(point) }

    /// Adds a wet piece: `draw` appends its closed contours to the path.
    public mutating func appendPiece(_ draw: (inout Path) -> Void) {
        let start = outline.end
        draw(&outline)
        guard outline.end != start else { return }
        let bounds = outline.bounds(from: start, to: outline.end)
        let run = pieces.last.map { $0.tone == tone ? $0.run : $0.run + 1 } ?? 0
        pieces.append(Piece(start: start, end: outline.end, bounds: bounds, tone: tone, run: run))
        changed = changed.union(bounds)
    }

    /// Removes the wet tail and the prediction, before the tail is modelled again.
    public mutating func removeWet() {
        predictionStart = nil
        remove(fromPiece: dryPieceCount, point: dryPointCount)
    }

    /// Removes the prediction and makes everything else final.
    public mutating func dry() {
        removePrediction()
        dryPieceCount = pieces.count
        dryPointCount = centerline.count
    }

    // MARK: for files

    /// Removes the first `count` pieces, and the final centre line except for its last point. For a long stroke that is
    /// written to a file while it is modelled, so that only a part of it is in memory.
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

    public var isPredicted: Bool { predictionStart != nil }

    /// The time from one node of predicted ink to the next.
    private static let predictionStep = Duration.milliseconds(2)

    /// Replaces the predicted ink: a line from the tip to the end of `path`, as wide as the tip, that goes on from the
    /// ink smoothly (`PredictedCurve`); nil shows none. The next report removes it, and so does drying.
    public mutating func show(_ path: PredictedPath?) {
        removePrediction()
        guard let path, let tip = centerline.last else { return }
        let curve = PredictedCurve(path, after: centerline)
        predictionStart = (pieces.count, centerline.count)
        // Moved out and back, so that its memory has one owner.
        var outliner = predictionOutliner
        predictionOutliner = StrokeOutliner()
        defer { predictionOutliner = outliner }
        outliner.copy(StrokeOutliner())
        outliner.add(tip, to: &self)
        let count = Int((path.duration / Self.predictionStep).rounded(.up))
        for index in 1...count {
            let node = CenterlinePoint(
                time: tip.time + path.duration * index / count,
                position: curve.point(at: Double(index) / Double(count)), width: tip.width)
            append(node)
            outliner.add(node, to: &self)
        }
        outliner.finish(&self)
    }

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

    // MARK: runs

    /// Consecutive pieces of one tone, which are filled together. Runs are filled in order, each over those before.
    public struct Run: Sendable {
        public fileprivate(set) var tone: Tone?
        /// The start of the run in ``StrokeInk/outline``.
        public fileprivate(set) var start: Path.Mark
        public fileprivate(set) var end: Path.Mark
        public fileprivate(set) var bounds: Rect
    }

    /// All runs; without tones at most one.
    public var runs: [Run] {
        var runs: [Run] = []
        for piece in pieces {
            if piece.run == runs.count {
                runs.append(Run(tone: piece.tone, start: piece.start, end: piece.end, bounds: piece.bounds))
            } else {
                runs[runs.count - 1].end = piece.end
                runs[runs.count - 1].bounds = runs[runs.count - 1].bounds.union(piece.bounds)
            }
        }
        return runs
    }
}

/// A point of the modelled stroke: the centre of the ink, its width there, and when it was drawn.
public struct CenterlinePoint: Equatable, Sendable {
    public var time: Timestamp
    public var position: Point
    /// Full width of the ink in pixels.
    public var width: Double

    public init(time: Timestamp, position: Point, width: Double) {
        self.time = time
        self.position = position
        self.width = width
    }
}

/// How far the ink's colour is mixed with the paper's, in a few levels, so that neighbouring pieces share theirs and
/// are drawn in one fill.
public struct Tone: Equatable, Sendable {
    /// The number of tones, and of colours that an ink has on a paper.
    public static let levelCount = 16
    /// The share of the paper's colour in the lightest ink.
    private static let lightestShare = 0.65

    /// 0 is the ink's own colour, `levelCount - 1` the lightest.
    public let level: Int

    /// - Parameter lightness: clamped to 0...1; NaN becomes 0.
    public init(lightness: Double) {
        let clamped = lightness > 0 ? min(lightness, 1) : 0
        level = Int((clamped * Double(Self.levelCount - 1)).rounded())
    }

    /// 0...1.
    public var lightness: Double { Double(level) / Double(Self.levelCount - 1) }

    /// The share of the paper's colour, 0...1.
    public var paperShare: Double { lightness * Self.lightestShare }
}
