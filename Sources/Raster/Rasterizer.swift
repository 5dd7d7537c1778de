// SPDX-License-Identifier: Apache-2.0
import CProcessor
public import Geometry
import RasterKernel

#if arch(x86_64)
    import RasterKernelV3
#endif

/// Fills paths with anti-aliased ink. Coverage is the inked area, also where a path overlaps itself.
///
/// A fill is `begin`, any number of `add`, and one of the `fill` calls. All added contours form one shape, combined by
/// the fill rule. The coverage of a pixel depends on the geometry alone, to the bit: not on the clip, the division of a
/// shape into paths, or the processor.
///
/// ```swift
/// let page = PixelBuffer(size: PixelSize(width: 100, height: 100))
/// var rasterizer = Rasterizer()
/// rasterizer.begin(clip: page.surface.bounds)
/// rasterizer.add(path)
/// rasterizer.fill(.nonZero, with: .black, into: page.surface)
/// ```
///
/// One thread at a time. Memory is kept, so a fill like an earlier one allocates nothing, unless points lie more than
/// 65,536 pixels from the origin.
public struct Rasterizer: ~Copyable {
    /// Maximum distance between a curve and its chords, in pixels.
    public static var flatteningTolerance: Double { RasterKernel.FillKernel.flatteningTolerance }

    private let kernel: any Kernel

    public init() { kernel = makeKernel() }

    /// Starts a fill and discards earlier contours.
    /// - Parameter clip: the only pixels that will change; of any size. Pixels further than 65,536 from the origin
    ///   never change.
    public mutating func begin(clip: PixelRect) { kernel.begin(clip: clip) }

    /// Adds the contours of `path`, each closed. Curves become chords within ``flatteningTolerance``. A contour with a
    /// point that is not finite is left out.
    /// - Parameters:
    ///   - path: in pixels of the surface, any coordinates.
    ///   - start: the start of the first contour to add.
    ///   - end: the start of the first contour to leave out; nil is the end of the path.
    public mutating func add(_ path: borrowing Path, from start: Path.Mark = .start, to end: Path.Mark? = nil) {
        kernel.add(path, from: start, to: end)
    }

    /// Adds a closed polygon. A polygon with a point that is not finite is left out.
    /// - Parameter polygon: in pixels of the surface, any coordinates.
    public mutating func add(polygon: UnsafeBufferPointer<Point>) { kernel.add(polygon: polygon) }

    /// Blends the shape over the pixels in the clip and on the surface, and ends the fill.
    public mutating func fill(_ rule: FillRule, with color: Color, into surface: Surface) {
        kernel.fillXRGB8888(rule, with: (color.xrgb8888, color.alpha), surface.memory)
    }

    /// Stores the coverage of the shape within the clip and the buffer, and ends the fill. Pixels without ink keep
    /// their value.
    public mutating func fill(_ rule: FillRule, into coverage: borrowing CoverageBuffer) {
        kernel.fillCoverage(rule, coverage.memory)
    }
}

/// The interface of both builds of the kernel.
private protocol Kernel: AnyObject {
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

/// The build for this processor: with registers of eight 32-bit lanes if it has them, else of four (SSE2, NEON).
private func makeKernel() -> any Kernel {
    #if arch(x86_64)
        if inkpanel_has_x86_64_v3() { return RasterKernelV3.FillKernel() }
    #endif
    return RasterKernel.FillKernel()
}
