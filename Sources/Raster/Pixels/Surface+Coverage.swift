// SPDX-License-Identifier: Apache-2.0
import Geometry

extension Surface {
    /// Blends a colour over the pixels in the buffer's bounds, each as much as it is covered; clipped to the surface.
    public func blend(_ coverage: borrowing CoverageBuffer, with color: Color) {
        let target = coverage.bounds.intersection(bounds)
        if target.isEmpty || color.alpha == 0 { return }
        var sink = InkSink(color: color, surface: self, clip: target)
        for y in target.minY..<target.maxY {
            sink.beginRow(y - target.minY)
            for x in target.minX..<target.maxX {
                sink.put(Coverage.area(ofByte: coverage[x, y]), x: x - target.minX)
            }
        }
    }
}
