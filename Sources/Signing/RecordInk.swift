// SPDX-License-Identifier: Apache-2.0
package import Document
package import Formats
import Geometry
package import Record

extension DocumentInk {
    /// A triangle in place of ink, for trying whether a document can be signed.
    package static let sample = DocumentInk(
        width: 100, height: 30, content: "0 0 0 rg\n0 0 m\n100 0 l\n100 30 l\nh\nf\n")
}

extension CaptureRecord {
    /// The ink as part of a page in PDF, in the size in which it was written. Ink of many minutes gets fewer samples,
    /// and ink as large as a wall less precise outlines, so that an accepted signature does not fail.
    /// - Parameter byteLimit: of its content.
    /// - Throws: `ExportError`, also ``ExportError/noInk``.
    package func pdfInk(byteLimit: Int = 2 << 20) throws(ExportError) -> DocumentInk {
        var (record, dotsPerInch) = (self, 300.0)
        while true {
            do throws(ExportError) {
                let picture = try CapturePicture(
                    of: record, part: .ink(margin: 0),
                    resolution: .density(PixelDensity(dotsPerInch: dotsPerInch)))
                return try PDFInkEncoder.encode(picture.drawing, density: picture.density, byteLimit: byteLimit)
            } catch {
                switch error {
                case .pictureTooLarge where dotsPerInch > 50: dotsPerInch = 50
                case .textTooLarge:
                    guard let thinned = record.thinned else { throw error }
                    record = thinned
                default: throw error
                }
            }
        }
    }

    /// The record with every second sample of its strokes; nil if no stroke has more than its ends.
    private var thinned: CaptureRecord? {
        var record = self
        var isThinner = false
        for (index, entry) in entries.enumerated() {
            guard case .stroke(var stroke) = entry, stroke.samples.count > 2 else { continue }
            let last = stroke.samples.count - 1
            stroke.samples = stroke.samples.indices.filter { $0.isMultiple(of: 2) || $0 == last }
                .map { stroke.samples[$0] }
            record.entries[index] = .stroke(stroke)
            isThinner = true
        }
        return isThinner ? record : nil
    }
}
