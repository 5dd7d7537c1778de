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
        let flat = try FlatFile.finish(drawing(of: original?.printed() ?? document), sizes: original?.sizes)
        if flat.count > PDFLimits.byteCount { throw .tooLarge(byteCount: flat.count) }
        let facts = try PDFInspection.facts(of: flat)
        if let warning = facts.warnings.first {
            throw .failed(doing: Self.flattening, reason: "the flat file has a warning: \(warning.rawValue)")
        }
        return flat
    }

    fileprivate static let flattening = "flatten the document"

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
            throw .failed(
                doing: Self.flattening,
                reason: "poppler cannot read it (\(complaint ?? "status \(status)")): send the whole file")
        case .signal(let signal):
            throw .failed(doing: Self.flattening, reason: "pdftocairo was killed by signal \(signal)")
        }
        if let complaint {
            throw .failed(
                doing: Self.flattening,
                reason: "poppler cannot draw all of it (\(complaint)): print it to a PDF file elsewhere")
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

    /// Signatures, links, attachments and the structure: nothing of them is in the flat file.
    private static let others = [
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
    /// The sizes of its pages as they are shown.
    let sizes: [DocumentFacts.PageSize]
    private let file: PDFFile
    private let pages: [PDFPage]

    /// nil for a document that is damaged or encrypted: then only poppler knows how it draws it.
    init?(_ document: [UInt8]) {
        guard let file = try? PDFFile(document), let pages = try? PDFPage.all(of: file), (try? file.check()) != nil
        else { return nil }
        (self.file, self.pages) = (file, pages)
        sizes = pages.map(\.size)
    }

    /// The document with the annotations on paper that it has on the screen (ISO 32000-1, 12.5.3): pdftocairo prints,
    /// and the pad shows.
    /// - Returns: nil if they are the same.
    func printed() -> [UInt8]? {
        let (hidden, print, noView) = (1 << 1, 1 << 2, 1 << 5)
        var isChanged = false
        for page in pages {
            let annotations = page.object["Annots"]
            for index in 0..<annotations.count {
                let annotation = annotations[index]
                guard annotation.isDictionary else { continue }
                let flags = annotation["F"].integer ?? 0
                let isShown = flags & (hidden | noView) == 0
                let isPrinted = flags & hidden == 0 && flags & print != 0
                if isShown == isPrinted { continue }
                let wanted = isShown ? flags | print : flags | hidden
                annotation.call {
                    qpdf_oh_replace_key($0, $1, "/F", qpdf_oh_new_integer($0, CLongLong(wanted)))
                }
                isChanged = true
            }
        }
        return isChanged ? try? FlatFile.write(file) : nil
    }
}

private enum FlatFile {
    /// Removes what differs from one drawing to the next: the date.
    /// - Parameter sizes: of the pages of the document; nil if they are not known.
    static func finish(_ drawing: [UInt8], sizes: [DocumentFacts.PageSize]?) throws(PDFError) -> [UInt8] {
        let file = try PDFFile(drawing)
        let pages = try PDFPage.all(of: file)
        if let sizes {
            guard sizes.count == pages.count else {
                throw .failed(
                    doing: PDFRenderer.flattening,
                    reason: "poppler draws \(pages.count) pages of \(sizes.count): print it to a PDF file elsewhere")
            }
            for (page, size) in zip(pages, sizes) { try setUnit(of: page, for: size, in: file) }
        }
        file.trailer.call { qpdf_oh_remove_key($0, $1, "/Info") }
        return try write(file)
    }

    /// Gives a page the size of the original, whose unit poppler may ignore (`UserUnit`, ISO 32000-1, 14.11.2).
    private static func setUnit(
        of page: PDFPage, for size: DocumentFacts.PageSize, in file: PDFFile
    ) throws(PDFError) {
        let (across, down) = (size.width / page.size.width, size.height / page.size.height)
        guard abs(across - down) <= 0.01 * across else {
            throw .failed(
                doing: PDFRenderer.flattening,
                reason: "poppler draws page \(page.number) in another size: print it to a PDF file elsewhere")
        }
        if abs(across - 1) <= 0.001 { return }
        let unit = try PDFSyntax.number(across)
        page.object.call { qpdf_oh_replace_key($0, $1, "/UserUnit", qpdf_oh_new_real_from_string($0, unit)) }
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
