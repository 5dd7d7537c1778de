// SPDX-License-Identifier: Apache-2.0

/// Sixteen lines through a row of pixels, in the middle of each sixteenth, on which the order of boundaries is looked
/// at. cairo's tor scan converter does well with 15 for everything; here they only decide overlaps.
enum SampleLines {
    static let count = 16
    static let spacing: Int32 = 16
    /// Not crossed, or crossed right of the window.
    static let none = Int32.max
    /// 1/256 pixels that a part of an edge may span for its crossings to be computed in `Float`.
    static let longest: Int32 = 32 * 256

    /// Of every other line, the first one's first.
    @inline(__always)
    static var evenCenters: SIMD8<Float> { SIMD8<Float>(8, 40, 72, 104, 136, 168, 200, 232) }
    @inline(__always)
    static var unevenCenters: SIMD8<Float> { SIMD8<Float>(24, 56, 88, 120, 152, 184, 216, 248) }
    @inline(__always)
    static var centerRows: SIMD16<Int16> {
        SIMD16<Int16>(8, 24, 40, 56, 72, 88, 104, 120, 136, 152, 168, 184, 200, 216, 232, 248)
    }

    /// Fills `crossings`, ``count`` values, with the x in 1/256 pixel where `boundary` crosses each line.
    static func sample(_ boundary: Boundary, of row: SweptRow, into crossings: UnsafeMutablePointer<Int32>) {
        crossings.update(repeating: none, count: count)
        for index in boundary.firstPart..<boundary.endPart {
            let upperY = row.parts.y0(index)
            let lowerY = row.parts.y1(index)
            let upperX = row.parts.x0(index)
            let lowerX = row.parts.x1(index)
            // A part has the lines from its upper end, included, to its lower end, not included.
            var line = Int((upperY &+ (spacing / 2 &- 1)) / spacing)
            let end = Int((lowerY &+ (spacing / 2 &- 1)) / spacing)
            while line < end {
                crossings[line] = crossing(line, upperX: upperX, upperY: upperY, lowerX: lowerX, lowerY: lowerY)
                line &+= 1
            }
        }
    }

    /// Where a part of an edge crosses a line: the bits of ``SampleLanes``.
    @inline(__always)
    static func crossing(_ line: Int, upperX: Int32, upperY: Int32, lowerX: Int32, lowerY: Int32) -> Int32 {
        let run = lowerX &- upperX
        let center = Int32(truncatingIfNeeded: line) &* spacing &+ spacing / 2
        if run < longest && run > -longest {
            let slope = Float(run) / Float(lowerY &- upperY)
            let moved = (Float(center) - Float(upperY)) * slope
            let rounded = moved + 12_582_912
            return upperX &+ Int32(bitPattern: rounded.bitPattern &- 0x4B40_0000)
        }
        let moved = Int64(run) &* Int64(center &- upperY) / Int64(lowerY &- upperY)
        return upperX &+ Int32(truncatingIfNeeded: moved)
    }
}
