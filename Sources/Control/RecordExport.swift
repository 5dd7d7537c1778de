// SPDX-License-Identifier: Apache-2.0
public import Formats
public import Geometry
public import HostAPI
public import Record

/// Converts records to files, for hosts and for `inkpanel export`.
public struct RecordExport: Sendable {
    /// Draws a PNG with prompt, rows, signer and date below the ink. Text needs fonts, which `Pages` has. Called on any
    /// thread.
    public typealias CaptionPainter =
        @Sendable (
            _ picture: CapturePicture, _ record: CaptureRecord, _ isTransparent: Bool
        ) throws(CaptionError) -> [UInt8]

    private let captions: CaptionPainter?
    private let svgByteLimit: Int
    private let svgSampleLimit: Int

    /// - Parameter captions: nil refuses captions.
    public init(captions: CaptionPainter? = nil, svgByteLimit: Int = .max, svgSampleLimit: Int = .max) {
        self.captions = captions
        self.svgSampleLimit = svgSampleLimit
        self.svgByteLimit = svgByteLimit
    }

    /// - Precondition: the format is not ``ExportFormat/isStored``.
    public func bytes(of record: CaptureRecord, as choice: ExportChoice) throws(ExportError) -> [UInt8] {
        if !record.isAccepted, !choice.includesInterrupted { throw .notAccepted(outcome: record.outcome.rawValue) }
        let fields = record.fields
        let main =
            choice.field.map { name in fields.first { $0.name == name } } ?? fields.first { $0.kind == .signature }
        if let main, main.instead?.isWithoutInk == true { throw .withoutInk(main.insteadWords ?? main.name) }
        guard let record = record.sheet(named: choice.field) else {
            throw .noSuchField(choice.field ?? "", fields: record.fields.map(\.name))
        }
        switch choice.format {
        case .png, .svg: return try picture(of: record, choice.picture, isPNG: choice.format == .png)
        case .inkml: return try InkMLEncoder.encode(record)
        case .iso19794: return try ISO19794Encoder.encode(record)
        case .signaturePad: return try SignaturePadJSONEncoder.encode(record)
        case .csv: return try CSVEncoder.encode(record)
        case .record, .encrypted, .seal, .sealSignature, .pdf, .encryptedPDF, .evidence:
            preconditionFailure("a file of the store is not made")
        }
    }

    private func picture(
        of record: CaptureRecord, _ choice: PictureChoice, isPNG: Bool
    ) throws(ExportError) -> [UInt8] {
        if !isPNG {
            // Before anything is modelled, which takes seconds for a hundred thousand samples.
            let count = record.visibleStrokes.reduce(0) { $0 + $1.samples.count }
            if count > svgSampleLimit { throw .tooManySamples(count, limit: svgSampleLimit) }
        }
        let picture = try CapturePicture(
            of: record, part: choice.part, resolution: choice.resolution, color: choice.color)
        if !isPNG { return try picture.svg(isTransparent: choice.isTransparent, byteLimit: svgByteLimit) }
        let size = picture.drawing.size
        if size.width * size.height > CapturePicture.pixelLimit { throw .pictureTooLarge(size) }
        if !choice.hasCaption { return try picture.png(isTransparent: choice.isTransparent) }
        guard let captions else { throw .caption(CaptionError("captions are not drawn here")) }
        do throws(CaptionError) { return try captions(picture, record, choice.isTransparent) } catch {
            throw .caption(error)
        }
    }
}

/// How to export a record.
public struct ExportChoice: Equatable, Sendable {
    public var format: ExportFormat
    /// Exports records that were not accepted, too; their files are marked. ``ExportFormat/record`` always does.
    public var includesInterrupted = false
    /// The field whose ink it is (``CaptureRecord/sheet(named:)``); nil for that of the first signature.
    public var field: String?
    /// Used if the format is a picture.
    public var picture: PictureChoice

    public init(format: ExportFormat, picture: PictureChoice = PictureChoice()) {
        self.format = format
        self.picture = picture
    }
}

/// How to draw a picture of a record.
public struct PictureChoice: Equatable, Sendable {
    /// Pixels.
    public static let sideRange = 1...16_384
    /// The resolution of printers.
    public static let standardDensity = PixelDensity(dotsPerInch: 300)

    public var part: CapturePicture.Part
    public var resolution: CapturePicture.Resolution
    public var isTransparent: Bool
    /// The colour of the ink; nil: as on the screen.
    public var color: Color?
    /// Adds prompt, rows, signer and date below the ink; PNG only.
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
