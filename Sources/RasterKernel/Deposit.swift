// SPDX-License-Identifier: Apache-2.0
import CProcessor

extension Band {
    /// Adds the areas of all parts to the cells.
    ///
    /// Eight parts at a time, all in the same way. Which pixels a part touches is as good as random, and a mispredicted
    /// branch costs as much as the deposit.
    /// - Parameter isClipped: whether a part may lie outside the window.
    @inline(__always)
    func deposit(width: Int32, isClipped: Bool) {
        if isClipped { depositClipped(width: width) } else { depositInside(width: width) }
    }

    @inline(never)
    private func depositInside(width: Int32) { depositParts(width: width, isClipped: false) }

    @inline(never)
    private func depositClipped(width: Int32) { depositParts(width: width, isClipped: true) }

    @inline(__always)
    private func depositParts(width: Int32, isClipped: Bool) {
        let cells = self.cells
        let odd = self.odd
        let places = self.places
        fillUp()
        var oddCount = 0
        var part: Int32 = 0
        while part < partCount {
            let block = DepositBlock(parts.place(part), width: width, isClipped: isClipped)
            block.add(to: cells, places: places)
            odd[oddCount] = OddParts(first: part, lanes: block.oddLanes)
            oddCount &+= block.oddLanes != 0 ? 1 : 0
            part &+= 8
        }
        var index = 0
        while index < oddCount {
            let first = odd[index].first
            var lanes = odd[index].lanes
            while lanes != 0 {
                let lane = Int32(truncatingIfNeeded: lanes.trailingZeroBitCount)
                depositOdd(first &+ DepositBlock.part(ofLane: lane), width: width, isClipped: isClipped)
                lanes &= lanes &- 1
            }
            index &+= 1
        }
    }

    /// Completes the last eight parts with parts that add nothing.
    @inline(__always)
    private func fillUp() {
        var part = partCount
        while part & 7 != 0 {
            EdgePartList.set(parts.place(part), 0, 0, 0, 0, 0)
            part &+= 1
        }
    }

    /// Adds a part that touches more than two pixels or reaches outside the window.
    @inline(__always)
    private func depositOdd(_ part: Int32, width: Int32, isClipped: Bool) {
        let (x0, x1) = (parts.x0(part), parts.x1(part))
        let low = x0 < x1 ? x0 : x1
        let high = x0 < x1 ? x1 : x0
        let place = parts.line(part)
        let up = 0 &- (place & 1)
        let height = ((parts.y1(part) &- parts.y0(part)) ^ up) &- up
        let line = cells + Int(place >> 1)
        if isClipped && (low < 0 || high >= width << 8) {
            Self.depositClipped(line, low, high, height, width)
        } else {
            Self.depositLong(line, low, high, height, steps)
        }
    }

    /// Adds a part over several pixels, eight of them at a time. The height reached at each side of a pixel is computed
    /// from the left end, not summed up, so that it does not depend on where the window cuts the row.
    @inline(never)
    private static func depositLong(
        _ line: UnsafeMutablePointer<Int32>, _ left: Int32, _ right: Int32, _ height: Int32, _ steps: PixelSteps
    ) {
        // The sign is applied last, so that a tie is rounded alike up and down.
        let sign = SIMD8(repeating: height >> 31)
        let size = (SIMD8(repeating: height) ^ sign) &- sign
        let scale = Slope.scale(size[0], right &- left)
        let last = right >> 8
        var cell = left >> 8
        // The distance from the left end to the right side of the first of the eight pixels.
        var length = Double(256 &- left & 255)
        // The distance from the left side of the first pixel to the left end.
        var lack = SIMD8<Int32>(left & 255, 0, 0, 0, 0, 0, 0, 0)
        var (before, carried) = (SIMD8<Int32>.zero, SIMD8<Int32>.zero)
        repeat {
            let lengths = steps.doubleOffsets
            let positions = Slope.positions(lengths.lowHalf + length, lengths.highHalf + length, scale)
            // Negative from the last pixel on, where the whole height is reached.
            let isLast = SIMD8(repeating: (last &- cell &- 1) &<< 8) &- steps.offsets
            let reached = inkpanel_choose(isLast, size, inkpanel_min(positions, size))
            let heights = ((reached &- inkpanel_after_last(before, reached)) ^ sign) &- sign
            // The sum of where the part enters and leaves a pixel.
            let sides = inkpanel_choose(isLast, SIMD8(repeating: right & 255), SIMD8(repeating: 256)) &+ lack
            let next = inkpanel_multiply(heights, sides)
            let place = UnsafeMutableRawPointer(line + Int(cell))
            let sums = place.loadUnaligned(as: SIMD8<Int32>.self) &+ heights &<< 9 &- next
            place.storeBytes(of: sums &+ inkpanel_after_last(carried, next), as: SIMD8<Int32>.self)
            (before, carried, lack) = (reached, next, .zero)
            length += 2048
            cell &+= 8
        } while cell <= last
        line[Int(cell)] &+= carried[7]
    }

