// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc

/// Finds the places at which two pictures of a page show something different.
///
/// Two engines place the edges of a glyph up to a pixel apart and smooth them in different ways, so equal pixels cannot
/// be demanded. A pixel is *lone* if it is ink in one picture, and the other picture has clear paper at the pixel and
/// at its neighbours. Ink is what is nearer to the darkest than to the lightest grey around, or the reverse on dark
/// paper, so grey on white and white on black count as black on white does. A pixel is also lone if its colour is far
/// from that of the neighbours in the other picture. A place is different if ``Thresholds/least`` pixels of a window
/// are lone, even after one picture is moved by a pixel: engines put large glyphs on whole pixels.
struct PictureComparison {
    /// A place that is different.
    struct Place: Equatable {
        var rectangle: PixelRect
        /// The most lone pixels in a window of it.
        var measure: Int
    }

    /// The numbers that separate equal from different. They come from a corpus of pages (docs/benchmarks.md).
    struct Thresholds {
        /// The least lone pixels of a window that is different.
        var least = 4
        /// Ink is at least this part of the contrast from the paper, clear paper at most that part, in 256ths.
        var (ink, paper) = (128, 24)
        /// The least contrast of greys, of 255, that people can see.
        var contrast = 24
        /// Even areas differ if their greys are this far apart. Engines convert colours of print (CMYK) differently, by
        /// up to 69.
        var evenContrast = 80
        /// The least differences of red, green and blue, each without the grey, that count. With colours of print, they
        /// are up to 60, 46 and 140.
        var tint = (red: 76, green: 60, blue: 154)
    }

    /// The side of a window in pixels; windows begin at each multiple of half of it.
    static let window = 8
    private static let half = window / 2
    /// The side of a cell, for which contrasts are known.
    private static let cell = 8
    /// The side of tiles in pixels. Different windows are one place if their tiles touch.
    private static let tile = 32
    /// The most windows that are compared again after a movement, so that pages made for it do not take long. Others
    /// count as they are.
    private static let mostMoves = 20_000

    private let (first, second): (UnsafePointer<UInt8>, UnsafePointer<UInt8>)
    private let size: PixelSize
    private let stride: Int
    /// Whether a pixel does not count, in rows from the top; empty if all count.
    private let ignored: [Bool]
    private let thresholds: Thresholds
    private let (columns, rows): (Int, Int)
    /// The greys of each cell in both pictures.
    private var greys: [(first: Greys, second: Greys)]
    /// The lone pixels of each square of half a window.
    private var counts: [UInt8]
    private let countsWidth: Int

    /// The different places of two pictures of this size: rows from the top, three bytes a pixel.
    /// - Parameters:
    ///   - ignored: rectangles in which nothing counts.
    ///   - most: the most places in the result; those with the greatest measure stay.
    static func places(
        _ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>, size: PixelSize,
        ignoring ignored: [PixelRect] = [], thresholds: Thresholds = Thresholds(), most: Int = .max
    ) -> [Place] {
        let count = 3 * size.width * size.height
        guard count > 0, first.count >= count, second.count >= count, let first = first.baseAddress,
            let second = second.baseAddress
        else { return [] }
        var comparison = PictureComparison(first, second, size, ignored, thresholds)
        comparison.countLonePixels()
        return Place.greatest(comparison.places(), most: most)
    }

    private init(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, _ size: PixelSize, _ ignored: [PixelRect],
        _ thresholds: Thresholds
    ) {
        (self.first, self.second, self.size) = (first, second, size)
        self.thresholds = thresholds
        self.ignored = Self.mask(ignored, size)
        stride = 3 * size.width
        (columns, rows) = ((size.width - 1) / Self.cell + 1, (size.height - 1) / Self.cell + 1)
        greys = Array(repeating: (Greys(), Greys()), count: columns * rows)
        // A row and a column more, so that each square has a neighbour.
        countsWidth = (size.width - 1) / Self.half + 2
        counts = Array(repeating: 0, count: countsWidth * ((size.height - 1) / Self.half + 2))
    }

