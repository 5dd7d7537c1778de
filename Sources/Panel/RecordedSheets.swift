// SPDX-License-Identifier: Apache-2.0
package import Formats
import Geometry
package import Record

/// The ink that was accepted for a field or a question.
struct RecordedSheet {
    /// The name of the field or the question.
    var name: String
    /// A record of one page with this ink only.
    var record: CaptureRecord
    /// When it was accepted: microseconds after the start of the capture.
    var acceptedAt: Int64
}

extension CaptureRecord {
    /// The accepted sheets of a record with a flow, the first to be accepted first. A field that was accepted again has
    /// its last ink.
    var sheets: [RecordedSheet] {
        var sheets: [RecordedSheet] = []
        var open: (sheet: FieldSheet, entries: [CaptureEntry])?
        for entry in entries {
            switch entry {
            case .stroke, .inAir, .action: open?.entries.append(entry)
            case .flow(.field(let sheet), _): open = (sheet, [])
            case .flow(.accepted(let field), let time):
                var accepted: CaptureRecord?
                if let same = field.same {
                    accepted = sheets.last { $0.name == same }?.record
                } else if let current = open, current.sheet.name == field.name {
                    accepted = record(of: current.sheet, current.entries)
                    open = nil
                }
                guard let accepted else { continue }
                sheets.removeAll { $0.name == field.name }
                sheets.append(RecordedSheet(name: field.name, record: accepted, acceptedAt: time))
            case .flow: break
            }
        }
        return sheets
    }

    private func record(of sheet: FieldSheet, _ entries: [CaptureEntry]) -> CaptureRecord {
        var header = header
        header.screen.signingArea = sheet.signingArea
        return CaptureRecord(header: header, entries: entries, end: end)
    }

    /// The ink as part of a page in PDF, in the size in which it was written.
    /// - Throws: `ExportError`, also ``ExportError/noInk``.
    package func pdfInk() throws(ExportError) -> PDFInk {
        let picture = try CapturePicture(
            of: self, part: .ink(margin: 0), resolution: .density(PixelDensity(dotsPerInch: 300)))
        return try PDFInkEncoder.encode(picture.drawing, density: picture.density)
    }
}
