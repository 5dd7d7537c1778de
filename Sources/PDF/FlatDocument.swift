// SPDX-License-Identifier: Apache-2.0
import CQpdf
import Document
import Linux

/// Makes a new PDF file of poppler's own drawing of a document: pages with texts, paths and images, and nothing else.
/// Forms, layers, actions and notes become what they look like, and other readers draw it alike.
///
/// The same document gives the same bytes with the same poppler, cairo, qpdf and fonts.
extension PDFRenderer {
    /// - Throws: ``PDFError/noPDF``, ``PDFError/encrypted``, ``PDFError/tooLarge(byteCount:)``,
    ///   ``PDFError/failed(doing:reason:)`` also if poppler cannot draw all of it.
    public func flatten(_ document: [UInt8]) throws(PDFError) -> [UInt8] {
        if document.count > PDFLimits.byteCount { throw .tooLarge(byteCount: document.count) }
        // libqpdf and poppler look for the header in the first 1024 bytes.
        if document.prefix(1024).firstRange(of: Array("%PDF-".utf8)) == nil { throw .noPDF }
        let original = ReadableOriginal(document)
        let flat = try FlatFile.finish(
            drawing(of: original?.prepared() ?? document), originals: original?.pages)
        if flat.count > PDFLimits.byteCount { throw .tooLarge(byteCount: flat.count) }
        let facts = try PDFInspection.facts(of: flat)
        if let warning = facts.warnings.first {
            throw .undrawn(reason: "the flat file has a warning: \(warning.rawValue)")
        }
        if original != nil { return flat }
        let comparison = FlatComparison(renderer: self, document: document, flat: flat)
        if let page = try comparison.firstDifference(facts.pages) {
            throw .undrawn(reason: "page \(page) would look different: print it to a PDF file elsewhere")
        }
        return flat
    }

    static let flattening = "flatten the document"

    private func drawing(of document: [UInt8]) throws(PDFError) -> [UInt8] {
        // pdftocairo takes the crop boxes by itself, and refuses -cropbox with -pdf.
        let program = FilterProgram(
            path: folder + "/pdftocairo", arguments: ["-pdf", "-origpagesizes", "-", "-"],
            environment: Self.environment)
        let outcome = try program.outcome(
            "pdftocairo", of: Self.package, input: document, doing: Self.flattening, mostOutput: PDFLimits.byteCount,
            deadline: deadline)
        let complaint = FlatComplaints.first(in: outcome.errors)
        switch outcome.end {
        case .status(0): break
        case .status(let status):
            if FlatComplaints.isAboutPassword(outcome.errors) { throw .encrypted }
            throw .undrawn(reason: "poppler cannot read it (\(complaint ?? "status \(status)")): send the whole file")
        case .signal(let signal):
            throw .failed(doing: Self.flattening, reason: "pdftocairo was killed by signal \(signal)")
        }
        if let complaint {
            throw .undrawn(reason: "poppler cannot draw all of it (\(complaint)): print it to a PDF file elsewhere")
        }
        return outcome.output
    }
}

/// The complaints of pdftocairo about something that is missing from the flat file. It draws on after a complaint, and
/// its exit status is 0.
private enum FlatComplaints {
    /// - Returns: nil if all is drawn.
    static func first(in messages: [UInt8]) -> String? {
        let complaint = RendererComplaints.complaints(in: messages).first { !isAboutOthers($0) }
        // Those that did not fit into the pipe may count.
        return complaint ?? (messages.count >= 1 << 16 ? "it complains very often" : nil)
    }

    static func isAboutPassword(_ messages: [UInt8]) -> Bool {
        messages.firstRange(of: Array("Incorrect password".utf8)) != nil
    }

    /// Whether a line is about something else than what is drawn: `Syntax Error: Invalid XRef entry 7`.
    private static func isAboutOthers(_ line: String) -> Bool {
        // Warnings of poppler say what it makes of an odd value, such as the weight of a font.
        if line.hasPrefix("Syntax Warning") { return true }
        guard let colon = line.firstRange(of: ": ") else { return false }
        let words = line[colon.upperBound...]
        return (repairs + others).contains { words.hasPrefix($0) }
    }

    /// The table of objects is damaged, and poppler looks for them itself. If one is missing, it complains again.
    private static let repairs = [
        "xref num", "Couldn't find trailer dictionary", "Invalid XRef entry", "Missing 'endstream'",
        "Document has not the mandatory ending",
    ]

    /// Signatures, links, attachments and the structure: nothing of them is in the flat file. Boxes that do not name
    /// their state are empty.
    private static let others = [
        "Invalid or missing AS value",
        "Reference in Fields array", "Invalid form field renference", "Invalid or missing ByteRange",
        "Too few elements in ByteRange", "Illegal values in ByteRange", "Invalid or missing Signature string",
        "Invalid permanent ID", "Invalid update ID", "Bad annotation destination", "Illegal annotation destination",
        "Unknown annotation destination", "Annotation destination", "Bad named destination", "Bad launch-type link",
        "Illegal URI-type link", "Invalid OCGState action", "Invalid Rendition", "Invalid FileSpec",
        "Illegal file spec", "parseAction", "StructTreeRoot", "Structure element", "Nums array",
    ]
}

/// A document that all readers read alike.
private struct ReadableOriginal {
    let pages: [PDFPage]
    private let file: PDFFile

    /// nil for a document that is damaged or encrypted: then only poppler knows how it draws it.
    init?(_ document: [UInt8]) {
        guard let file = try? PDFFile(document), let pages = try? PDFPage.all(of: file), (try? file.check()) != nil
        else { return nil }
        (self.file, self.pages) = (file, pages)
    }

