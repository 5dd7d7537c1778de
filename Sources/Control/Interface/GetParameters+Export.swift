// SPDX-License-Identifier: Apache-2.0
import Formats
import Pad
import Geometry
import Raster
import Record

extension GetParameters {
    private static let metadata = "metadata"
    private static let forPictures = "the format png or svg with it"

    /// Which record, and what is wanted of it: nil is what is known about it.
    /// - Throws: ``PanelError/invalidParameter(_:expected:)``.
    func export() throws(PanelError) -> (CaptureID, ExportChoice?) {
        guard let id = CaptureID(id) else { throw .noSuchCapture(id) }
        if format == Self.metadata {
            if let name = pictureMember { throw .invalidParameter(name, expected: Self.forPictures) }
            return (id, nil)
        }
        guard let format = ExportFormat(rawValue: format) else {
            let names = [Self.metadata] + ExportFormat.allCases.map(\.rawValue)
            throw .invalidParameter("format", expected: "one of \(names.joined(separator: ", "))")
        }
        if !format.isPicture, let name = pictureMember { throw .invalidParameter(name, expected: Self.forPictures) }
        if dpi != nil, size != nil { throw .invalidParameter("size", expected: "dpi or size, not both") }
        if caption == true, format != .png {
            throw .invalidParameter("caption", expected: "the format png with it")
        }
        var picture = PictureChoice()
        if let dpi {
            let range = PixelDensity.dotsPerInchRange
            guard range.contains(dpi) else { throw .outOfRange("dpi", range, "pixels per inch") }
            picture.resolution = .density(PixelDensity(dotsPerInch: dpi))
        }
        if let size = size?.value {
            let (width, height) = (Int(size.width.value), Int(size.height.value))
            let range = PictureChoice.sideRange
            guard range.contains(width), range.contains(height) else {
                throw .outOfRange("size", range, "pixels a side")
            }
            picture.resolution = .size(PixelSize(width: width, height: height))
        }
        switch part {
        case nil, "ink": break
        case "signingArea": picture.part = .signingArea
        default: throw .invalidParameter("part", expected: "ink or signingArea")
        }
        picture.isTransparent = transparent ?? false
        if let color {
            guard let color = Color(hex: color) else {
                throw .invalidParameter("color", expected: "a colour as rrggbb in hexadecimal")
            }
            picture.color = color
        }
        picture.hasCaption = caption ?? false
        var choice = ExportChoice(format: format, picture: picture)
        choice.includesInterrupted = interrupted ?? false
        return (id, choice)
    }

    /// The first that is said of what only pictures have.
    private var pictureMember: String? {
        if dpi != nil { return "dpi" }
        if size != nil { return "size" }
        if part != nil { return "part" }
        if transparent != nil { return "transparent" }
        if color != nil { return "color" }
        return caption == nil ? nil : "caption"
    }
}

extension GetParameters {
    /// What the interface says for it; nil is what is known about the record.
    init(_ id: CaptureID, _ choice: ExportChoice?) {
        self.id = id.description
        format = choice?.format.rawValue ?? Self.metadata
        interrupted = choice?.includesInterrupted == true ? true : nil
        guard let choice, choice.format.isPicture else { return }
        switch choice.picture.resolution {
        case .density(let density): dpi = density.dotsPerInch
        case .size(let size):
            self.size = Strict(Size(width: Whole(Int64(size.width)), height: Whole(Int64(size.height))))
        }
        part = choice.picture.part == .signingArea ? "signingArea" : "ink"
        transparent = choice.picture.isTransparent
        color = choice.picture.color?.hexText
        caption = choice.picture.hasCaption ? true : nil
    }
}
