// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Pixels in ordinary, cached memory: the paper, a scratch tile, a picture to export. Zeroed at first.
public struct PixelBuffer: ~Copyable, @unchecked Sendable {
    // @unchecked: it owns its memory alone.
    public let surface: Surface

    public init(size: PixelSize) {
        precondition(size.width >= 0 && size.height >= 0, "sizes are checked where they come in")
        // Whole cache lines a row, so that rows never share one.
        let strideBytes = (size.width * 4 + 63) & ~63
        let byteCount = max(strideBytes * size.height, 64)
        let base = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        surface = Surface(base: base, size: size, strideBytes: strideBytes)
    }

    deinit { surface.base.deallocate() }
}
