// SPDX-License-Identifier: Apache-2.0
public import Formats
import Pad
public import Geometry
public import Raster
import Record

/// What is wanted of a record.
public struct ExportChoice: Equatable, Sendable {
    public var format: ExportFormat
    /// Whether a record that was not accepted becomes a file, which then says so. The record itself always is one.
    public var includesInterrupted = false
    /// For formats that are pictures.
    public var picture: PictureChoice

    public init(format: ExportFormat, picture: PictureChoice = PictureChoice()) {
        self.format = format
        self.picture = picture
    }
}

/// How a picture is wanted.
public struct PictureChoice: Equatable, Sendable {
    /// Pixels.
    public static let sideRange = 1...16_384
    /// What printers print.
    public static let standardDensity = PixelDensity(dotsPerInch: 300)

    public var part: CapturePicture.Part
    public var resolution: CapturePicture.Resolution
    public var isTransparent: Bool
    /// Of the ink; nil is as the screen showed it.
    public var color: Color?
    /// With prompt, signer and date below the ink; PNG only.
    public var hasCaption: Bool

    public init(
        part: CapturePicture.Part = .ink(margin: 2), resolution: CapturePicture.Resolution = .density(standardDensity),
        isTransparent: Bool = false, color: Color? = nil, hasCaption: Bool = false
    ) {
        self.part = part
        self.resolution = resolution
        self.isTransparent = isTransparent
        self.color = color
        self.hasCaption = hasCaption
    }
}
