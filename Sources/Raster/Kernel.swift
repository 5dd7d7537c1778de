// SPDX-License-Identifier: Apache-2.0
import CProcessor
import Geometry
import RasterKernel
#if arch(x86_64)
import RasterKernelV3
#endif

/// What ``Rasterizer`` asks of a build of the kernel.
protocol Kernel: AnyObject {
    func begin(clip: PixelRect)
    func add(_ path: borrowing Path, from start: Path.Mark, to end: Path.Mark?)
    func add(polygon: UnsafeBufferPointer<Point>)
    func fillXRGB8888(_ rule: FillRule, with ink: (pixel: UInt32, alpha: UInt8), _ memory: PixelMemory)
    func fillCoverage(_ rule: FillRule, _ memory: PixelMemory)
}

extension RasterKernel.FillKernel: Kernel {}
#if arch(x86_64)
extension RasterKernelV3.FillKernel: Kernel {}
#endif

/// The build for this processor: with eight 32-bit lanes where it has them, else with four (SSE2, NEON).
func makeKernel() -> any Kernel {
    #if arch(x86_64)
    if inkpanel_has_x86_64_v3() { return RasterKernelV3.FillKernel() }
    #endif
    return RasterKernel.FillKernel()
}
