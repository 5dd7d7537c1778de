// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

/// The samples of a stroke in pixels, made one at a time from what a record holds.
struct StrokeSamples: Sendable {
    let count: Int
    /// The sample with this number, 0 up to ``count``.
    let sample: @Sendable (Int) -> Sample
}

/// Some pieces of a stroke in a row, none wet.
struct InkPart: Sendable {
    var ink: StrokeInk
    /// The first so many pieces are also the last ones of the part before. With them, parts that are filled by
    /// themselves leave no seam where they meet.
    var sharedCount: Int
}

/// The ink of one stroke as parts of bounded size: a stroke of a million samples takes no more memory than one of a
/// thousand. What there is room for is kept, the rest is modelled again each time that it is asked for.
///
/// Handwriting is one part: it takes more than ``PartModel/mostPieces`` pieces, or a scribble that goes over the same
/// place again and again, to make a second one.
struct InkParts: Sendable {
    private var kept: [InkPart] = []
    /// The model after the parts that are kept; nil when all of them are.
    private var rest: PartModel?
    /// The box of all ink.
    private(set) var bounds = Rect.empty
    /// What is kept, in bytes.
    private(set) var byteCount = 0
    private let start: PartModel?

    /// Ink that there is already, in one part.
    init(_ ink: StrokeInk) {
        kept = [InkPart(ink: ink, sharedCount: 0)]
        bounds = ink.bounds
        start = nil
    }

    /// - Parameter byteLimit: keeps no more than this.
    init(of samples: StrokeSamples, pen: Pen, density: PixelDensity, byteLimit: Int) {
        var model = PartModel(samples, pen: pen, density: density)
        start = model
        while true {
            // Only where it may be needed: the next change of a copy copies its arrays.
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
    }

    func forEach(_ body: (InkPart) -> Void) {
        for part in kept { body(part) }
        guard var model = rest else { return }
        while let part = model.next() { body(part) }
    }

    /// All of it, with its centre line.
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

/// Models a stroke from its first sample to its last, a part at a time. A value: a copy goes on by itself.
struct PartModel: Sendable {
    /// A fill of so many pieces takes a few megabytes. A signature's strokes have some hundred.
    static let mostPieces = 4096
    /// A scribble is cut earlier: what a row of a fill costs grows faster than the number of pieces that lie over each
    /// other in it.
    private static let fewestPieces = 512
    /// Edges in a row of the part, in the mean. Ten lines of small writing in one stroke have as many.
    private static let mostEdges = 256.0
    /// After the first part a scribble is no ordinary stroke any more, and its parts are a quarter of that.
    private static let laterShare = 4
    /// See ``InkPart/sharedCount``: pieces that reach over so many pixels, but no more pieces than this.
    private static let sharedLength = 4.0
    private static let mostShared = 8

    private let samples: StrokeSamples
    private var model: any StrokeModel
    private var ink = StrokeInk()
    /// How many samples have been taken.
    private var taken = 0
    private var sharedCount = 0
    private var isCut = false
    /// What is known of the first so many pieces.
    private var counted = 0
    private var bounds = Rect.empty
    /// Sum of the rows that each edge crosses.
    private var edgeRows = 0.0

    init(_ samples: StrokeSamples, pen: Pen, density: PixelDensity) {
        self.samples = samples
        model = pen.makeStroke(density: density)
    }

    /// - Returns: nil after the last part. A stroke without a sample has none.
    mutating func next() -> InkPart? {
        while taken < samples.count {
            let sample = samples.sample(taken)
            taken += 1
            if taken == samples.count {
                model.add(sample, to: &ink)
                ink.dry()
                defer { ink = StrokeInk() }
                return InkPart(ink: ink, sharedCount: sharedCount)
            }
            model.add(followed: sample, to: &ink)
            if isFull(), let part = cut() { return part }
        }
        return nil
    }

    /// The ink of all samples.
    func whole() -> StrokeInk {
        var (model, ink) = (model, ink)
        for number in taken..<samples.count { model.add(samples.sample(number), to: &ink) }
        ink.dry()
        return ink
    }

    /// Whether the pieces that are final are a part.
    private mutating func isFull() -> Bool {
        for piece in ink.pieces[min(counted, ink.dryPieceCount)..<ink.dryPieceCount] {
            bounds = bounds.union(piece.bounds)
            edgeRows += 2 * (piece.bounds.height + 1)
        }
        counted = ink.dryPieceCount
        let share = isCut ? Self.laterShare : 1
        return counted >= Self.mostPieces
            || counted * share >= Self.fewestPieces
                && edgeRows * Double(share) > Self.mostEdges * (bounds.height + 1)
    }

    /// Cuts before the last run, or in the midst of it when there is no other.
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
        isCut = true
        (counted, bounds, edgeRows) = (0, .empty, 0)
        return part
    }
}
