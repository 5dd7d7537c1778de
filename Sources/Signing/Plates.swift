// SPDX-License-Identifier: Apache-2.0
package import Document
import Formats
import Geometry
import HostAPI
import Record

/// The fields on a dark ground, such as that of a scan. Dark ink would not be seen there, so it gets a white plate, on
/// the glass and in the signed file.
package enum Plates {
    /// Pixels in a point.
    private static let density = 0.5
    /// A ground whose mean lightness, of 255, is below this is dark: black ink on it has a contrast of less than 5 to
    /// 1.
    private static let dark = 118.0

    /// The indices of the fields that need a plate.
    /// - Parameter render: draws a page, once for each that has such fields; nil if there is no time for it.
    package static func places(
        of fields: [Field], in facts: DocumentFacts, render: (HelperRequest.Rendering) throws -> PagePicture?
    ) throws -> Set<Int> {
        var plates: Set<Int> = []
        // Boxes and texts of the form have a ground of the file's own.
        let candidates = fields.indices.filter { fields[$0].kind == .signature || fields[$0].formName == nil }
        for (number, indices) in Dictionary(grouping: candidates, by: { fields[$0].page }).sorted(by: {
            $0.key < $1.key
        }) {
            guard let page = facts.size(of: number) else { continue }
            let scale = min(density, 2048 / max(page.width, page.height))
            let size = PixelSize(
                width: max(1, Int((page.width * scale).rounded())), height: max(1, Int((page.height * scale).rounded()))
            )
            guard let picture = try render(.init(page: number, size: size)) else { continue }
            for index in indices where mean(of: picture, fields[index].rectangle, page) < dark {
                plates.insert(index)
            }
        }
        return plates
    }

    /// The mean lightness of a part of a page: the weights are those of ITU-R BT.601.
    private static func mean(
        of picture: PagePicture, _ place: DocumentRectangle, _ page: DocumentFacts.PageSize
    ) -> Double {
        let (x, y) = (Double(picture.size.width) / page.width, Double(picture.size.height) / page.height)
        func range(_ low: Double, _ high: Double, _ count: Int) -> Range<Int> {
            let start = max(0, min(count - 1, Int(low.rounded(.down))))
            return start..<max(start + 1, min(count, Int(high.rounded(.up))))
        }
        let rows = range((page.height - place.maxY) * y, (page.height - place.minY) * y, picture.size.height)
        let columns = range(place.minX * x, place.maxX * x, picture.size.width)
        var sum = 0
        for row in rows {
            for column in columns {
                let offset = picture.pixelOffset + 3 * (row * picture.size.width + column)
                let (red, green, blue) = (picture.file[offset], picture.file[offset + 1], picture.file[offset + 2])
                sum += 299 * Int(red) + 587 * Int(green) + 114 * Int(blue)
            }
        }
        return Double(sum) / 1000 / Double(rows.count * columns.count)
    }
}

extension DocumentInk {
    /// The ink as `InkAppearance` places it in a field, on a white ground that fills the field.
    func onPlate(in field: DocumentRectangle) -> DocumentInk {
        let scale = min(field.width / width, field.height / height, 1)
        let (x, y) = ((field.width - width * scale) / 2, (field.height - height * scale) / 2)
        var path = Path()
        path.move(to: Point(x: 0, y: 0))
        for corner in [(1.0, 0.0), (1, 1), (0, 1)] {
            path.addLine(to: Point(x: corner.0 * field.width, y: corner.1 * field.height))
        }
        let plate = PDFInkEncoder.encode(path, width: field.width, height: field.height, scale: 1, color: .white)
        return DocumentInk(
            width: field.width, height: field.height,
            content: plate.content + Color.black.fillOperator + self.content(scaledBy: scale, x: x, y: y),
            texts: texts?.map { $0.moved(scaledBy: scale, x: x, y: y) })
    }
}
