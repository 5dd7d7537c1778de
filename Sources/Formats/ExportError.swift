// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Why a file could not be written.
public enum ExportError: Error, Equatable, CustomStringConvertible {
    case pngRefused(size: PixelSize)
    /// The position of the ink is unknown: a transform is not six numbers, or the screen
    /// has no size.
    case noPlaces
    case noSigningArea
    /// A picture cannot be trimmed to no ink.
    case noInk
    /// The signature has no ink. The text names its replacement.
    case withoutInk(String)
    /// The picture would need too much memory.
    case pictureTooLarge(PixelSize)
    /// An SVG above the limit of the caller.
    case textTooLarge(byteLimit: Int)
    /// The panel would take too long to draw their outlines.
    case tooManySamples(Int, limit: Int)
    /// The format needs sizes, and the size of the screen is unknown.
    case sizeUnknown(format: String)
    /// The signature was not accepted, and the caller did not allow that.
    case notAccepted(outcome: String)
    /// The format cannot hold a time, a place, a pressure or a number of samples of the record.
    case inexpressible(format: String, what: String)
    case caption(CaptionError)
    /// The record has no ink of that name, but of these.
    case noSuchField(String, fields: [String])

    public var description: String {
        switch self {
        case .pngRefused(let size):
            "a PNG of \(size) pixels is not possible: set a --size above 0"
        case .noPlaces:
            "the record does not say where on the screen its samples are"
        case .noSigningArea:
            "the record does not say where the signing area was; a picture trimmed to the ink does not need it"
        case .noInk:
            "there is no ink to trim the picture to"
        case .withoutInk(let words): "\(words), so there is no ink; get the record, which says so"
        case .pictureTooLarge(let size):
            "the picture would have \(size) pixels, which is too many; set a --size or a lower --dpi"
        case .textTooLarge(let limit):
            "the SVG would be larger than \(limit) bytes, the limit of the panel; ask for a PNG, or get the record "
                + "and use inkpanel export on another machine"
        case .tooManySamples(let count, let limit):
            "the SVG would have the outlines of \(count) samples; the panel draws at most \(limit): ask for a PNG, or "
                + "get the record and use inkpanel export on another machine"
        case .sizeUnknown(let format):
            "\(format) needs sizes, but the record does not say how large its screen was"
        case .notAccepted(let outcome):
            "the signature was not accepted (\(outcome)); to export it anyway, marked as not accepted, use "
                + "--interrupted, or \"interrupted\": true in Get"
        case .inexpressible(let format, let what):
            "\(format) cannot hold this record: \(what)"
        case .caption(let error):
            "the caption cannot be drawn: \(error)"
        case .noSuchField(let name, let fields):
            fields.isEmpty
                ? "the record has one signature, and no field \(name): leave the field out"
                : "the record has no ink in a field \(name), but in \(fields.joined(separator: ", "))"
        }
    }
}

/// Why a caption cannot be drawn, such as a missing font.
public struct CaptionError: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
