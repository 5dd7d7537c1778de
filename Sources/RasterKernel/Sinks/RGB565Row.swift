// SPDX-License-Identifier: Apache-2.0

/// Blends ink over RGB565 pixels, in their own 5, 6 and 5 bits: weights 0...256, rounded, both ends exact.
struct RGB565Row: PixelRow {
    private var row: UnsafeMutablePointer<UInt16>
    private let strideBytes: Int
    private let color: Ink
    private let pixel: UInt16
    /// Spread as ``spread(_:)`` does.
    private let ink: UInt64

    init(_ row: UnsafeMutableRawPointer, strideBytes: Int, _ color: Ink) {
        self.row = row.assumingMemoryBound(to: UInt16.self)
        self.strideBytes = strideBytes
        self.color = color
        pixel = Self.rgb565(color.pixel)
        ink = Self.spread(pixel)
    }

    @inline(__always)
    mutating func advance() {
        row = (UnsafeMutableRawPointer(row) + strideBytes).assumingMemoryBound(to: UInt16.self)
    }

    /// The nearest RGB565 pixel.
    static func rgb565(_ pixel: UInt32) -> UInt16 {
        func channel(_ shift: UInt32, _ most: UInt32) -> UInt16 {
            UInt16(truncatingIfNeeded: ((pixel >> shift & 0xFF) &* most &+ 127) / 255)
        }
        return channel(16, 31) << 11 | channel(8, 63) << 5 | channel(0, 31)
    }

    /// Blue, red and green in 16 bits each, which 63 x 256 + 128 does not overflow.
    @inline(__always)
    private static func spread(_ pixel: UInt16) -> UInt64 {
        let pixel = UInt64(pixel)
        return pixel & 0x1F | (pixel & 0xF800) << 5 | (pixel & 0x07E0) << 27
    }

    @inline(__always)
    private func blended(_ old: UInt16, _ weight: Int32) -> UInt16 {
        let weight = UInt64(UInt32(bitPattern: weight))
        let mixed = (Self.spread(old) &* (256 &- weight) &+ ink &* weight &+ 0x0080_0080_0080) >> 8
        let packed = mixed & 0x1F | mixed >> 5 & 0xF800 | mixed >> 27 & 0x07E0
        return UInt16(truncatingIfNeeded: packed)
    }

    @inline(__always)
    func put(_ area: Int32, x: Int) {
        let weight = color.weight(area)
        if weight == 256 {
            row[x] = pixel
        } else if weight != 0 {
            row[x] = blended(row[x], weight)
        }
    }

    @inline(__always)
    func put(_ areas: SIMD8<Int32>, x: Int) { put(areas, count: 8, x: x) }

    @inline(__always)
    func put(_ areas: SIMD8<Int32>, count: Int, x: Int) {
        for lane in 0..<count { put(areas[lane], x: x &+ lane) }
    }

    @inline(__always)
    func putRun(_ area: Int32, x: Int, count: Int) {
        let weight = color.weight(area)
        if weight == 256 {
            (row + x).update(repeating: pixel, count: count)
        } else if weight != 0 {
            for index in x..<(x &+ count) { row[index] = blended(row[index], weight) }
        }
    }
}
