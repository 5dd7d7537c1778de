// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Pixels in ordinary, cached memory: the paper, a scratch tile, a picture to export. Zeroed at first.
public struct PixelBuffer: ~Copyable, @unchecked Sendable {
    // @unchecked: it owns its memory alone.
    public let surface: Surface

    public init(size: PixelSize) {
        self.init(unwritten: size)
        surface.base.initializeMemory(as: UInt8.self, repeating: 0, count: surface.strideBytes * size.height)
    }

    /// The same with no pixel written yet, where to zero all of them would take too long at once. Of a large buffer,
    /// the kernel gives only what is written to.
    public init(unwritten size: PixelSize) {
        precondition(size.width >= 0 && size.height >= 0, "sizes are checked where they come in")
        // Whole cache lines a row, so that rows never share one.
        let strideBytes = (size.width * 4 + 63) & ~63
        let base = UnsafeMutableRawPointer.allocate(byteCount: max(strideBytes * size.height, 64), alignment: 64)
        surface = Surface(base: base, size: size, strideBytes: strideBytes)
    }

    deinit { surface.base.deallocate() }
}
