// SPDX-License-Identifier: Apache-2.0
public import Geometry
import RasterKernel

/// Fills paths with anti-aliased ink: exact area coverage, right also where a path overlaps itself.
///
/// A fill is `begin`, any number of `add`, and one of the `fill` calls. What is added in between is one shape, joined
/// by the fill rule. The coverage of a pixel depends on the geometry alone: neither the clip nor the pieces that a
/// shape comes in change a bit of it, nor does the processor.
///
/// One thread at a time; keeps its memory, so that a fill like one before it allocates nothing, unless
/// points lie more than 65 536 pixels from the origin.
public struct Rasterizer: ~Copyable {
    /// Pixels that a chord may lie from its curve.
    public static var flatteningTolerance: Double { FillKernel.flatteningTolerance }

    private let kernel: any Kernel

    public init() { kernel = makeKernel() }

    /// Starts a fill and forgets what was added before.
    /// - Parameter clip: the only pixels that will change. Of any size, though nothing is drawn further than 65 536
    ///   pixels from the origin.
    public mutating func begin(clip: PixelRect) { kernel.begin(clip: clip) }

    /// Adds the contours of `path` to the current fill, each closed, curves as chords within ``flatteningTolerance``.
    ///
    /// A contour with a point that is not finite is left out.
    /// - Parameters:
    ///   - path: in pixels of the surface, any coordinates.
    ///   - start: the start of a contour, where to begin.
    ///   - end: the start of the first contour to leave out; nil adds all to the end of the path.
    public mutating func add(_ path: borrowing Path, from start: Path.Mark = .start, to end: Path.Mark? = nil) {
        kernel.add(path, from: start, to: end)
    }

    /// Adds a polygon, closed, as one contour; left out when a point is not finite.
    /// - Parameter polygon: in pixels of the surface, any coordinates.
    public mutating func add(polygon: UnsafeBufferPointer<Point>) { kernel.add(polygon: polygon) }

    /// Blends what was added over the pixels in the clip and on the surface; ready for `begin` afterwards.
    public mutating func fill(_ rule: FillRule, with color: Color, into surface: Surface) {
        kernel.fillXRGB8888(rule, with: (color.xrgb8888, color.alpha), surface.memory)
    }

    /// Stores the coverage of what was added, within the clip and the buffer; pixels without ink are not touched.
    public mutating func fill(_ rule: FillRule, into coverage: borrowing CoverageBuffer) {
        kernel.fillCoverage(rule, coverage.memory)
    }
}
