// SPDX-License-Identifier: Apache-2.0

/// Sixteen lines through a row of pixels, in the middle of each sixteenth, on which the order of boundaries is looked
/// at. cairo's tor scan converter does well with 15 for everything; here they only decide overlaps.
enum SampleLines {
    static let count = 16
    static let spacing = 256 / count
    /// Not crossed, or crossed right of the clip.
    static let none = Int32.max

    /// Fills `crossings`, ``count`` values, with the x in 1/256 pixel where `boundary` crosses each line.
    @inline(__always)
    static func sample(
        _ boundary: Boundary, of segments: UnsafeMutablePointer<RowSegment>, into crossings: UnsafeMutablePointer<Int32>
    ) {
        crossings.update(repeating: none, count: count)
        var index = Int(boundary.segment)
        for _ in 0..<boundary.segmentCount {
            sample(segments[index], into: crossings)
            index = Int(segments[index].next)
        }
    }

    /// The exact quotient rounded down: of two segments that do not cross, the left one stays left on every line.
    @inline(__always)
    private static func sample(_ segment: RowSegment, into crossings: UnsafeMutablePointer<Int32>) {
        // Line i is at (i + 1/2) x spacing; a segment has those from its upper end, included, to its lower end, not
        // included.
        var line = (Int(segment.upperY) &+ (spacing / 2 &- 1)) / spacing
        let end = (Int(segment.lowerY) &+ (spacing / 2 &- 1)) / spacing
        if line >= end { return }
        let run = Int64(segment.lowerX &- segment.upperX)
        let height = Int64(segment.lowerY &- segment.upperY)
        // From the left end, so that nothing below is negative.
        let left = run < 0 ? segment.lowerX : segment.upperX
        let size = run < 0 ? 0 &- run : run
        var reached = Int64(line &* spacing &+ spacing / 2) &- Int64(segment.upperY)
        if run < 0 { reached = height &- reached }
        let step = Int64(run < 0 ? 0 &- spacing : spacing)
        if size < 32768 {
            // n / d = n ceil(2^32 / d) >> 32 for n < 2^24 and d <= 2^8 (T. Granlund, P. Montgomery, 1994).
            let reciprocal = Int64(UInt32.max / UInt32(truncatingIfNeeded: height)) &+ 1
            while line < end {
                crossings[line] = left &+ Int32(truncatingIfNeeded: (size &* reached &* reciprocal) >> 32)
                reached &+= step
                line &+= 1
            }
        } else {
            while line < end {
                crossings[line] = left &+ Int32(truncatingIfNeeded: size &* reached / height)
                reached &+= step
                line &+= 1
            }
        }
    }

    /// Whether the first boundary lies left of the second on all lines, or right of it on all lines.
    @inline(__always)
    static func isOrdered(_ first: UnsafeMutablePointer<Int32>, _ second: UnsafeMutablePointer<Int32>) -> Bool {
        var isLeft = true
        var isRight = true
        for line in 0..<count {
            isLeft = isLeft && first[line] <= second[line]
            isRight = isRight && first[line] >= second[line]
        }
        return isLeft || isRight
    }
}
