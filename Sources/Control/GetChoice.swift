// SPDX-License-Identifier: Apache-2.0
import Formats
import Geometry
public import HostAPI
import Raster
import Record

extension GetCall {
    private static let forPictures = "format png or svg"

    public init(_ id: CaptureID, _ choice: ExportChoice) {
        self.init(id, choice.format)
        interrupted = choice.includesInterrupted ? true : nil
        field = choice.field
        guard choice.format.isPicture else { return }
        switch choice.picture.resolution {
        case .density(let density): dpi = density.dotsPerInch
        case .size(let size): pixels = size
        }
        part = choice.picture.part == .signingArea ? "signingArea" : "ink"
        transparent = choice.picture.isTransparent
        color = choice.picture.color?.hexText
        caption = choice.picture.hasCaption ? true : nil
    }

    /// - Returns: the record, and a choice, or nil for metadata.
    /// - Throws: ``PanelError/invalidParameter(_:expected:)``, or ``PanelError/noSuchCapture(_:)``.
    func checked() throws(PanelError) -> (CaptureID, ExportChoice?) {
        guard let id = CaptureID(id) else { throw .noSuchCapture(id) }
        if field != nil, ExportFormat(rawValue: format)?.isStored ?? true {
            throw .invalidParameter("field", expected: "a format that has ink alone")
        }
        if format == Self.metadata {
            if let name = pictureMember { throw .invalidParameter(name, expected: Self.forPictures) }
            return (id, nil)
        }
        guard let format = ExportFormat(rawValue: format) else {
            let names = [GetCall.metadata] + ExportFormat.allCases.map(\.rawValue)
            throw .invalidParameter("format", expected: "one of \(names.joined(separator: ", "))")
        }
        if !format.isPicture, let name = pictureMember { throw .invalidParameter(name, expected: Self.forPictures) }
        if dpi != nil, pixels != nil { throw .invalidParameter("size", expected: "dpi or size, not both") }
        if caption == true, format != .png {
            throw .invalidParameter("caption", expected: "format png")
        }
        var choice = ExportChoice(format: format, picture: try checkedPicture())
        choice.includesInterrupted = interrupted ?? false
        choice.field = field
        return (id, choice)
    }

    private func checkedPicture() throws(PanelError) -> PictureChoice {
        var picture = PictureChoice()
        if let dpi {
            let range = PixelDensity.dotsPerInchRange
            guard range.contains(dpi) else { throw .outOfRange("dpi", range, "pixels per inch") }
            picture.resolution = .density(PixelDensity(dotsPerInch: dpi))
        }
        if let size = pixels {
            let range = PictureChoice.sideRange
            guard range.contains(size.width), range.contains(size.height) else {
                throw .outOfRange("size", range, "pixels a side")
            }
            picture.resolution = .size(size)
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
        return picture
    }

    /// The first parameter that only pictures take.
    private var pictureMember: String? {
        let members = [
            ("dpi", dpi != nil), ("size", pixels != nil), ("part", part != nil), ("transparent", transparent != nil),
            ("color", color != nil), ("caption", caption != nil),
        ]
        return members.first { $0.1 }?.0
    }
}

extension PanelClient {
    public mutating func file(of id: CaptureID, as choice: ExportChoice) throws(PanelClientError) -> [UInt8] {
        try file(GetCall(id, choice))
    }
}
