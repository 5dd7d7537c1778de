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

    /// - Parameter byteLimit: keeps no more than this; nothing where it is 0 or less.
    init(of samples: StrokeSamples, pen: Pen, density: PixelDensity, byteLimit: Int) {
        var model = PartModel(samples, pen: pen, density: density)
        start = model
        while true {
            // Where it may be needed. Before the first part a copy costs nothing; later the next change copies its arrays.
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
    /// After that it is no ordinary stroke any more, and what makes a part is a quarter of it.
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
    /// Whether it was cut for that.
    private var isScribble = false
    /// How many of the pieces are in ``crowd``.
    private var counted = 0
    private var crowd = Crowd()

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
        for piece in ink.pieces[min(counted, ink.dryPieceCount)..<ink.dryPieceCount] { crowd.add(piece.bounds) }
        counted = ink.dryPieceCount
        let share = isScribble ? Self.laterShare : 1
        return counted >= Self.mostPieces || counted * share >= Self.fewestPieces && crowd.isDense(share: share)
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
        isScribble = isScribble || counted < Self.mostPieces
        counted = 0
        crowd = Crowd()
        return part
    }
}

/// How much pieces lie over each other, roughly.
private struct Crowd {
    /// A side of the squares in which pieces are counted, in pixels of the screen; those as many squares apart as there
    /// are in a row of ``counts`` are counted as one.
    private static let side = 32.0
    private static let columnCount = 64
    /// Pieces around one place, and layers over all: joined writing has 20, and less than one.
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

    /// - Parameter share: divides what is dense.
    func isDense(share: Int) -> Bool {
        greatest * share > Self.most
            || area * Double(share) > Self.mostLayers * (bounds.width + 1) * (bounds.height + 1)
    }

    private static func column(_ place: Double) -> Int {
        // Wherever it is: the remainder is all that counts.
        let squares = (place / side).rounded(.down)
        let row = (squares / Double(columnCount)).rounded(.down)
        let column = squares - row * Double(columnCount)
        return column >= 0 && column < Double(columnCount) ? Int(column) : 0
    }
}
