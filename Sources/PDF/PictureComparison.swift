// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc

/// Finds the places at which two pictures of a page show something different.
///
/// Two engines place the edges of a glyph up to a pixel apart and smooth them in different ways, so equal pixels cannot
/// be demanded. A pixel is *lone* if it is ink in one picture, and the other picture has clear paper at the pixel and at
/// its eight neighbours. Ink is what is nearer to the darkest than to the lightest value around, so grey on white and
/// white on black count as black on white does, and red on black counts in the red values. A place is different if
/// ``least`` pixels of a window of ``window`` x ``window`` pixels are lone.
struct PictureComparison {
    /// A place that is different.
    struct Place: Equatable {
        var rectangle: PixelRect
        /// The most lone pixels in a window of it.
        var measure: Int
    }

    /// The side of a window in pixels; windows begin at each multiple of half of it.
    static let window = 8
    /// The least lone pixels of a window that is different.
    static let least = 4

    /// Ink is at least this part of the contrast from the paper, in 256ths; clear paper is less than ``paper`` from it.
    static let ink = 128
    static let paper = 55
    /// The least contrast, of 255, of what people can see.
    static let leastContrast = 24
    /// Two even areas differ if their colours are this far apart, of 255. Engines convert colours differently.
    static let leastTint = 96

    private let (first, second): (UnsafePointer<UInt8>, UnsafePointer<UInt8>)
    private let size: PixelSize
    private let stride: Int
    /// Rectangles in which nothing counts.
    private let ignored: [PixelRect]
    /// The lone pixels of each square of half a window.
    private var counts: [UInt8]
    private let countsWidth: Int

    /// The darkest and lightest values of three channels in a part of a picture.
    private struct Range {
        var low: (UInt8, UInt8, UInt8) = (255, 255, 255)
        var high: (UInt8, UInt8, UInt8) = (0, 0, 0)
    }

    /// The different places of two pictures of this size.
    /// - Parameters:
    ///   - ignored: rectangles in which nothing counts.
    ///   - most: the most places in the result; those with the greatest measure stay.
    static func places(
        _ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>, size: PixelSize,
        ignoring ignored: [PixelRect] = [], least: Int = least, most: Int = .max
    ) -> [Place] {
        let count = 3 * size.width * size.height
        guard count > 0, first.count >= count, second.count >= count, let first = first.baseAddress,
            let second = second.baseAddress
        else { return [] }
        var comparison = PictureComparison(first, second, size, ignored)
        comparison.run()
        return comparison.places(least: least, most: most)
    }

    private init(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, _ size: PixelSize, _ ignored: [PixelRect]
    ) {
        (self.first, self.second, self.size, self.ignored) = (first, second, size, ignored)
        stride = 3 * size.width
        let half = Self.window / 2
        // A row and a column more, so that each square has a neighbour.
        countsWidth = (size.width + half - 1) / half + 1
        counts = [UInt8](repeating: 0, count: countsWidth * ((size.height + half - 1) / half + 1))
    }

    // MARK: lone pixels

    /// The side of a cell, the unit of the work.
    private static let cell = 8

    private mutating func run() {
        let side = Self.cell
        for top in Swift.stride(from: 0, to: size.height, by: side) {
            let bottom = min(top + side, size.height)
            // Most rows of most pages are equal.
            if memcmp(first + top * stride, second + top * stride, (bottom - top) * stride) == 0 { continue }
            for left in Swift.stride(from: 0, to: size.width, by: side) {
                let cell = PixelRect(minX: left, minY: top, maxX: min(left + side, size.width), maxY: bottom)
                if !areEqual(cell) { examine(cell) }
            }
        }
    }

    private func areEqual(_ cell: PixelRect) -> Bool {
        for y in cell.minY..<cell.maxY {
            let start = y * stride + 3 * cell.minX
            if memcmp(first + start, second + start, 3 * cell.width) != 0 { return false }
        }
        return true
    }

    /// The values of a channel around a cell that separate ink from paper.
    private struct Scale {
        var low = 0
        var high = 0
        /// The distances of ink, and of what is no clear paper, from the paper's value; 0 if nothing can be seen.
        var ink = 0
        var paper = 0

        init(_ one: (low: UInt8, high: UInt8), _ other: (low: UInt8, high: UInt8)) {
            (low, high) = (Int(min(one.low, other.low)), Int(max(one.high, other.high)))
            let areEven = max(one.high - one.low, other.high - other.low) < leastContrast
            if high - low < (areEven ? leastTint : leastContrast) { return }
            let contrast = high - low
            (ink, paper) = (contrast * PictureComparison.ink / 256, contrast * PictureComparison.paper / 256)
        }
    }

    /// Counts the lone pixels of a cell.
    private mutating func examine(_ cell: PixelRect) {
        let around = PixelRect(
            minX: cell.minX - Self.cell, minY: cell.minY - Self.cell, maxX: cell.maxX + Self.cell,
            maxY: cell.maxY + Self.cell
        ).intersection(PixelRect(size: size))
        let (one, other) = (range(of: first, in: around), range(of: second, in: around))
        let scales = (
            Scale((one.low.0, one.high.0), (other.low.0, other.high.0)),
            Scale((one.low.1, one.high.1), (other.low.1, other.high.1)),
            Scale((one.low.2, one.high.2), (other.low.2, other.high.2))
        )
        for y in cell.minY..<cell.maxY {
            for x in cell.minX..<cell.maxX {
                if isLone(x, y, 0, scales.0) || isLone(x, y, 1, scales.1) || isLone(x, y, 2, scales.2) { mark(x, y) }
            }
        }
    }

