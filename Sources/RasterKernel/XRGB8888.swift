// SPDX-License-Identifier: Apache-2.0
import CProcessor
public import Geometry

/// Ink over XRGB8888 pixels.
struct XRGB8888Sink: RowSink {
    let ink: Ink
    let memory: PixelMemory
    /// The column of the picture at x = 0.
    let left: Int

    @inline(__always)
    func row(_ y: Int) -> XRGB8888Row {
        XRGB8888Row(
            memory.address(x: left, y: y, bytesPerPixel: 4), strideBytes: memory.strideBytes, ink)
    }

    func prefetchTarget(_ y: Int) -> PrefetchTarget {
        PrefetchTarget(
            base: memory.address(x: left, y: y, bytesPerPixel: 4), strideBytes: memory.strideBytes, bytesPerPixel: 4)
    }
}

/// Blends ink over XRGB8888 pixels: `over` with weights 0...256, rounded, both ends exact.
struct XRGB8888Row: PixelRow {
    private var row: UnsafeMutablePointer<UInt32>
    private let strideBytes: Int
    private let color: Ink
    @inline(__always)
    private var ink: UInt32 { color.pixel }

    init(_ row: UnsafeMutableRawPointer, strideBytes: Int, _ color: Ink) {
        self.row = row.assumingMemoryBound(to: UInt32.self)
        self.strideBytes = strideBytes
        self.color = color
    }

    @inline(__always)
    mutating func advance() {
        row = (UnsafeMutableRawPointer(row) + strideBytes).assumingMemoryBound(to: UInt32.self)
    }

    /// Two channels at a time in 16 bits each, which 255 x 256 + 128 does not overflow. X is blended like the other
    /// channels, with 255 in the ink.
    @inline(__always)
    private func blended(_ old: UInt32, _ weight: Int32) -> UInt32 {
        let weight = UInt32(bitPattern: weight)
        let mask: UInt32 = 0x00FF_00FF
        let low = (old & mask) &* (256 &- weight) &+ (ink & mask) &* weight &+ 0x0080_0080
        let high = (old >> 8 & mask) &* (256 &- weight) &+ (ink >> 8 & mask) &* weight &+ 0x0080_0080
        return low >> 8 & mask | high & ~mask
    }

    @inline(__always)
    func put(_ area: Int32, x: Int) {
        let weight = color.weight(area)
        if weight != 0 { row[x] = blended(row[x], weight) }
    }

    @inline(__always)
    func put(_ areas: SIMD8<Int32>, x: Int) {
        put(weights: color.weights(areas), x: x)
    }

    @inline(__always)
    func put(_ areas: SIMD8<Int32>, count: Int, x: Int) { put(areas & .first(count), x: x) }

    @inline(__always)
    private func put(weights: SIMD8<Int32>, x: Int) {
        let weight = unsafeBitCast(weights | weights &<< 16, to: SIMD16<Int16>.self)
        let pixels = UnsafeMutableRawPointer(row + x)
        let old = pixels.loadUnaligned(as: SIMD16<UInt16>.self)
        let ink = unsafeBitCast(SIMD8(repeating: self.ink), to: SIMD16<UInt16>.self)
        // Blue and red, green and X.
        let low = inkpanel_blend(Self.signed(old & 255), Self.signed(ink & 255), weight)
        let high = inkpanel_blend(Self.signed(old &>> 8), Self.signed(ink &>> 8), weight)
        pixels.storeBytes(of: low | high &<< 8, as: SIMD16<Int16>.self)
    }

    @inline(__always)
    private static func signed(_ channels: SIMD16<UInt16>) -> SIMD16<Int16> {
        unsafeBitCast(channels, to: SIMD16<Int16>.self)
    }

    @inline(__always)
    func putRun(_ area: Int32, x: Int, count: Int) {
        let weight = color.weight(area)
        if weight == 256 {
            store(x: x, count: count)
        } else if weight != 0 {
            let weights = SIMD8(repeating: weight)
            var x = x
            let end = x &+ count
            while x &+ 8 <= end {
                put(weights: weights, x: x)
                x &+= 8
            }
            while x < end {
                row[x] = blended(row[x], weight)
                x &+= 1
            }
        }
    }

    /// How many rows below a run pixels are prefetched: rows are inked in much the same place as the row above, and a
    /// store waits for its cache line as a load does.
    private static let lookahead = 4

    @inline(__always)
    private func store(x: Int, count: Int) {
        var index = 0
        if count < 8 {
            while index < count {
                row[x &+ index] = ink
                index &+= 1
            }
            return
        }
        let pixels = UnsafeMutableRawPointer(row + x)
        let ahead = pixels + Self.lookahead &* strideBytes
        let inks = SIMD8(repeating: ink)
        while index &+ 16 <= count {
            inkpanel_prefetch(ahead + index &* 4)
            pixels.storeBytes(of: inks, toByteOffset: index &* 4, as: SIMD8<UInt32>.self)
            pixels.storeBytes(of: inks, toByteOffset: index &* 4 &+ 32, as: SIMD8<UInt32>.self)
            index &+= 16
        }
        if index &+ 8 <= count {
            pixels.storeBytes(of: inks, toByteOffset: index &* 4, as: SIMD8<UInt32>.self)
        }
        // The last eight, of which some have the ink already.
        pixels.storeBytes(of: inks, toByteOffset: (count &- 8) &* 4, as: SIMD8<UInt32>.self)
    }
}

/// The colour and opacity of a fill.
struct Ink {
    /// XRGB8888, X as 255.
    let pixel: UInt32
    /// 0...256, both ends exact.
    let opacity: Int32

    /// - Parameter alpha: 255 is opaque.
    init(pixel: UInt32, alpha: UInt8) {
        self.pixel = pixel
        opacity = Int32(alpha) + Int32(alpha >> 7)
    }

    /// The weight of the ink, 0...256, rounded, in a pixel of which `area` is inked.
    @inline(__always)
    func weight(_ area: Int32) -> Int32 {
        let coverage = (area &+ 256) >> 9
        return opacity == 256 ? coverage : (coverage &* opacity &+ 128) >> 8
    }

    @inline(__always)
    func weights(_ areas: SIMD8<Int32>) -> SIMD8<Int32> {
        let coverage = (areas &+ 256) &>> 9
        if opacity == 256 { return coverage }
        return (coverage &* SIMD8(repeating: opacity) &+ 128) &>> 8
    }
}

/// Blends ink over XRGB8888 pixels by given coverage, such as that of text.
public enum CoverageBlend {
    /// - Parameters:
    ///   - coverage: one byte a pixel.
    ///   - rect: within the bounds of both.
    public static func blend(
        _ coverage: PixelMemory, over pixels: PixelMemory, within rect: PixelRect,
        with ink: (pixel: UInt32, alpha: UInt8)
    ) {
        let sink = XRGB8888Sink(
            ink: Ink(pixel: ink.pixel, alpha: ink.alpha), memory: pixels, left: rect.minX)
        for y in rect.minY..<rect.maxY {
            let target = sink.row(y)
            let row = coverage.address(x: rect.minX, y: y, bytesPerPixel: 1).assumingMemoryBound(to: UInt8.self)
            for x in 0..<rect.width { target.put(Coverage.area(ofByte: row[x]), x: x) }
        }
    }
}