    /// Adds a part that leaves the window. Its piece left of the window counts as if it lay on the window's left side.
    @inline(never)
    private static func depositClipped(
        _ line: UnsafeMutablePointer<Int32>, _ left: Int32, _ right: Int32, _ height: Int32, _ width: Int32
    ) {
        if right <= 0 {
            line[0] &+= height &* 512
            return
        }
        let firstCell = left >> 8
        let lastCell = right >> 8
        if firstCell >= width { return }
        let sign = height >> 31
        let size = (height ^ sign) &- sign
        let scale = lastCell &- firstCell > 1 ? Slope.scale(size, right &- left) : 0
        func upTo(_ side: Int32) -> Int32 {
            if lastCell &- firstCell == 1 { return Slope.share(of: height, side &- left, right &- left) }
            let position = Slope.position(Double(side &- left), scale)
            return ((position < size ? position : size) ^ sign) &- sign
        }
        var x = left
        var reached: Int32 = 0
        if left < 0 {
            reached = upTo(0)
            line[0] &+= reached &* 512
            x = 0
        }
        var cell = x >> 8
        var fraction = x & 255
        var carried: Int32 = 0
        let stop = lastCell < width ? lastCell : width
        while cell < stop {
            let next = upTo((cell &+ 1) << 8)
            let amount = next &- reached
            line[Int(cell)] &+= carried &+ amount &* (256 &- fraction)
            carried = amount &* (256 &+ fraction)
            fraction = 0
            reached = next
            cell &+= 1
        }
        if lastCell < width {
            let fractions = fraction &+ (right & 255)
            let amount = height &- reached
            line[Int(cell)] &+= carried &+ amount &* (512 &- fractions)
            line[Int(cell) &+ 1] &+= amount &* fractions
        } else {
            line[Int(cell)] &+= carried
        }
    }
}

/// Those of eight parts that are deposited one by one.
struct OddParts {
    /// The first of the eight in ``EdgePartList``.
    let first: Int32
    /// One bit per lane, the first lane's lowest; see ``DepositBlock/part(ofLane:)``.
    let lanes: UInt32
}

/// Eight parts from ``EdgePartList``, as numbers to add to cells: four for each part, from its leftmost pixel on, of
/// which the last is zero. A vector of four is loaded, added and stored in three instructions; three single numbers
/// take six, and their stores wait for each other.
///
/// All values are integers. Factors have 16 bits, because every processor multiplies eight or four such lanes at a
/// time, but not of 32 bits. Dividends and divisors are small enough to be exact in `Float`, with a correctly rounded
/// quotient.
private struct DepositBlock {
    // Two parts each, one in either half, because all shuffles stay within halves of a register.
    private let parts04, parts15, parts26, parts37: SIMD8<Int32>
    /// The index of each part's leftmost cell.
    private let firstCells: SIMD8<Int32>
    /// One bit per lane, the first lane's lowest; see ``part(ofLane:)``. Set for parts that touch more than two pixels
    /// or, if clipped, reach outside the window. Their lanes add zero.
    let oddLanes: UInt32