    private static func mask(_ rectangles: [PixelRect], _ size: PixelSize) -> [Bool] {
        if rectangles.isEmpty { return [] }
        var mask = [Bool](repeating: false, count: size.width * size.height)
        for rectangle in rectangles {
            let part = rectangle.intersection(PixelRect(size: size))
            if part.isEmpty { continue }
            for y in part.minY..<part.maxY {
                for x in part.minX..<part.maxX { mask[y * size.width + x] = true }
            }
        }
        return mask
    }

    // MARK: lone pixels

    private mutating func countLonePixels() {
        for row in 0..<rows {
            let (top, bottom) = (row * Self.cell, min((row + 1) * Self.cell, size.height))
            // Most rows of most pages are equal.
            if memcmp(first + top * stride, second + top * stride, (bottom - top) * stride) == 0 { continue }
            for column in 0..<columns {
                let (left, right) = (column * Self.cell, min((column + 1) * Self.cell, size.width))
                // The other picture's own pixel must be clear, too: equal pixels are never lone.
                if areEqual(left, right, top, bottom) { continue }
                let scale = scale(column, row)
                for y in top..<bottom {
                    for x in left..<right where isLone(x, y, (0, 0), scale) {
                        counts[y / Self.half * countsWidth + x / Self.half] += 1
                    }
                }
            }
        }
    }

    private func areEqual(_ left: Int, _ right: Int, _ top: Int, _ bottom: Int) -> Bool {
        for y in top..<bottom {
            let start = y * stride + 3 * left
            if memcmp(first + start, second + start, 3 * (right - left)) != 0 { return false }
        }
        return true
    }

    /// The greys of a part of a picture.
    private struct Greys {
        /// The darkest is above the lightest if they are not known yet.
        var (low, high) = (UInt8.max, UInt8.min)
        var sum: Int32 = 0
        var count: Int32 = 0

        mutating func add(_ grey: Int) {
            (low, high) = (min(low, UInt8(grey)), max(high, UInt8(grey)))
            sum += Int32(grey)
            count += 1
        }

        mutating func add(_ other: Greys) {
            (low, high) = (min(low, other.low), max(high, other.high))
            sum += other.sum
            count += other.count
        }
    }

    /// The greys around a cell, which separate ink from paper.
    private struct Scale {
        /// Dark ink is at most `darkInk`, on paper of at least `lightPaper`; light ink is at least `lightInk`, on paper
        /// of at most `darkPaper`. Without enough contrast, no pixel counts as ink.
        var (darkInk, lightPaper) = (-1, 256)
        var (lightInk, darkPaper) = (256, -1)
        /// The same for ink in its own picture, as the other one may have another colour everywhere.
        var (firstDarkInk, firstLightInk) = (-1, 256)
        var (secondDarkInk, secondLightInk) = (-1, 256)
        /// An ink and a paper differ at least by this.
        var least = 256
        /// How far around ink the paper must be clear. Small gaps between dark letters are no light ink.
        var (lightReach, darkReach) = (1, 1)
    }

    private mutating func scale(_ column: Int, _ row: Int) -> Scale {
        var (one, other) = (Greys(), Greys())
        for y in max(row - 1, 0)...min(row + 1, rows - 1) {
            for x in max(column - 1, 0)...min(column + 1, columns - 1) {
                let cell = greys(x, y)
                one.add(cell.first)
                other.add(cell.second)
            }
        }
        let (low, high) = (Int(min(one.low, other.low)), Int(max(one.high, other.high)))
        let contrast = high - low
        let areEven = max(one.high - one.low, other.high - other.low) < thresholds.contrast
        var scale = Scale()
        if contrast < (areEven ? thresholds.evenContrast : thresholds.contrast) { return scale }
        let (ink, paper) = (contrast * thresholds.ink / 256, contrast * thresholds.paper / 256)
        (scale.darkInk, scale.lightPaper) = (high - ink, high - paper)
        (scale.lightInk, scale.darkPaper) = (low + ink, low + paper)
        (scale.firstDarkInk, scale.firstLightInk) = (Int(one.high) - ink, Int(one.low) + ink)
        (scale.secondDarkInk, scale.secondLightInk) = (Int(other.high) - ink, Int(other.low) + ink)
        scale.least = ink - paper
        let isLight = Int(one.sum + other.sum) > (low + high) / 2 * Int(one.count + other.count)
        (scale.lightReach, scale.darkReach) = isLight ? (1, 2) : (2, 1)
        return scale
    }

