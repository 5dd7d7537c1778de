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
        XRGB8888Row(
            memory.address(x: left, y: y, bytesPerPixel: 4), strideBytes: memory.strideBytes, ink)
    }

    func prefetchTarget(_ y: Int) -> PrefetchTarget {
        PrefetchTarget(
            base: memory.address(x: left, y: y, bytesPerPixel: 4), strideBytes: memory.strideBytes, bytesPerPixel: 4)
    }
}
