// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

/// The samples of a stroke in pixels, converted one at a time from a record.
struct StrokeSamples: Sendable {
    let count: Int
    /// Returns the sample at an index below ``count``.
    let sample: @Sendable (Int) -> Sample
}

/// Consecutive dry pieces of a stroke.
struct InkPart: Sendable {
    var ink: StrokeInk
    /// The number of pieces at the start that are also the last ones of the previous part, so that parts that are
    /// filled separately leave no seam.
    var sharedCount: Int
}

/// The ink of one stroke as parts of bounded size, so that a stroke of a million samples takes no more memory than one
/// of a thousand. Parts are kept up to a limit; the rest is modelled again for each use.
///
/// Handwriting is one part. Only more than ``PartModel/mostPieces`` pieces, or scribbling over the same place, make
/// several.
struct InkParts: Sendable {
    private var kept: [InkPart] = []
    /// The model after the kept parts; nil if all parts are kept.
    private var rest: PartModel?
    /// The bounding box of the ink.
    private(set) var bounds = Rect.empty
    /// The size of the kept parts, in bytes.
    private(set) var byteCount = 0
    /// The trail for the next stroke.
    private(set) var trail: StrokeTrail?
    private let start: PartModel?

    /// One part with finished ink.
    init(_ ink: StrokeInk) {
        kept = [InkPart(ink: ink, sharedCount: 0)]
        bounds = ink.bounds
        start = nil
    }

    /// - Parameters:
    ///   - last: the trail of the stroke before.
    ///   - byteLimit: the maximum size of the kept parts; 0 or less keeps none.
    init(
        of samples: StrokeSamples, pen: Pen, density: PixelDensity, after last: StrokeTrail? = nil, byteLimit: Int
    ) {
        var model = PartModel(samples, pen: pen, density: density, after: last)
        start = model
        while true {
            // Taken only while it may be needed, because the next change copies the arrays of the model.
            let before = rest == nil ? model : nil
            guard let part = model.next() else { break }
            bounds = bounds.union(part.ink.bounds)
            guard rest == nil else { continue }
            if let before, byteCount + part.ink.byteCount > byteLimit {
                rest = before
            } else {
                byteCount += part.ink.byteCount
                kept.append(part)
            }
        }
        trail = model.trail
    }

    func forEachPart(_ body: (InkPart) -> Void) {
        whileTrue {
            body($0)
            return true
        }
    }

    /// - Parameter body: returns false to end; later parts are not modelled then.
    func whileTrue(_ body: (InkPart) -> Bool) {
        for part in kept where !body(part) { return }
        guard var model = rest else { return }
        while let part = model.next(), body(part) {}
    }

    /// The whole ink with its centre line.
    var whole: StrokeInk {
        if rest == nil, kept.count == 1 { return kept[0].ink }
        return start?.whole() ?? StrokeInk()
    }
}

extension StrokeInk {
    fileprivate var byteCount: Int {
        outline.points.count * MemoryLayout<Point>.stride + outline.verbs.count
            + pieces.count * MemoryLayout<Piece>.stride + centerline.count * MemoryLayout<CenterlinePoint>.stride
    }
}

/// Models a stroke part by part. A copy continues independently.
struct PartModel: Sendable {
    /// Filling this many pieces takes a few megabytes. A stroke of a signature has about a hundred.
    static let mostPieces = 4096
    /// The minimum for a scribble, which is cut earlier: the cost of a row grows faster than the number of pieces that
    /// overlap in it.
    private static let fewestPieces = 512
    /// Divides the limits of later parts of a scribble.
    private static let laterShare = 4
    /// The extent of the shared pieces in pixels (``InkPart/sharedCount``), and their maximum number.
    private static let sharedLength = 4.0
    private static let mostShared = 8

    private let samples: StrokeSamples
    private var model: any StrokeModel
    private var ink = StrokeInk()
    private var nextSample = 0
    private var sharedCount = 0
    /// Whether it was cut for its density.
    private var isScribble = false
    /// The number of pieces in ``crowd``.
    private var counted = 0
    private var crowd = Crowd()

    init(_ samples: StrokeSamples, pen: Pen, density: PixelDensity, after last: StrokeTrail?) {
        self.samples = samples
        model = pen.makeStroke(density: density, after: last)
    }

    /// The trail for the next stroke, once the last part is made.
    var trail: StrokeTrail? { model.trail }

