// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Blends a colour over XRGB8888 pixels: `over` with weights 0...256, rounded, both ends exact.
struct InkSink: RowSink {
    private let surface: Surface
    private let origin: (x: Int, y: Int)
    private let ink: UInt32
    private let ink64: UInt64
    /// 0...256.
    private let opacity: UInt32
    private var row: UnsafeMutablePointer<UInt32>

    /// - Parameter clip: its upper left corner is where x and y count from; it may lie off the surface.
    init(color: Color, surface: Surface, clip: PixelRect) {
        self.surface = surface
        origin = (clip.minX, clip.minY)
        ink = color.xrgb8888
        ink64 = Self.spread(ink)
        opacity = UInt32(color.alpha) + UInt32(color.alpha >> 7)
        row = surface.row(0)
    }

    @inline(__always)
    mutating func beginRow(_ y: Int) { row = surface.row(origin.y &+ y) + origin.x }

    /// 0...256.
    @inline(__always)
    private func weight(_ area: Int32) -> UInt32 {
        let coverage = UInt32(bitPattern: area &+ 256) >> 9
        return opacity == 256 ? coverage : (coverage &* opacity &+ 128) >> 8
    }

    /// Red, green and blue in 16 bits each, which 255 x 256 + 128 does not overflow.
    @inline(__always)
    private static func spread(_ pixel: UInt32) -> UInt64 {
        UInt64(pixel & 0x00FF_00FF) | UInt64(pixel & 0x0000_FF00) << 24
    }

    /// All channels at a time. The X byte stays 255.
    @inline(__always)
    private func blended(_ old: UInt32, _ weight: UInt32) -> UInt32 {
        let weight = UInt64(weight)
        let mixed = Self.spread(old) &* (256 &- weight) &+ ink64 &* weight &+ 0x0000_0080_0080_0080
        let redBlue = UInt32(truncatingIfNeeded: mixed >> 8) & 0x00FF_00FF
        return 0xFF00_0000 | redBlue | UInt32(truncatingIfNeeded: mixed >> 32) & 0x0000_FF00
    }

    @inline(__always)
    mutating func put(_ area: Int32, x: Int) {
        let weight = weight(area)
        // Most old pixels are not in the nearest cache: what is covered whole is not read.
        if weight == 256 {
            row[x] = ink
        } else if weight != 0 {
            row[x] = blended(row[x], weight)
        }
    }

    @inline(__always)
    mutating func putRun(_ area: Int32, x: Int, count: Int) {
        let weight = weight(area)
        if weight == 256 {
            (row + x).update(repeating: ink, count: count)
        } else if weight != 0 {
            for index in x..<(x &+ count) { row[index] = blended(row[index], weight) }
        }
    }
}