    private func isLone(_ x: Int, _ y: Int, _ channel: Int, _ scale: Scale) -> Bool {
        let place = y * stride + 3 * x + channel
        let (a, b) = (Int(first[place]), Int(second[place]))
        // The other picture's own pixel is one of those that must be clear.
        if scale.ink == 0 || abs(a - b) < scale.ink - scale.paper { return false }
        let (darker, lighter) = a < b ? (first, second) : (second, first)
        // The ink is dark on light paper, or light on dark paper.
        return min(a, b) <= scale.high - scale.ink
            && isClear(lighter, x, y, channel, from: scale.high - scale.paper, to: 255)
            || max(a, b) >= scale.low + scale.ink
                && isClear(darker, x, y, channel, from: 0, to: scale.low + scale.paper)
    }

    private func range(of picture: UnsafePointer<UInt8>, in part: PixelRect) -> Range {
        let count = 3 * part.width
        // The rows are joined byte by byte, which the compiler turns into vectors; then the channels.
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * count) { memory in
            guard let low = memory.baseAddress else { return Range() }
            let high = low + count
            for index in 0..<count { (low[index], high[index]) = (255, 0) }
            for y in part.minY..<part.maxY {
                let row = picture + (y * stride + 3 * part.minX)
                for index in 0..<count {
                    low[index] = min(low[index], row[index])
                    high[index] = max(high[index], row[index])
                }
            }
            var range = Range()
            for index in Swift.stride(from: 0, to: count, by: 3) {
                range.low.0 = min(range.low.0, low[index])
                range.low.1 = min(range.low.1, low[index + 1])
                range.low.2 = min(range.low.2, low[index + 2])
                range.high.0 = max(range.high.0, high[index])
                range.high.1 = max(range.high.1, high[index + 1])
                range.high.2 = max(range.high.2, high[index + 2])
            }
            return range
        }
    }

    /// Whether a pixel and its neighbours have values of a range.
    private func isClear(
        _ picture: UnsafePointer<UInt8>, _ x: Int, _ y: Int, _ channel: Int, from low: Int, to high: Int
    ) -> Bool {
        for row in max(y - 1, 0)...min(y + 1, size.height - 1) {
            for column in max(x - 1, 0)...min(x + 1, size.width - 1) {
                let value = Int(picture[row * stride + 3 * column + channel])
                if value < low || value > high { return false }
            }
        }
        return true
    }

    private mutating func mark(_ x: Int, _ y: Int) {
        if ignored.contains(where: { $0.contains(PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1)) }) { return }
        counts[y / Self.half * countsWidth + x / Self.half] += 1
    }

    // MARK: places

    /// The side of the squares in which lone pixels are counted: a window is two by two of them.
    private static let half = window / 2
    /// The side of tiles in pixels. Different windows are one place if their tiles touch.
    private static let tile = 32

    private func places(least: Int, most: Int) -> [Place] {
        let columns = size.width / Self.tile + 1
        var tiles = [Place?](repeating: nil, count: columns * (size.height / Self.tile + 1))
        for row in 0..<(counts.count / countsWidth - 1) {
            for column in 0..<(countsWidth - 1) {
                let place = row * countsWidth + column
                let below = place + countsWidth
                let measure =
                    Int(counts[place]) + Int(counts[place + 1]) + Int(counts[below]) + Int(counts[below + 1])
                if measure < least { continue }
                let (x, y) = (column * Self.half, row * Self.half)
                let window = PixelRect(minX: x, minY: y, maxX: x + Self.window, maxY: y + Self.window)
                let tile = y / Self.tile * columns + x / Self.tile
                tiles[tile] = Place(rectangle: window.intersection(PixelRect(size: size)), measure: measure)
                    .joined(tiles[tile])
            }
        }
        var places: [Place] = []
        for tile in tiles.indices {
            guard let first = tiles[tile] else { continue }
            tiles[tile] = nil
            var place = first
            var waiting = [tile]
            while let next = waiting.popLast() {
                let (x, y) = (next % columns, next / columns)
                for row in max(y - 1, 0)...min(y + 1, tiles.count / columns - 1) {
                    for column in max(x - 1, 0)...min(x + 1, columns - 1) {
                        let neighbour = row * columns + column
                        guard let other = tiles[neighbour] else { continue }
                        tiles[neighbour] = nil
                        place = other.joined(place)
                        waiting.append(neighbour)
                    }
                }
            }
            places.append(place)
        }
        return Place.greatest(places, most: most)
    }
}

extension PictureComparison.Place {
    /// The places with the greatest measure, in their order.
    static func greatest(_ places: [Self], most: Int) -> [Self] {
        if places.count <= most { return places }
        let kept = places.indices.sorted { places[$0].measure > places[$1].measure }.prefix(most)
        return kept.sorted().map { places[$0] }
    }

    fileprivate func joined(_ other: Self?) -> Self {
        guard let other else { return self }
        return Self(rectangle: rectangle.union(other.rectangle), measure: max(measure, other.measure))
    }
}
