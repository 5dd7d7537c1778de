// SPDX-License-Identifier: Apache-2.0

/// The screen of a capture.
public struct CaptureScreen: Codable, Equatable, Sendable {
    /// Pixels, as the person saw it: turned by the rotation.
    public var width, height: Int
    /// Pixels per millimetre.
    public var pixelsPerMillimetre: Double
    /// The part of the screen that takes ink: x, y, width, height in pixels.
    public var signingArea: [Int]

    /// Nil in records that do not say: pens as they are without settings.
    public var penLook: CapturePenLook?

    public init(
        width: Int, height: Int, pixelsPerMillimetre: Double, signingArea: [Int], penLook: CapturePenLook? = nil
    ) {
        self.width = width
        self.height = height
        self.pixelsPerMillimetre = pixelsPerMillimetre
        self.signingArea = signingArea
        self.penLook = penLook
    }
}
