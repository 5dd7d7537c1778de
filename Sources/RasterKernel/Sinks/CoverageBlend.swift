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
        var sink = XRGB8888Sink(Ink(pixel: ink.pixel, alpha: ink.alpha), into: pixels, left: rect.minX)
        for y in rect.minY..<rect.maxY {
            sink.beginRow(y)
            let row = coverage.address(x: rect.minX, y: y, bytesPerPixel: 1).assumingMemoryBound(to: UInt8.self)
            for x in 0..<rect.width { sink.put(Coverage.area(ofByte: row[x]), x: x) }
        }
    }
}