    /// - Returns: nil after the last part. A stroke without samples has no parts.
    mutating func next() -> InkPart? {
        while nextSample < samples.count {
            let sample = samples.sample(nextSample)
            nextSample += 1
            if nextSample == samples.count {
                model.add(sample, to: &ink)
                model.finish(&ink)
                defer { ink = StrokeInk() }
                return InkPart(ink: ink, sharedCount: sharedCount)
            }
            model.add(followed: sample, to: &ink)
            if isFull(), let part = cut() { return part }
        }
        return nil
    }

    /// The ink of all remaining samples.
    func whole() -> StrokeInk {
        var (model, ink) = (model, ink)
        for number in nextSample..<samples.count { model.add(samples.sample(number), to: &ink) }
        model.finish(&ink)
        return ink
    }

    /// Whether the final pieces make a part.
    private mutating func isFull() -> Bool {
        for piece in ink.pieces[min(counted, ink.dryPieceCount)..<ink.dryPieceCount] { crowd.add(piece.bounds) }
        counted = ink.dryPieceCount
        let share = isScribble ? Self.laterShare : 1
        return counted >= Self.mostPieces || counted * share >= Self.fewestPieces && crowd.isDense(share: share)
    }

    /// Cuts before the last run, or within it if it is the only one.
    private mutating func cut() -> InkPart? {
        let dry = ink.pieces[..<ink.dryPieceCount]
        guard let last = dry.last else { return nil }
        let start = (dry.lastIndex { $0.run != last.run } ?? -1) + 1
        let count = start > 0 ? start : dry.count
        var shared = 0
        if start == 0 {
            var box = Rect.empty
            while shared < min(Self.mostShared, count - 1), max(box.width, box.height) < Self.sharedLength {
                shared += 1
                box = box.union(dry[count - shared].bounds)
            }
        }
        let part = InkPart(ink: ink.copied(0..<count), sharedCount: sharedCount)
        ink.forgetFirst(count - shared)
        sharedCount = shared
        isScribble = isScribble || counted < Self.mostPieces
        counted = 0
        crowd = Crowd()
        return part
    }
}

/// A rough measure of how much pieces overlap.
private struct Crowd {
    /// The side of the squares in which pieces are counted, in pixels of the screen. Squares that are a multiple of
    /// ``columnCount`` apart share a counter.
    private static let side = 32.0
    private static let columnCount = 64
    /// The limits of pieces in a square, and of layers over the whole area: joined writing has 20 and less than one.
    private static let most = 128
    private static let mostLayers = 4.0

    private var counts = [UInt16](repeating: 0, count: columnCount * columnCount)
    private var greatest = 0
    private var area = 0.0
    private var bounds = Rect.empty

    mutating func add(_ box: Rect) {
        bounds = bounds.union(box)
        area += (box.width + 1) * (box.height + 1)
        let square = Self.column((box.minY + box.maxY) / 2) * Self.columnCount + Self.column((box.minX + box.maxX) / 2)
        counts[square] &+= 1
        greatest = max(greatest, Int(counts[square]))
    }

    /// - Parameter share: divides the limits.
    func isDense(share: Int) -> Bool {
        greatest * share > Self.most
            || area * Double(share) > Self.mostLayers * (bounds.width + 1) * (bounds.height + 1)
    }

    private static func column(_ place: Double) -> Int {
        let squares = (place / side).rounded(.down)
        let row = (squares / Double(columnCount)).rounded(.down)
        let column = squares - row * Double(columnCount)
        return column >= 0 && column < Double(columnCount) ? Int(column) : 0
    }
}

extension StrokeInk {
    /// Copies pieces as dry ink without the centre line.
    func copied(_ range: Range<Int>) -> StrokeInk {
        var ink = StrokeInk()
        append(pieces[range], to: &ink) { $0 }
        ink.dry()
        return ink
    }

    /// Dry ink with all points multiplied by `scale`, above 0, and moved by `offset`.
    func scaled(_ scale: Double, then offset: Point) -> StrokeInk {
        var ink = StrokeInk()
        for point in centerline {
            ink.append(
                CenterlinePoint(
                    time: point.time, position: point.position * scale + offset,
                    width: point.width * scale))
        }
        append(pieces[...], to: &ink) { $0 * scale + offset }
        ink.dry()
        return ink
    }

    @inline(__always)
    private func append(_ pieces: ArraySlice<Piece>, to ink: inout StrokeInk, _ placed: (Point) -> Point) {
        for piece in pieces {
            ink.tone = piece.tone
            ink.appendPiece { $0.append(outline, from: piece.start, to: piece.end, placed) }
        }
    }
}
