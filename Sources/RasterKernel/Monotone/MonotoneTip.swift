// SPDX-License-Identifier: Apache-2.0

/// The upper or lower end of a monotone contour, where both sides leave one vertex within a row: whether it is open,
/// that is, whether they keep apart from there to the row's other side, told from their few corners.
///
/// Must never say so when the ``OverlapResolver`` would find an overlap; see ``RowSweep/isSimple(_:_:_:)``.
struct MonotoneTip: ~Copyable {
    /// Corners of a side; with more of them it is left to others.
    private static let most = 8
    /// Horizontal distance of the sides at each corner, in 1/256 pixel, so that samples do not cross: as in ``Chord``.
    private static let distance: Int32 = 3

    /// Pixels from the first that the sides touch in the row to the last, up to which samples are computed in `Float`,
    /// with room to spare: half of ``SampleLines/longest``, less one.
    static let widest: Int32 = 14

    private struct Corner {
        /// 1/256 pixel from the left of the window, and from the tip up or down.
        var x, height: Int32
    }

    private let corners: UnsafeMutablePointer<Corner>

    init() { corners = .allocate(capacity: 2 * Self.most) }

    deinit { corners.deallocate() }

    /// - Parameter isUpper: whether it is about the first row of the window, or the last one.
    @inline(never)
    func isOpen(_ contour: MonotoneContour, isUpper: Bool) -> Bool {
        if meet(contour, isUpper: isUpper) { return true }
        let (one, other) = (corners, corners + Self.most)
        let oneCount = collect(contour.one, of: contour, isUpper: isUpper, into: one)
        let otherCount = collect(contour.other, of: contour, isUpper: isUpper, into: other)
        if oneCount == 0 || otherCount == 0 { return false }
        let oneSides = Self.sides(one, oneCount, of: other)
        let otherSides = Self.sides(other, otherCount, of: one)
        return (oneSides.isLeft && otherSides.isRight) || (oneSides.isRight && otherSides.isLeft)
    }

    /// Where the tip's row has its other side, in 1/256 pixel.
    @inline(__always)
    private func side(of window: Window, isUpper: Bool) -> Int32 {
        window.originY &+ (isUpper ? 256 : (window.height &- 1) &<< 8)
    }

    /// Whether both sides leave the row by the edge that begins in the tip: two straight lines from one point, however
    /// near to each other, do not cross, and neither do their samples.
    @inline(__always)
    private func meet(_ contour: MonotoneContour, isUpper: Bool) -> Bool {
        let vertices = contour.vertices
        func next(_ chain: Chain) -> Int32 {
            let isForward = (chain.lower > chain.upper) == isUpper
            return vertices[Int(isUpper ? chain.upper : chain.lower) &+ (isForward ? 1 : -1)].y
        }
        let (first, second) = (next(contour.one), next(contour.other))
        let side = side(of: contour.window, isUpper: isUpper)
        return isUpper ? first >= side && second >= side : first <= side && second <= side
    }

    /// Writes the corners of a side, from the tip to where it leaves the row.
    /// - Returns: how many; zero when there are too many, an edge is level, or the other end is in the row, too.
    @inline(__always)
    private func collect(
        _ chain: Chain, of contour: MonotoneContour, isUpper: Bool, into corners: UnsafeMutablePointer<Corner>
    ) -> Int {
        let (vertices, originX) = (contour.vertices, contour.window.originX)
        let isForward = (chain.lower > chain.upper) == isUpper
        var index = Int(isUpper ? chain.upper : chain.lower)
        let last = Int(isUpper ? chain.lower : chain.upper)
        let tip = vertices[index].y
        let sign: Int32 = isUpper ? 1 : -1
        let side = side(of: contour.window, isUpper: isUpper)
        let height = (side &- tip) &* sign
        corners[0] = Corner(x: vertices[index].x &- originX, height: 0)
        var count = 1
        while index != last && count < Self.most {
            let next = isForward ? index &+ 1 : index &- 1
            let corner = Corner(x: vertices[next].x &- originX, height: (vertices[next].y &- tip) &* sign)
            if corner.height >= height {
                let upper = vertices[isUpper ? index : next]
                let moved = contour.slopes[isForward ? index : next] &* Int64(side &- upper.y)
                let x = Slope.position(Slope.start(upper.x &- originX) &+ moved)
                corners[count] = corner.height == height ? corner : Corner(x: x, height: height)
                return count &+ 1
            }
            // Beside a level edge the other side may have one, too, and change places with it.
            if corner.height == corners[count &- 1].height { return 0 }
            corners[count] = corner
            count &+= 1
            index = next
        }
        return 0
    }

    /// Whether all corners of a side, but the tip, lie left or all lie right of the other side.
    @inline(__always)
    private static func sides(
        _ corners: UnsafePointer<Corner>, _ count: Int, of other: UnsafePointer<Corner>
    ) -> (isLeft: Bool, isRight: Bool) {
        var (isLeft, isRight) = (true, true)
        var from = other
        var index = 1
        while index < count {
            let corner = corners[index]
            while from[1].height < corner.height { from += 1 }
            let run = from[1].height &- from[0].height
            // All within the few pixels of the row: products have 32 bits.
            let moved = (from[1].x &- from[0].x) &* (corner.height &- from[0].height)
            let distance = (corner.x &- from[0].x) &* run &- moved
            isLeft = isLeft && distance <= -Self.distance &* run
            isRight = isRight && distance >= Self.distance &* run
            index &+= 1
        }
        return (isLeft, isRight)
    }
}
