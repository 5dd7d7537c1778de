// SPDX-License-Identifier: Apache-2.0
import Geometry
import RasterKernel

extension Surface {
    /// Blends a colour over the pixels in the buffer's bounds, each as much as it is covered; clipped to the surface.
    public func blend(_ coverage: borrowing CoverageBuffer, with color: Color) {
        let target = coverage.bounds.intersection(bounds)
        if target.isEmpty || color.alpha == 0 { return }
        CoverageBlend.blend(
            coverage.memory, over: memory, within: target, with: (pixel: color.xrgb8888, alpha: color.alpha))
    }
}