    /// The document with what pdftocairo needs to draw it exactly.
    /// - Returns: nil if it needs nothing.
    func prepared() throws(PDFError) -> [UInt8]? {
        var isChanged = false
        for page in pages {
            if roundSides(of: page) { isChanged = true }
            if printNotes(of: page) { isChanged = true }
        }
        return isChanged ? try FlatFile.write(file) : nil
    }

    /// Makes the sides of a page whole numbers: pdftocairo shrinks other pages to fit into its own whole ones. The flat
    /// page is cut afterwards.
    private func roundSides(of page: PDFPage) -> Bool {
        let box = page.box
        let (width, height) = FlatFile.roundedSides(of: page)
        if width == box.maxX - box.minX, height == box.maxY - box.minY { return false }
        for key in ["/MediaBox", "/CropBox"] {
            FlatFile.set(key, of: page, to: [box.minX, box.minY, box.minX + width, box.minY + height])
        }
        return true
    }

    /// Puts the annotations on paper that are on the screen (ISO 32000-1, 12.5.3), and no others: pdftocairo prints,
    /// and the pad shows.
    private func printNotes(of page: PDFPage) -> Bool {
        let (hidden, print, noView) = (1 << 1, 1 << 2, 1 << 5)
        let annotations = page.object["Annots"]
        var isChanged = false
        for index in 0..<annotations.count {
            let annotation = annotations[index]
            guard annotation.isDictionary else { continue }
            let flags = annotation["F"].integer ?? 0
            let isShown = flags & (hidden | noView) == 0
            let isPrinted = flags & hidden == 0 && flags & print != 0
            if isShown == isPrinted { continue }
            let wanted = isShown ? flags | print : flags | hidden
            annotation.call { qpdf_oh_replace_key($0, $1, "/F", qpdf_oh_new_integer($0, CLongLong(wanted))) }
            isChanged = true
        }
        return isChanged
    }
}

/// How flat files are written.
enum FlatFile {
    /// The sides of a page in its own coordinates, not turned, as whole numbers. The lower left corner stays.
    static func roundedSides(of page: PDFPage) -> (width: Double, height: Double) {
        // Sums of edges are not exact.
        func rounded(_ side: Double) -> Double { (side - 0.0001).rounded(.up) }
        return (rounded(page.box.maxX - page.box.minX), rounded(page.box.maxY - page.box.minY))
    }

    /// Removes what differs from one drawing to the next: the date.
    /// - Parameter originals: the pages of the document; nil if they are not known.
    static func finish(_ drawing: [UInt8], originals: [PDFPage]?) throws(PDFError) -> [UInt8] {
        let file = try PDFFile(drawing)
        let pages = try PDFPage.all(of: file)
        if let originals {
            guard originals.count == pages.count else {
                let counts = "\(pages.count) pages of \(originals.count)"
                throw .undrawn(reason: "poppler draws \(counts): print it to a PDF file elsewhere")
            }
            for (page, original) in zip(pages, originals) { try cut(page, as: original) }
        }
        file.trailer.call { qpdf_oh_remove_key($0, $1, "/Info") }
        return try write(file)
    }

    /// Gives a page the size of the original, also its unit, which poppler ignores (`UserUnit`, ISO 32000-1, 14.11.2).
    private static func cut(_ page: PDFPage, as original: PDFPage) throws(PDFError) {
        let rounded = roundedSides(of: original)
        let (width, height) = (original.box.maxX - original.box.minX, original.box.maxY - original.box.minY)
        // The pixels that rounding has added are at the right and the top, before the page is turned.
        let (right, top) = (rounded.width - width, rounded.height - height)
        let isTurned = original.rotation % 180 != 0
        let whole = isTurned ? (rounded.height, rounded.width) : rounded
        guard abs(page.size.width - whole.0) < 0.01, abs(page.size.height - whole.1) < 0.01 else {
            throw .undrawn(
                reason: "poppler draws page \(page.number) in another size: print it to a PDF file elsewhere")
        }
        let corner: (x: Double, y: Double) =
            switch original.rotation {
            case 90: (0, right)
            case 180: (right, top)
            case 270: (top, 0)
            default: (0, 0)
            }
        let (across, up) = isTurned ? (height, width) : (width, height)
        set("/MediaBox", of: page, to: [corner.x, corner.y, corner.x + across, corner.y + up])
        if original.unit == 1 { return }
        let unit = try PDFSyntax.number(original.unit)
        page.object.call { qpdf_oh_replace_key($0, $1, "/UserUnit", qpdf_oh_new_real_from_string($0, unit)) }
    }

    /// Sets a box of a page.
    static func set(_ key: String, of page: PDFPage, to edges: [Double]) {
        page.object.call { data, object in
            let box = qpdf_oh_new_array(data)
            for edge in edges { qpdf_oh_append_item(data, box, qpdf_oh_new_real_from_double(data, edge, 5)) }
            qpdf_oh_replace_key(data, object, key, box)
        }
    }

    /// The file as libqpdf writes it, with an identifier that follows from its contents.
    static func write(_ file: PDFFile) throws(PDFError) -> [UInt8] {
        let failure = PDFError.failed(doing: PDFRenderer.flattening, reason: "libqpdf cannot write it")
        guard qpdf_init_write_memory(file.data) & QPDF_ERROR_CODE(QPDF_ERRORS) == 0 else { throw failure }
        qpdf_set_deterministic_ID(file.data, QPDF_TRUE)
        qpdf_set_object_stream_mode(file.data, qpdf_o_disable)
        guard qpdf_write(file.data) & QPDF_ERROR_CODE(QPDF_ERRORS) == 0, let start = qpdf_get_buffer(file.data) else {
            throw failure
        }
        try file.check()
        return Array(UnsafeBufferPointer(start: start, count: qpdf_get_buffer_length(file.data)))
    }
}
