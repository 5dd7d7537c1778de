// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A picture from somewhere else, such as a file: a value.
public struct Picture: Equatable, Sendable {
    public let size: PixelSize
    /// Row by row, native words 0xAARRGGBB, not premultiplied.
    public let pixels: [UInt32]

    /// - Parameter pixels: as many as the size has.
    public init(size: PixelSize, pixels: [UInt32]) {
        precondition(size.width >= 0 && size.height >= 0 && pixels.count == size.width * size.height, "as many")
        self.size = size
        self.pixels = pixels
    }
}
