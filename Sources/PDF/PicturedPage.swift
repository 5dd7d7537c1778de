// SPDX-License-Identifier: Apache-2.0
import CQpdf
import Document
import Geometry

/// Makes a page of a document poppler's picture of it, with 300 pixels an inch. Engines that draw the page's texts and
/// paths differently show the picture alike.
extension PDFRenderer {
    /// - Throws: ``PDFError/noPage(_:)``, and the errors of drawing and of reading a document.
    public func picturing(_ number: Int, of document: [UInt8]) throws(PDFError) -> [UInt8] {
        let file = try PDFFile(document)
        let pages = try PDFPage.all(of: file)
        guard pages.indices.contains(number - 1) else { throw .noPage(number) }
        let page = pages[number - 1]
        // The pixels are those in which pages are compared.
        let scale = ComparisonScale(of: page.size)
        let picture = try draw(.init(page: number, size: scale.size), of: "-", input: document, options: ["-q"]).picture
        try file.check()
        let (width, height) = (page.size.width / page.unit, page.size.height / page.unit)
        for key in ["/MediaBox", "/CropBox"] { FlatFile.set(key, of: page, to: [0, 0, width, height]) }
        let content = "q \(try PDFSyntax.number(width)) 0 0 \(try PDFSyntax.number(height)) 0 0 cm /P Do Q"
        page.object.call { data, object in
            // libqpdf compresses streams when it writes them.
            func stream(_ bytes: [UInt8]) -> qpdf_oh {
                let stream = qpdf_oh_new_stream(data)
                qpdf_oh_replace_stream_data(
                    data, stream, bytes, bytes.count, qpdf_oh_new_null(data), qpdf_oh_new_null(data))
                return stream
            }
            let image = stream(Array(picture.file[picture.pixelOffset...]))
            let dictionary = qpdf_oh_get_dict(data, image)
            for (key, value) in [("/Type", "/XObject"), ("/Subtype", "/Image"), ("/ColorSpace", "/DeviceRGB")] {
                qpdf_oh_replace_key(data, dictionary, key, qpdf_oh_new_name(data, value))
            }
            for (key, value) in [
                ("/Width", picture.size.width), ("/Height", picture.size.height), ("/BitsPerComponent", 8),
            ] {
                qpdf_oh_replace_key(data, dictionary, key, qpdf_oh_new_integer(data, CLongLong(value)))
            }
            let resources = qpdf_oh_new_dictionary(data)
            let images = qpdf_oh_new_dictionary(data)
            qpdf_oh_replace_key(data, images, "/P", image)
            qpdf_oh_replace_key(data, resources, "/XObject", images)
            qpdf_oh_replace_key(data, object, "/Resources", resources)
            qpdf_oh_replace_key(data, object, "/Contents", stream(Array(content.utf8)))
            qpdf_oh_replace_key(data, object, "/Rotate", qpdf_oh_new_integer(data, 0))
            // They belong to the old content, or are drawn besides it.
            for key in ["/Annots", "/Group", "/StructParents", "/Thumb", "/TrimBox", "/BleedBox", "/ArtBox"] {
                qpdf_oh_remove_key(data, object, key)
            }
        }
        let pictured = try FlatFile.write(file)
        if pictured.count > PDFLimits.byteCount { throw .tooLarge(byteCount: pictured.count) }
        return pictured
    }
}
