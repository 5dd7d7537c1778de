// SPDX-License-Identifier: Apache-2.0
public import Formats
import Geometry
public import Record

/// Files of all formats out of records: for hosts that ask a panel, and for the command that reads a record's file.
public struct RecordExport: Sendable {
    private let captions: (any CaptionPainter)?
    private let svgByteLimit: Int

    /// - Parameters:
    ///   - captions: nil refuses them.
    ///   - svgByteLimit: the largest SVG, in bytes.
    public init(captions: (any CaptionPainter)? = nil, svgByteLimit: Int = .max) {
        self.captions = captions
        self.svgByteLimit = svgByteLimit
    }

    /// - Precondition: `choice` is not ``ExportFormat/record``, which is the file that the record was decoded from.
    public func bytes(of record: CaptureRecord, as choice: ExportChoice) throws(RecordExportError) -> [UInt8] {
        do throws(ExportError) {
            if !choice.includesInterrupted { try record.checkAccepted() }
            switch choice.format {
            case .png, .svg: break
            case .inkml: return try InkMLEncoder.encode(record)
            case .iso19794: return try ISO19794Encoder.encode(record)
            case .signaturePad: return try SignaturePadJSONEncoder.encode(record)
            case .csv: return try CSVEncoder.encode(record)
            case .record: preconditionFailure("a record is its file")
            }
        } catch {
            throw .format(error)
        }
        return try picture(of: record, choice.picture, isPNG: choice.format == .png)
    }

    private func picture(
        of record: CaptureRecord, _ choice: PictureChoice, isPNG: Bool
    ) throws(RecordExportError) -> [UInt8] {
        let picture: CapturePicture
        do throws(ExportError) {
            picture = try CapturePicture(
                of: record, part: choice.part, resolution: choice.resolution, color: choice.color)
            if !isPNG { return try picture.svg(isTransparent: choice.isTransparent, byteLimit: svgByteLimit) }
            let size = picture.drawing.size
            if size.width * size.height > CapturePicture.pixelLimit { throw .pictureTooLarge(size) }
            if !choice.hasCaption { return try picture.png(isTransparent: choice.isTransparent) }
        } catch {
            throw .format(error)
        }
        guard let captions else { throw .caption(CaptionError("captions are not drawn here")) }
        do throws(CaptionError) {
            return try captions.png(of: picture, of: record, isTransparent: choice.isTransparent)
        } catch {
            throw .caption(error)
        }
    }
}

/// Why there is no file of a record in a format.
public enum RecordExportError: Error, Equatable, CustomStringConvertible {
    case format(ExportError)
    case caption(CaptionError)

    public var description: String {
        switch self {
        case .format(let error): error.description
        case .caption(let error): "the caption cannot be drawn: \(error)"
        }
    }
}
