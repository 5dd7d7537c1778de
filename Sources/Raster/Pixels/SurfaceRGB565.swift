// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A view of RGB565 pixels (DRM_FORMAT_RGB565, native words) in memory that somebody else owns: what small panels scan
/// out. As safe as the pointer in it.
public struct SurfaceRGB565 {
    public let base: UnsafeMutableRawPointer
    public let size: PixelSize
    /// Bytes from one row to the next (DRM: pitch), at least 2 x width and even.
    public let strideBytes: Int

    public init(base: UnsafeMutableRawPointer, size: PixelSize, strideBytes: Int) {
        precondition(strideBytes >= size.width * 2 && strideBytes % 2 == 0, "a row holds its pixels")
        self.base = base
        self.size = size
        self.strideBytes = strideBytes
    }

    public var bounds: PixelRect { PixelRect(size: size) }

    /// The first pixel of row `y`.
    public func row(_ y: Int) -> UnsafeMutablePointer<UInt16> {
        (base + y * strideBytes).assumingMemoryBound(to: UInt16.self)
    }

    var memory: PixelMemory { PixelMemory(base: base, bounds: bounds, strideBytes: strideBytes) }
}
