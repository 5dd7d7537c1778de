// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Coverage, a byte a pixel.
struct CoverageSink: RowSink {
    let memory: PixelMemory
    /// The column of the picture where x is 0.
    let left: Int

    @inline(__always)
    func row(_ y: Int) -> CoverageRow {
        CoverageRow(memory.address(x: left, y: y, bytesPerPixel: 1), strideBytes: memory.strideBytes)
    }

    func prefetchTarget(_ y: Int) -> PrefetchTarget {
        PrefetchTarget(
            base: memory.address(x: left, y: y, bytesPerPixel: 1), strideBytes: memory.strideBytes, bytesPerPixel: 1)
    }
}
