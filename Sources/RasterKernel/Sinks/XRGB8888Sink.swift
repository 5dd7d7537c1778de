// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Ink over XRGB8888 pixels.
struct XRGB8888Sink: RowSink {
    let ink: Ink
    let memory: PixelMemory
    /// The column of the picture where x is 0.
    let left: Int

    @inline(__always)
    func row(_ y: Int) -> XRGB8888Row {
        let pixels = memory.address(x: left, y: y, bytesPerPixel: 4).assumingMemoryBound(to: UInt32.self)
        return XRGB8888Row(row: pixels, strideBytes: memory.strideBytes, color: ink)
    }

    func prefetchTarget(_ y: Int) -> PrefetchTarget {
        PrefetchTarget(
            base: memory.address(x: left, y: y, bytesPerPixel: 4), strideBytes: memory.strideBytes, bytesPerPixel: 4)
    }
}
