// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// All that fills: built once for every processor and, from the same sources, once more for those with x86-64-v3. The
/// bytes are the same; `Rasterizer` chooses.
///
/// A fill is `begin`, any number of `add`, and one of the `fill` calls. One thread at a time.
public final class FillKernel {
    /// Pixels that a chord may lie from its curve: at most five levels of 255 at the edge of a round stroke, and one on
    /// average. Half of it would cost 1.4 times the edges.
    public static let flatteningTolerance = 0.02

    // Behind a pointer, because each access to a property of a class is checked for overlap with another at run time.
    private let state: UnsafeMutablePointer<Fill>

    public init() {
        state = .allocate(capacity: 1)
        state.initialize(to: Fill())
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    public func begin(clip: PixelRect) { state.pointee.begin(clip: clip) }

    public func add(_ path: borrowing Path, from start: Path.Mark, to end: Path.Mark?) {
        state.pointee.contours.add(path, from: start, to: end)
    }

    public func add(polygon: UnsafeBufferPointer<Point>) { state.pointee.contours.add(polygon: polygon) }

    /// Blends ink over XRGB8888 pixels.
    public func fillXRGB8888(_ rule: FillRule, with ink: (pixel: UInt32, alpha: UInt8), _ memory: PixelMemory) {
        let ink = Ink(pixel: ink.pixel, alpha: ink.alpha)
        // Compiled for either rule by itself.
        switch rule {
        case .nonZero:
            state.pointee.sweep(.nonZero, bounds: memory.bounds) { XRGB8888Sink(ink: ink, memory: memory, left: $0) }
        case .evenOdd:
            state.pointee.sweep(.evenOdd, bounds: memory.bounds) { XRGB8888Sink(ink: ink, memory: memory, left: $0) }
        }
    }

    /// Stores coverage, a byte a pixel; pixels without ink are not touched.
    public func fillCoverage(_ rule: FillRule, _ memory: PixelMemory) {
        state.pointee.sweep(rule, bounds: memory.bounds) { CoverageSink(memory: memory, left: $0) }
    }
}