    private mutating func greys(_ column: Int, _ row: Int) -> (first: Greys, second: Greys) {
        let index = row * columns + column
        let known = greys[index]
        if known.first.count > 0 { return known }
        var (one, other) = (Greys(), Greys())
        for y in (row * Self.cell)..<min((row + 1) * Self.cell, size.height) {
            for x in (column * Self.cell)..<min((column + 1) * Self.cell, size.width) {
                one.add(grey(first, x, y))
                other.add(grey(second, x, y))
            }
        }
        greys[index] = (one, other)
        return (one, other)
    }

    /// The grey of a pixel (ITU-R BT.601), 0 to 255.
    private func grey(_ picture: UnsafePointer<UInt8>, _ x: Int, _ y: Int) -> Int {
        let pixel = picture + (y * stride + 3 * x)
        return (77 * Int(pixel[0]) + 150 * Int(pixel[1]) + 29 * Int(pixel[2])) >> 8
    }

    /// Whether a pixel is lone, if the second picture is moved so that its pixel at `(x + move.x, y + move.y)` is the
    /// first one's at `(x, y)`.
    private func isLone(_ x: Int, _ y: Int, _ move: (x: Int, y: Int), _ scale: Scale) -> Bool {
        let (otherX, otherY) = (x + move.x, y + move.y)
        guard otherX >= 0, otherY >= 0, otherX < size.width, otherY < size.height else { return false }
        let (a, b) = (first + (y * stride + 3 * x), second + (otherY * stride + 3 * otherX))
        if a[0] == b[0], a[1] == b[1], a[2] == b[2] { return false }
        let isLone =
            isInk(
                first, x, y, withoutCounterpartIn: second, otherX, otherY, scale,
                own: (scale.firstDarkInk, scale.firstLightInk))
            || isInk(
                second, otherX, otherY, withoutCounterpartIn: first, x, y, scale,
                own: (scale.secondDarkInk, scale.secondLightInk))
            || isTinted(first, x, y, unlike: second, otherX, otherY)
            || isTinted(second, otherX, otherY, unlike: first, x, y)
        return isLone && (ignored.isEmpty || !ignored[y * size.width + x])
    }

    private func isInk(
        _ picture: UnsafePointer<UInt8>, _ x: Int, _ y: Int, withoutCounterpartIn other: UnsafePointer<UInt8>,
        _ otherX: Int, _ otherY: Int, _ scale: Scale, own: (darkInk: Int, lightInk: Int)
    ) -> Bool {
        let (value, opposite) = (grey(picture, x, y), grey(other, otherX, otherY))
        let difference = abs(value - opposite)
        if difference < scale.least { return false }
        let isOwn = value < opposite ? value <= own.darkInk : value >= own.lightInk
        if !isOwn, difference < thresholds.evenContrast { return false }
        let (low, high, reach) =
            value < opposite
            ? (value <= scale.darkInk ? scale.lightPaper : 256, 255, scale.lightReach)
            : (0, value >= scale.lightInk ? scale.darkPaper : -1, scale.darkReach)
        if opposite < low || opposite > high { return false }
        return allAround(otherX, otherY, reach) {
            let grey = grey(other, $0, $1)
            return low <= grey && grey <= high
        }
    }

    private func isTinted(
        _ picture: UnsafePointer<UInt8>, _ x: Int, _ y: Int, unlike other: UnsafePointer<UInt8>, _ otherX: Int,
        _ otherY: Int
    ) -> Bool {
        isTinted(picture, x, y, unlike: other, otherX, otherY, channel: 0, thresholds.tint.red)
            || isTinted(picture, x, y, unlike: other, otherX, otherY, channel: 1, thresholds.tint.green)
            || isTinted(picture, x, y, unlike: other, otherX, otherY, channel: 2, thresholds.tint.blue)
    }

