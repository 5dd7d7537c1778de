// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Ink over RGB565 pixels.
struct RGB565Sink: RowSink {
    let ink: Ink
    let memory: PixelMemory
    /// The column of the picture where x is 0.
    let left: Int

    @inline(__always)
    func row(_ y: Int) -> RGB565Row {
        RGB565Row(memory.address(x: left, y: y, bytesPerPixel: 2), strideBytes: memory.strideBytes, ink)
    }

    func prefetchTarget(_ y: Int) -> PrefetchTarget {
        PrefetchTarget(
            base: memory.address(x: left, y: y, bytesPerPixel: 2), strideBytes: memory.strideBytes, bytesPerPixel: 2)
    }
}
