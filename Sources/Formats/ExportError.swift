// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Why a file could not be made.
public enum ExportError: Error, Equatable, CustomStringConvertible {
    case pngRefused(size: PixelSize)
    /// The record does not say where on the screen the ink is: its transform is not six numbers, or puts a sample
    /// beyond any screen.
    case noPlaces
    /// The record does not say where on the screen the signing area was.
    case noSigningArea
    /// There is nothing to trim to.
    case noInk
    /// A picture of this many pixels is none that can be made in reasonable memory.
    case pictureTooLarge(PixelSize)
    /// An SVG of more bytes than the caller allows.
    case textTooLarge(byteLimit: Int)
    /// The screen's pixels have no size, and the format has nothing but sizes.
    case sizeUnknown(format: String)
    /// Nobody accepted what was signed: a file of it must be asked for by name.
    case notAccepted(outcome: String)
    /// The format cannot hold a time, a place, a pressure or a number of samples of the record.
    case inexpressible(format: String, what: String)

    public var description: String {
        switch self {
        case .pngRefused(let size):
            "a PNG of \(size) pixels cannot be made: name a --size that is not empty"
        case .noPlaces:
            "the record does not tell where on the screen its samples are"
        case .noSigningArea:
            "the record does not tell where the signing area was; a picture trimmed to the ink needs none"
        case .noInk:
            "there is no ink to trim the picture to"
        case .pictureTooLarge(let size):
            "the picture would be of \(size) pixels, which is too large; name a --size or a lower --dpi"
        case .textTooLarge(let limit):
            "the SVG would be larger than \(limit) bytes, the most that a panel makes; ask for a PNG, or get the record "
                + "and use inkpanel export on another machine"
        case .sizeUnknown(let format):
            "\(format) wants sizes, and the record does not tell how large its screen was"
        case .notAccepted(let outcome):
            "the signature was not accepted (\(outcome)); to have a file of it all the same, which says so, use "
                + "--interrupted, or \"interrupted\": true in Get"
        case .inexpressible(let format, let what):
            "\(format) cannot hold this record: \(what)"
        }
    }
}
