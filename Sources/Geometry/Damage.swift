// SPDX-License-Identifier: Apache-2.0

/// The part of a picture that changed: a few rectangles that may overlap.
///
/// Kept short by joining the pair that wastes the fewest pixels, because each rectangle costs a set-up when it is
/// redrawn and the kernel takes damage as a list.
public struct Damage: Equatable, Sendable {
    /// Two pen tips, their last wet tails and a button are five; more is rare enough to be joined.
    static let maximumCount = 6

    public private(set) var rects: [PixelRect] = []

    public init() {}
    public init(_ rect: PixelRect) { add(rect) }

    public var isEmpty: Bool { rects.isEmpty }

    /// The smallest rectangle with all of it.
    public var bounds: PixelRect { rects.reduce(.empty) { $0.union($1) } }

    public mutating func add(_ rect: PixelRect) {
        if rect.isEmpty { return }
        if rects.contains(where: { $0.contains(rect) }) { return }
        rects.removeAll { rect.contains($0) }
        rects.append(rect)
        joinNeighbours()
    }

    public mutating func add(_ other: Damage) {
        for rect in other.rects { add(rect) }
    }

    public mutating func removeAll() { rects.removeAll(keepingCapacity: true) }

    /// Joins rectangles whose union redraws no more pixels than both apart, and then the cheapest pairs until the list
    /// is short enough.
    private mutating func joinNeighbours() {
        while rects.count > 1 {
            var best = (waste: Int.max, first: 0, second: 0)
            for first in rects.indices {
                for second in rects.indices where second > first {
                    let joined = rects[first].union(rects[second]).area
                    let waste = joined - rects[first].area - rects[second].area
                    if waste < best.waste { best = (waste, first, second) }
                }
            }
            guard best.waste <= 0 || rects.count > Self.maximumCount else { return }
            let joined = rects[best.first].union(rects[best.second])
            rects.remove(at: best.second)
            rects[best.first] = joined
        }
    }
}
