// SPDX-License-Identifier: Apache-2.0

/// Memory of somebody else with a part of a picture: rows of pixels, of which ``bounds`` is there.
public struct PixelMemory {
    /// The first byte of the pixel at the bounds' upper left corner.
    public let base: UnsafeMutableRawPointer
    public let bounds: PixelRect
    /// From one row to the next.
    public let strideBytes: Int

    public init(base: UnsafeMutableRawPointer, bounds: PixelRect, strideBytes: Int) {
        self.base = base
        self.bounds = bounds
        self.strideBytes = strideBytes
    }

    /// The first byte of a pixel, `bytesPerPixel` each.
    public func address(x: Int, y: Int, bytesPerPixel: Int) -> UnsafeMutableRawPointer {
        let offset: Int = (y &- bounds.minY) &* strideBytes &+ (x &- bounds.minX) &* bytesPerPixel
        return base + offset
    }
}
