// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Glibc

/// Copies pictures in another size while people zoom: bilinear, in integers, so that the result is the same on every
/// machine. ``Picture/scaled(to:)`` is better and slower.
///
/// A pixel is a mixture of the four source pixels around its centre, in 256 steps a direction, first of two rows, then
/// of two columns, each rounded down. Beyond the centres of the outer pixels the outer pixels go on. A picture that
/// gets smaller than half loses lines. A picture of the same size is copied.
///
/// One thread at a time. Memory is kept.
public struct PictureScaler: ~Copyable {
    /// The source column at the left of a target column, and the share of the next one, 0...256.
    private var columns: [Tap] = []
    /// A row of the source, mixed of two; 16 bits a channel.
    private var line: [UInt64] = []
    private var made = Key(source: 0, start: 0, side: 0, columns: 0..<0)

    private struct Tap {
        var index: Int32
        var share: UInt32
    }

    private struct Key: Equatable {
        var source, start, side: Int
        var columns: Range<Int>
    }

    public init() {}

    private static let longestSide = 1 << 16

    /// Whether a picture can be in this place: both have pixels, and the place at most 65,536 a side.
    public static func canCopy(_ source: Surface, to place: PixelRect) -> Bool {
        !source.bounds.isEmpty && !place.isEmpty && max(place.width, place.height) <= longestSide
    }

    /// - Parameters:
    ///   - source: the picture.
    ///   - place: the picture's place on the target; may extend beyond it. If ``canCopy(_:to:)`` is false, the target
    ///     does not change.
    ///   - clip: the only pixels of the target that change.
    ///   - target: what the picture is drawn on.
    public mutating func copy(_ source: Surface, to place: PixelRect, within clip: PixelRect, of target: Surface) {
        let part = place.intersection(clip).intersection(target.bounds)
        guard !part.isEmpty, Self.canCopy(source, to: place) else { return }
        if PixelSize(width: place.width, height: place.height) == source.size {
            for y in part.minY..<part.maxY {
                let input = source.row(y - place.minY) + (part.minX - place.minX)
                memcpy(target.row(y) + part.minX, input, part.width * 4)
            }
            return
        }
        let key = Key(
            source: source.size.width, start: place.minX, side: place.width, columns: part.minX..<part.maxX)
        if key != made {
            columns.removeAll(keepingCapacity: true)
            for x in part.minX..<part.maxX {
                columns.append(Self.tap(x - place.minX, of: place.width, source: source.size.width))
            }
            made = key
        }
        if line.count < source.size.width { line = [UInt64](repeating: 0, count: source.size.width) }
        let first = Int(columns[0].index)
        let last = min(Int(columns[columns.count - 1].index) + 1, source.size.width - 1)
        // The rows that the line was mixed of.
        var mixed: (index: Int32, share: UInt32)?
        for y in part.minY..<part.maxY {
            let tap = Self.tap(y - place.minY, of: place.height, source: source.size.height)
            if mixed.map({ $0.index != tap.index || $0.share != tap.share }) ?? true {
                let above = Int(tap.index)
                mix(source.row(above), source.row(min(above + 1, source.size.height - 1)), tap.share, first...last)
                mixed = (tap.index, tap.share)
            }
            sample(to: target.row(y) + part.minX, lastColumn: source.size.width - 1)
        }
    }

    /// The source pixel before the centre of a target pixel, and the share of the one after it.
    private static func tap(_ index: Int, of side: Int, source: Int) -> Tap {
        // The place in 1/256 of a source pixel from the centre of the first one.
        let centre = ((2 * index + 1) * source - side) * 256 / (2 * side)
        let clamped = max(0, min(centre, (source - 1) * 256))
        return Tap(index: Int32(clamped >> 8), share: UInt32(clamped & 255))
    }

    /// Mixes columns of two rows into the line.
    private mutating func mix(
        _ above: UnsafeMutablePointer<UInt32>, _ below: UnsafeMutablePointer<UInt32>, _ share: UInt32,
        _ columns: ClosedRange<Int>
    ) {
        let (rest, share) = (UInt64(256 - share), UInt64(share))
        line.withUnsafeMutableBufferPointer { line in
            guard let line = line.baseAddress else { return }
            for x in columns {
                line[x] = Self.mixture(Self.spread(above[x]), rest, Self.spread(below[x]), share)
            }
        }
    }

    private func sample(to output: UnsafeMutablePointer<UInt32>, lastColumn: Int) {
        line.withUnsafeBufferPointer { line in
            columns.withUnsafeBufferPointer { columns in
                guard let line = line.baseAddress, let taps = columns.baseAddress else { return }
                for x in 0..<columns.count {
                    let index = Int(taps[x].index)
                    let share = UInt64(taps[x].share)
                    let next = line[index < lastColumn ? index &+ 1 : index]
                    let mixed = Self.mixture(line[index], 256 &- share, next, share)
                    // Blue and red stand right; green and the highest byte move back between them.
                    output[x] = UInt32(truncatingIfNeeded: mixed | mixed >> 24) | 0xFF00_0000
                }
            }
        }
    }

    /// The four bytes of a pixel, 16 bits apart: 8 bits times 256 fit.
    @inline(__always)
    private static func spread(_ pixel: UInt32) -> UInt64 {
        (UInt64(pixel) | UInt64(pixel) << 24) & 0x00FF_00FF_00FF_00FF
    }

    @inline(__always)
    private static func mixture(_ one: UInt64, _ rest: UInt64, _ other: UInt64, _ share: UInt64) -> UInt64 {
        (one &* rest &+ other &* share) >> 8 & 0x00FF_00FF_00FF_00FF
    }
}