    @inline(__always)
    init(_ parts: UnsafeMutablePointer<Int32>, width: Int32, isClipped: Bool) {
        // Two parts per vector. All shuffles stay within its halves, so that even parts come before odd ones.
        let (parts0, parts2) = (Self.pair(parts), Self.pair(parts + 8))
        let (parts4, parts6) = (Self.pair(parts + 16), Self.pair(parts + 24))
        let (xs0, xs4) = (inkpanel_first_pairs(parts0, parts2), inkpanel_first_pairs(parts4, parts6))
        let (rest0, rest4) = (inkpanel_last_pairs(parts0, parts2), inkpanel_last_pairs(parts4, parts6))
        let (x0, x1) = (inkpanel_even(xs0, xs4), inkpanel_odd(xs0, xs4))
        let (ys, line) = (inkpanel_even(rest0, rest4), inkpanel_odd(rest0, rest4))
        let up = 0 &- inkpanel_bits(line, 1)
        let height = ((inkpanel_shift_right(ys, 16) &- inkpanel_bits(ys, 0xFFFF)) ^ up) &- up

        let low = inkpanel_min(x0, x1)
        let high = inkpanel_max(x0, x1)
        let left = low &>> 8
        // How many pixels the right end lies beyond the pixel of the left end.
        let columns = (high &>> 8) &- left
        let fraction = low & 255
        // Negative if there is a second pixel.
        let isSecond = 0 &- columns
        // The x at which the part leaves its first pixel, and its second one.
        let reach = high & 255
        let leave = inkpanel_choose(isSecond, SIMD8(repeating: 256), reach)
        let leaveSecond = inkpanel_choose(isSecond, reach, .zero)
        // The height reached in the first pixel; the whole height if the part is vertical.
        let one = SIMD8<Int32>(repeating: 1)
        let share = inkpanel_max(leave &- fraction, one)
        let length = inkpanel_max(high &- low, one)
        let reached = SIMD8<Int32>(
            rounded: SIMD8<Float>(whole: inkpanel_multiply(height, share)) / SIMD8<Float>(whole: length))
        let first = inkpanel_multiply(reached, 512 &- (fraction &+ leave))
        let third = inkpanel_multiply(height &- reached, leaveSecond)
        // The three add up to the whole height.
        let second = (height &<< 9) &- first &- third

        // All ones for odd parts.
        var odd = inkpanel_less(one, columns)
        if isClipped {
            odd |= (low &>> 31) | ((SIMD8(repeating: width &<< 8 &- 1) &- high) &>> 31)
        }
        oddLanes = inkpanel_signs(odd)
        firstCells = inkpanel_shift_right(line, 1) &+ inkpanel_except(left, odd)
        let (inFirst, inSecond) = (inkpanel_except(first, odd), inkpanel_except(second, odd))
        let inThird = inkpanel_except(third, odd)
        let (pairs01, pairs23) = (inkpanel_zip_first(inFirst, inSecond), inkpanel_zip_last(inFirst, inSecond))
        let (rest01, rest23) = (inkpanel_zip_first(inThird, .zero), inkpanel_zip_last(inThird, .zero))
        parts04 = inkpanel_first_pairs(pairs01, rest01)
        parts15 = inkpanel_last_pairs(pairs01, rest01)
        parts26 = inkpanel_first_pairs(pairs23, rest23)
        parts37 = inkpanel_last_pairs(pairs23, rest23)
    }

    @inline(__always)
    private static func pair(_ parts: UnsafeMutablePointer<Int32>) -> SIMD8<Int32> {
        UnsafeRawPointer(parts).loadUnaligned(as: SIMD8<Int32>.self)
    }

    /// Which of the eight parts is in a lane.
    @inline(__always)
    static func part(ofLane lane: Int32) -> Int32 { (lane & 3) &<< 1 | lane &>> 2 }

    /// Adds the numbers to the cells.
    /// - Parameter places: room for eight indices. From memory, one instruction loads each as an address.
    @inline(__always)
    func add(to cells: UnsafeMutablePointer<Int32>, places: UnsafeMutablePointer<Int32>) {
        UnsafeMutableRawPointer(places).storeBytes(of: firstCells, as: SIMD8<Int32>.self)
        inkpanel_add_four(cells + Int(places[0]), parts04.lowHalf)
        inkpanel_add_four(cells + Int(places[1]), parts15.lowHalf)
        inkpanel_add_four(cells + Int(places[2]), parts26.lowHalf)
        inkpanel_add_four(cells + Int(places[3]), parts37.lowHalf)
        inkpanel_add_four(cells + Int(places[4]), parts04.highHalf)
        inkpanel_add_four(cells + Int(places[5]), parts15.highHalf)
        inkpanel_add_four(cells + Int(places[6]), parts26.highHalf)
        inkpanel_add_four(cells + Int(places[7]), parts37.highHalf)
    }
}

/// The offsets of eight neighbouring pixels, in 1/256 pixel: 0, 256, ... 1792. In memory, because the compiler takes
/// vectors with known values apart.
struct PixelSteps {
    private let memory: UnsafeMutableRawPointer
    static let byteCount = 128

    init(_ memory: UnsafeMutableRawPointer) {
        self.memory = memory
        memory.storeBytes(of: SIMD8(0, 256, 512, 768, 1024, 1280, 1536, 1792), as: SIMD8<Int32>.self)
        memory.storeBytes(
            of: SIMD8(0, 256, 512, 768, 1024, 1280, 1536, 1792), toByteOffset: 64, as: SIMD8<Double>.self)
    }

    @inline(__always)
    var offsets: SIMD8<Int32> { memory.loadUnaligned(as: SIMD8<Int32>.self) }
    @inline(__always)
    var doubleOffsets: SIMD8<Double> { memory.loadUnaligned(fromByteOffset: 64, as: SIMD8<Double>.self) }
}
