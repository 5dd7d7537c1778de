// SPDX-License-Identifier: Apache-2.0

/// A rectangle of whole pixels: columns `minX..<maxX` of rows `minY..<maxY`; empty when a maximum is not above its
/// minimum.
public struct PixelRect: Equatable, Hashable, Sendable {
    public var minX, minY, maxX, maxY: Int

    public init(minX: Int, minY: Int, maxX: Int, maxY: Int) {
        self.minX = minX
        self.minY = minY
        self.maxX = maxX
        self.maxY = maxY
    }

    /// The whole picture.
    public init(size: PixelSize) {
        self.init(minX: 0, minY: 0, maxX: size.width, maxY: size.height)
    }

    /// The pixels that `rect` touches, within `bounds`. NaN and infinite sides are clamped.
    public init(covering rect: Rect, within bounds: PixelRect) {
        func clamp(_ value: Double, _ low: Int, _ high: Int) -> Int {
            if !(value > Double(low)) { return low }
            return value < Double(high) ? Int(value) : high
        }
        minX = clamp(rect.minX.rounded(.down), bounds.minX, bounds.maxX)
        minY = clamp(rect.minY.rounded(.down), bounds.minY, bounds.maxY)
        maxX = clamp(rect.maxX.rounded(.up), bounds.minX, bounds.maxX)
        maxY = clamp(rect.maxY.rounded(.up), bounds.minY, bounds.maxY)
    }

    public static let empty = PixelRect(minX: 0, minY: 0, maxX: 0, maxY: 0)

    public var isEmpty: Bool { minX >= maxX || minY >= maxY }
    public var width: Int { max(0, maxX - minX) }
    public var height: Int { max(0, maxY - minY) }
    /// The number of pixels.
    public var area: Int { width * height }

    public func intersection(_ other: PixelRect) -> PixelRect {
        let result = PixelRect(
            minX: max(minX, other.minX), minY: max(minY, other.minY),
            maxX: min(maxX, other.maxX), maxY: min(maxY, other.maxY))
        return result.isEmpty ? .empty : result
    }

    /// The smallest rectangle that contains both.
    public func union(_ other: PixelRect) -> PixelRect {
        if isEmpty { return other }
        if other.isEmpty { return self }
        return PixelRect(
            minX: min(minX, other.minX), minY: min(minY, other.minY),
            maxX: max(maxX, other.maxX), maxY: max(maxY, other.maxY))
    }

    /// The rectangle with all sides moved inwards; outwards if the distance is negative.
    public func inset(by distance: Int) -> PixelRect {
        PixelRect(minX: minX + distance, minY: minY + distance, maxX: maxX - distance, maxY: maxY - distance)
    }

    public func contains(_ other: PixelRect) -> Bool {
        other.isEmpty
            || (minX <= other.minX && minY <= other.minY && maxX >= other.maxX && maxY >= other.maxY)
    }

    /// The part outside `other`, as at most four rectangles that do not overlap.
    public func excluding(_ other: PixelRect) -> [PixelRect] {
        let hole = intersection(other)
        if hole.isEmpty { return isEmpty ? [] : [self] }
        return [
            PixelRect(minX: minX, minY: minY, maxX: maxX, maxY: hole.minY),
            PixelRect(minX: minX, minY: hole.minY, maxX: hole.minX, maxY: hole.maxY),
            PixelRect(minX: hole.maxX, minY: hole.minY, maxX: maxX, maxY: hole.maxY),
            PixelRect(minX: minX, minY: hole.maxY, maxX: maxX, maxY: maxY),
        ].filter { !$0.isEmpty }
    }

    /// The same rectangle in real coordinates.
    public var rect: Rect {
        Rect(minX: Double(minX), minY: Double(minY), maxX: Double(maxX), maxY: Double(maxY))
    }
}

/// The part of a picture that changed: a few rectangles that may overlap.
///
/// The list is kept short by joining the pair that wastes the fewest pixels, because each rectangle costs a set-up when
/// it is redrawn and the kernel takes damage as a list.
public struct Damage: Equatable, Sendable {
    /// Two pen tips, their last wet tails and a button are five; more are rare enough to be joined.
    static let maximumCount = 6

    public private(set) var rects: [PixelRect] = []

    public init() {}
    public init(_ rect: PixelRect) { add(rect) }

    public var isEmpty: Bool { rects.isEmpty }

    /// The smallest rectangle that contains all of it.
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

    /// Joins rectangles whose union has no more pixels than both apart, then the cheapest pairs until the list is short
    /// enough.
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

/// A part of a picture in memory that somebody else owns.
public struct PixelMemory {
    /// The first byte of the upper left pixel of ``bounds``.
    public let base: UnsafeMutableRawPointer
    public let bounds: PixelRect
    /// The distance between rows.
    public let strideBytes: Int

    public init(base: UnsafeMutableRawPointer, bounds: PixelRect, strideBytes: Int) {
        self.base = base
        self.bounds = bounds
        self.strideBytes = strideBytes
    }

    /// The first byte of a pixel.
    public func address(x: Int, y: Int, bytesPerPixel: Int) -> UnsafeMutableRawPointer {
        let offset: Int = (y &- bounds.minY) &* strideBytes &+ (x &- bounds.minX) &* bytesPerPixel
        return base + offset
    }
}
