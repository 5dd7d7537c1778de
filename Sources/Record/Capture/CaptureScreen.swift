// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The screen of a capture, and where on it a place of the device lies.
public struct CaptureScreen: Codable, Equatable, Sendable {
    /// Pixels, as the person saw it: turned by the rotation.
    public var width, height: Int
    /// Pixels per millimetre.
    public var pixelsPerMillimetre: Double
    /// Pixels from device units, calibration and rotation included: x' = a x + c y + e, y' = b x + d y + f, written as
    /// a, b, c, d, e, f as in SVG.
    public var transform: [Double]
    /// The part of the screen that takes ink: x, y, width, height in pixels.
    public var signingArea: [Int]

    public init(width: Int, height: Int, pixelsPerMillimetre: Double, transform: [Double], signingArea: [Int]) {
        self.width = width
        self.height = height
        self.pixelsPerMillimetre = pixelsPerMillimetre
        self.transform = transform
        self.signingArea = signingArea
    }

    /// In pixels of the screen; nil when the record's transform is not six numbers.
    public func position(x: Int32, y: Int32) -> Point? {
        guard transform.count == 6 else { return nil }
        let (x, y) = (Double(x), Double(y))
        return Point(
            x: transform[0] * x + transform[2] * y + transform[4],
            y: transform[1] * x + transform[3] * y + transform[5])
    }
}
