// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Blends ink over XRGB8888 pixels by coverage that somebody else made.
public enum CoverageBlend {
    /// - Parameters:
    ///   - coverage: a byte a pixel.
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
