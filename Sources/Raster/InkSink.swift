// SPDX-License-Identifier: Apache-2.0
internal import Geometry

/// Blends a colour over XRGB8888 pixels: `over` with weights 0...256, rounded, both ends exact.
struct InkSink: RowSink {
    private let surface: Surface
    private let origin: (x: Int, y: Int)
    private let ink: UInt32
    /// 0...256.
    private let opacity: UInt32
    private var row: UnsafeMutablePointer<UInt32>

    /// - Parameter clip: its upper left corner is where x and y count from; it may lie off the surface.
    init(color: Color, surface: Surface, clip: PixelRect) {
        self.surface = surface
        origin = (clip.minX, clip.minY)
        ink = color.xrgb8888
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

    /// Two channels at a time, each in 16 bits, which 255 x 256 + 128 does not overflow. The X byte stays 255.
    @inline(__always)
    private func blended(_ old: UInt32, _ weight: UInt32) -> UInt32 {
        let rest = 256 &- weight
        let redBlue = (old & 0x00FF_00FF) &* rest &+ (ink & 0x00FF_00FF) &* weight &+ 0x0080_0080
        let green = ((old >> 8) & 0x0000_00FF) &* rest &+ ((ink >> 8) & 0x0000_00FF) &* weight &+ 0x0000_0080
        return 0xFF00_0000 | ((redBlue >> 8) & 0x00FF_00FF) | (green & 0x0000_FF00)
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
