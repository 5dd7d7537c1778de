// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// 8-bit coverage of a rectangle of pixels: 0 no ink, 255 all ink. Zero at first.
public struct CoverageBuffer: ~Copyable {
    public let bounds: PixelRect
    private let base: UnsafeMutablePointer<UInt8>

    public init(bounds: PixelRect) {
        self.bounds = bounds
        base = .allocate(capacity: max(bounds.area, 1))
        base.initialize(repeating: 0, count: max(bounds.area, 1))
    }

    deinit { base.deallocate() }

    /// Row after row without gaps, `bounds.width` bytes each.
    public var bytes: [UInt8] { Array(UnsafeBufferPointer(start: base, count: bounds.area)) }

    /// The coverage of a pixel within ``bounds``.
    public subscript(x: Int, y: Int) -> UInt8 {
        precondition(x >= bounds.minX && x < bounds.maxX && y >= bounds.minY && y < bounds.maxY, "outside the buffer")
        return base[(y - bounds.minY) * bounds.width + x - bounds.minX]
    }

    /// Lends the memory, `bounds.area` bytes as in ``bytes``, to who fills it otherwise than with a ``Rasterizer``.
    public func withUnsafeMutableBytes(_ body: (UnsafeMutablePointer<UInt8>) -> Void) { body(base) }

    var memory: PixelMemory { PixelMemory(base: base, bounds: bounds, strideBytes: bounds.width) }
}