    private func isTinted(
        _ picture: UnsafePointer<UInt8>, _ x: Int, _ y: Int, unlike other: UnsafePointer<UInt8>, _ otherX: Int,
        _ otherY: Int, channel: Int, _ least: Int
    ) -> Bool {
        let tint = tint(picture, x, y, channel)
        let difference = self.tint(other, otherX, otherY, channel) - tint
        if abs(difference) < least { return false }
        let sign = difference.signum()
        return allAround(otherX, otherY, 1) { sign * (self.tint(other, $0, $1, channel) - tint) >= least }
    }

    /// The red, green or blue of a pixel without its grey.
    private func tint(_ picture: UnsafePointer<UInt8>, _ x: Int, _ y: Int, _ channel: Int) -> Int {
        Int(picture[y * stride + 3 * x + channel]) - grey(picture, x, y)
    }

    /// Whether something is true of a pixel and its neighbours.
    @inline(__always)
    private func allAround(_ x: Int, _ y: Int, _ reach: Int, _ isTrue: (Int, Int) -> Bool) -> Bool {
        for row in max(y - reach, 0)...min(y + reach, size.height - 1) {
            for column in max(x - reach, 0)...min(x + reach, size.width - 1) where !isTrue(column, row) { return false }
        }
        return true
    }

    // MARK: places

    private mutating func places() -> [Place] {
        let tileColumns = size.width / Self.tile + 1
        var tiles = [Place?](repeating: nil, count: tileColumns * (size.height / Self.tile + 1))
        var movesLeft = Self.mostMoves
        for row in 0..<(counts.count / countsWidth - 1) {
            for column in 0..<(countsWidth - 1) {
                let place = row * countsWidth + column
                let below = place + countsWidth
                var measure =
                    Int(counts[place]) + Int(counts[place + 1]) + Int(counts[below]) + Int(counts[below + 1])
                if measure < thresholds.least { continue }
                let (x, y) = (column * Self.half, row * Self.half)
                let window = PixelRect(minX: x, minY: y, maxX: x + Self.window, maxY: y + Self.window)
                    .intersection(PixelRect(size: size))
                if movesLeft > 0 {
                    movesLeft -= 1
                    measure = measureAfterMoves(window, measure)
                    if measure < thresholds.least { continue }
                }
                let tile = y / Self.tile * tileColumns + x / Self.tile
                tiles[tile] = Place(rectangle: window, measure: measure).joined(tiles[tile])
            }
        }
        return Self.joined(&tiles, columns: tileColumns)
    }

    /// The fewest lone pixels of a window after the second picture is moved by up to a pixel. The search ends at a
    /// number that is not different.
    private mutating func measureAfterMoves(_ window: PixelRect, _ measure: Int) -> Int {
        var best = measure
        for y in -1...1 {
            for x in -1...1 where x != 0 || y != 0 {
                best = min(best, lonePixels(of: window, (x, y), atMost: best))
                if best < thresholds.least { return best }
            }
        }
        return best
    }

    private mutating func lonePixels(of window: PixelRect, _ move: (x: Int, y: Int), atMost most: Int) -> Int {
        var count = 0
        for row in (window.minY / Self.cell)...((window.maxY - 1) / Self.cell) {
            for column in (window.minX / Self.cell)...((window.maxX - 1) / Self.cell) {
                let scale = scale(column, row)
                for y in max(row * Self.cell, window.minY)..<min((row + 1) * Self.cell, window.maxY) {
                    for x in max(column * Self.cell, window.minX)..<min((column + 1) * Self.cell, window.maxX)
                    where isLone(x, y, move, scale) {
                        count += 1
                        if count == most { return count }
                    }
                }
            }
        }
        return count
    }

    /// Joins what touches.
    private static func joined(_ tiles: inout [Place?], columns: Int) -> [Place] {
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
        return places
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
