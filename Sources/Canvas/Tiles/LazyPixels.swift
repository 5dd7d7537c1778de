// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

/// Pixels as large as the page that take no memory before they are asked for, and then only where they are written.
struct LazyPixels: ~Copyable {
    private let size: PixelSize
    private var pixels: PixelBuffer?
    /// Of ``pixels``.
    private(set) var surface: Surface?

    init(size: PixelSize) { self.size = size }

    mutating func makeSurface() -> Surface {
        if let surface { return surface }
        let pixels = PixelBuffer(unwritten: size)
        let surface = pixels.surface
        self.surface = surface
        self.pixels = consume pixels
        return surface
    }
}
