// SPDX-License-Identifier: Apache-2.0

/// A document of a few objects, for tests.
struct SmallPDF {
    /// By their numbers, from 1; the first is the catalogue.
    var objects: [String]
    /// Further entries of the trailer.
    var trailer = ""

    /// A document with these pages, which are objects 3, 4 and so on; object 2 is their tree.
    init(pages: [String], catalog: String = "", tree: String = "", more: [String] = []) {
        let kids = pages.indices.map { "\($0 + 3) 0 R" }.joined(separator: " ")
        objects = [
            "<< /Type /Catalog /Pages 2 0 R \(catalog) >>",
            "<< /Type /Pages /Count \(pages.count) /Kids [ \(kids) ] \(tree) >>",
        ]
        objects += pages.map { "<< /Type /Page /Parent 2 0 R \($0) >>" }
        objects += more
    }

    var bytes: [UInt8] {
        var text = "%PDF-1.7\n"
        var offsets: [Int] = []
        for (index, object) in objects.enumerated() {
            offsets.append(text.utf8.count)
            text += "\(index + 1) 0 obj\n\(object)\nendobj\n"
        }
        let table = text.utf8.count
        text += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
        for offset in offsets { text += String(repeating: "0", count: 10 - "\(offset)".count) + "\(offset) 00000 n \n" }
        text += "trailer\n<< /Size \(objects.count + 1) /Root 1 0 R \(trailer) >>\nstartxref\n\(table)\n%%EOF\n"
        return Array(text.utf8)
    }

    static let letter = "/MediaBox [ 0 0 612 792 ]"

    static func stream(_ content: String, _ entries: String = "") -> String {
        "<< /Length \(content.utf8.count) \(entries) >>\nstream\n\(content)\nendstream"
    }
}
