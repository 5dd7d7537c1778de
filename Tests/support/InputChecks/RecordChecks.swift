// SPDX-License-Identifier: Apache-2.0
import Formats
import Geometry
import Ink
import Raster
import Record

/// Checks that what is decoded survives encoding and decoding, and that each export of a record or sketch succeeds or
/// fails with an error.
enum RecordChecks {
    /// Bounds the cost of rendering, which is the same for each sample.
    private static let drawnSamples = 2000
    private static let pictureSize = PixelSize(width: 48, height: 32)

    static func check(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let record: CaptureRecord
        do throws(CaptureFormatError) { record = try CaptureDecoder.decode(bytes) } catch {
            try require(!error.description.isEmpty, "an error without words")
            return false
        }
        // Encoded texts may take more bytes than before, and exceed the limit of a header.
        if let written = try? CaptureEncoder.encode(record) {
            try require((try? CaptureDecoder.decode(written)) == record, "another record when written and read")
            try require((try? CaptureEncoder.encode(record)) == written, "other bytes of the same record")
        }
        try export(record)
        for field in record.fields.prefix(4) {
            let sheet = record.sheet(named: field.name)
            guard let sheet else { throw CheckedInput.Fault("a field without a sheet") }
            try require(sheet.visibleStrokes == field.strokes, "other ink on the sheet of a field")
            try export(sheet)
        }
        _ = (record.answers, record.seen, record.unmetDemands)
        let count = record.visibleStrokes.reduce(0) { $0 + $1.samples.count }
        if count <= drawnSamples {
            for part in [CapturePicture.Part.ink(margin: 1), .signingArea] {
                guard let picture = try? CapturePicture(of: record, part: part, resolution: .size(pictureSize))
                else { continue }
                let png = try? picture.png(isTransparent: true)
                try require(png?.isEmpty == false && (try? picture.svg())?.isEmpty == false, "a picture without bytes")
            }
        }
        return true
    }

    private static func export(_ record: CaptureRecord) throws(CheckedInput.Fault) {
        _ = try? CSVEncoder.encode(record)
        _ = try? ISO19794Encoder.encode(record)
        if let bytes = try? SignaturePadJSONEncoder.encode(record) {
            // The decoder limits positions and times.
            _ = try? SignaturePadJSON.decode(bytes)
        }
        guard let inkml = try? InkMLEncoder.encode(record) else { return }
        do throws(ImportError) { _ = try InkMLDecoder.decode(inkml) } catch {
            let text = "\(error)"
            // Records allow times and positions outside the range of drawings.
            try require(text.contains("range"), "our own InkML is refused: \(text)")
        }
    }

    static func checkScatter(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        guard let devices = DeviceScatter.decode(bytes) else { return false }
        for device in devices { try require((0...1).contains(device.scatter), "a scatter of \(device.scatter) mm") }
        let again = DeviceScatter.decode(DeviceScatter.encode(devices)) ?? []
        // Encoded texts may take more bytes than before, and not all devices fit then.
        try require(again.isEmpty == devices.isEmpty, "no devices when written and read")
        try require(Array(devices.suffix(again.count)) == again, "other devices when written and read")
        return true
    }

    static func checkSketch(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let contents: SketchDecoder.Contents
        do throws(SketchFormatError) { contents = try SketchDecoder.decode(bytes) } catch {
            try require(!error.description.isEmpty, "an error without words")
            return false
        }
        try require(contents.wholeByteCount <= bytes.count, "more whole bytes than bytes")
        let written = SketchEncoder.encode(contents.page, contents.entries)
        let again = try? SketchDecoder.decode(written)
        try require(again?.entries == contents.entries, "another sketch when written and read")
        var history = History<SketchStroke>()
        for entry in contents.entries { history.apply(entry) { $0 } }
        let count = history.visible.reduce(0) { $0 + $1.samples.count }
        if contents.page.size.area <= 4 * pictureSize.area, count <= drawnSamples {
            let picture = SketchPicture(of: history.visible, on: contents.page, background: .white)
            try require((try? picture.png())?.isEmpty == false, "a picture without bytes")
        }
        return true
    }
}

extension PixelSize {
    fileprivate var area: Int { width * height }
}
