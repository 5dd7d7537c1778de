// SPDX-License-Identifier: Apache-2.0

/// Whole pixels: columns `minX..<maxX` of rows `minY..<maxY`; empty when a maximum is not above its minimum.
public struct PixelRect: Equatable, Hashable, Sendable {
    public var minX, minY, maxX, maxY: Int

    public init(minX: Int, minY: Int, maxX: Int, maxY: Int) {
        self.minX = minX
        self.minY = minY
        self.maxX = maxX
        self.maxY = maxY
    }

    /// All of a picture.
    public init(size: PixelSize) {
        self.init(minX: 0, minY: 0, maxX: size.width, maxY: size.height)
    }

    /// The pixels that `rect` touches, within `bounds`. Any input is safe: not-a-number and infinite sides are clamped.
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
    /// Number of pixels.
    public var area: Int { width * height }

    public func intersection(_ other: PixelRect) -> PixelRect {
        let result = PixelRect(
            minX: max(minX, other.minX), minY: max(minY, other.minY),
            maxX: min(maxX, other.maxX), maxY: min(maxY, other.maxY))
        return result.isEmpty ? .empty : result
    }

    /// The smallest rectangle with both in it.
    public func union(_ other: PixelRect) -> PixelRect {
        if isEmpty { return other }
        if other.isEmpty { return self }
        return PixelRect(
            minX: min(minX, other.minX), minY: min(minY, other.minY),
            maxX: max(maxX, other.maxX), maxY: max(maxY, other.maxY))
    }

    public func contains(_ other: PixelRect) -> Bool {
        other.isEmpty
            || (minX <= other.minX && minY <= other.minY && maxX >= other.maxX && maxY >= other.maxY)
    }

    /// What of it is not in `other`, as at most four rectangles that do not overlap.
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

    /// As real coordinates.
    public var rect: Rect {
        Rect(minX: Double(minX), minY: Double(minY), maxX: Double(maxX), maxY: Double(maxY))
    }
}
