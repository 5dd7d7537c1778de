// SPDX-License-Identifier: Apache-2.0
import CLibcrypto
import CQpdf
import Document

/// The objects of an incremental update (ISO 32000-1, 7.5.6), and its cross-reference.
struct UpdateWriter {
    /// The greatest object number that all readers support (ISO 32000-1, C.2).
    private static let greatestNumber = 8_388_607

    let file: PDFFile
    private let document: [UInt8]
    private let end: FileEnd
    /// The first object number that the document neither uses nor refers to.
    private let firstNumber: Int
    private var nextNumber: Int
    /// The changed dictionaries of the document.
    private var dictionaries: [PDFObject.ID: PDFDictionaryText] = [:]
    /// The texts of all other objects of the update.
    private var texts: [PDFObject.ID: [UInt8]] = [:]

    init(_ file: PDFFile, _ document: [UInt8]) throws(PDFError) {
        self.file = file
        self.document = document
        end = file.end
        guard let size = file.trailer["Size"].integer, (1...Self.greatestNumber).contains(size) else {
            throw .damaged(reason: "the trailer has no size")
        }
        // libqpdf gives it a number above all that the document refers to, even above those of objects that do not
        // exist: such a reference would mean the update's object.
        let probe = file.object(qpdf_make_indirect_object(file.data, qpdf_oh_new_null(file.data)))
        try file.check()
        guard let number = probe.id?.number, number > 0 else { throw .damaged(reason: "objects cannot be numbered") }
        firstNumber = max(size, number)
        nextNumber = firstNumber
        guard firstNumber < Self.greatestNumber - 10_000 else {
            throw .tooComplex(reason: "an object has the number \(firstNumber - 1)")
        }
    }

    /// A number for a new object.
    mutating func newID() -> PDFObject.ID {
        defer { nextNumber += 1 }
        return PDFObject.ID(number: nextNumber, generation: 0)
    }

    /// Adds an object, or replaces one that is no dictionary.
    mutating func add(_ text: [UInt8], as id: PDFObject.ID) { texts[id] = text }

    mutating func add(_ text: [UInt8]) -> PDFObject.ID {
        let id = newID()
        add(text, as: id)
        return id
    }

    /// Changes an entry of an object of the document; nil removes it.
    /// - Throws: ``PDFError/damaged(reason:)`` if it is not an indirect dictionary.
    mutating func set(_ key: String, to value: [UInt8]?, in object: PDFObject) throws(PDFError) {
        guard let id = object.id, id.number < firstNumber, object.isDictionary else {
            throw .damaged(reason: "an object of the form or of a page is not one of its own")
        }
        var text = dictionaries[id] ?? PDFDictionaryText(object)
        text[key] = value
        dictionaries[id] = text
    }

    mutating func set(_ key: String, to value: String, in object: PDFObject) throws(PDFError) {
        try set(key, to: Array(value.utf8), in: object)
    }

    /// The bytes of the update, which follow the document.
    /// - Parameters:
    ///   - signature: the object with the hole. Its `ByteRange` is filled in.
    ///   - root: the catalogue; nil for that of the document.
    consuming func bytes(
        signature: (id: PDFObject.ID, text: [UInt8])?, root: PDFObject.ID? = nil
    ) throws(PDFError) -> [UInt8] {
        if let signature { texts[signature.id] = signature.text }
        for (id, text) in dictionaries { texts[id] = text.text }
        var bytes: [UInt8] = document.last.map { $0 == 10 || $0 == 13 } ?? true ? [] : [10]
        var offsets: [PDFObject.ID: Int] = [:]
        var place = 0
        for id in texts.keys.sorted(by: { ($0.number, $0.generation) < ($1.number, $1.generation) }) {
            offsets[id] = document.count + bytes.count
            bytes += Array("\(id.number) \(id.generation) obj\n".utf8)
            if id == signature?.id { place = bytes.count }
            bytes += (texts[id] ?? []) + Array("\nendobj\n".utf8)
        }
        let offset = document.count + bytes.count
        var trailer = trailer(digest: Self.digest(document, bytes))
        if let root { trailer.set("Root", PDFSyntax.reference(root)) }
        switch end.kind {
        case .table:
            trailer.set("Size", "\(nextNumber)")
            bytes += CrossReference.table(offsets) + Array("trailer\n".utf8) + trailer.text + [10]
        case .stream:
            let id = newID()
            offsets[id] = offset
            trailer.set("Size", "\(nextNumber)")
            bytes += Array("\(id.number) 0 obj\n".utf8) + CrossReference.stream(offsets, trailer)
            bytes += Array("\nendobj\n".utf8)
        }
        bytes += Array("startxref\n\(offset)\n%%EOF\n".utf8)
        guard bytes.count <= HelperLimits.update else { throw .tooComplex(reason: "the update is very long") }
        if let signature { try enterRange(in: &bytes, place..<place + signature.text.count) }
        return bytes
    }

    /// The entries of the last trailer that concern the document, and new identifiers (ISO 32000-1, 14.4).
    private func trailer(digest: [UInt8]) -> PDFDictionaryText {
        let last = file.trailer
        var trailer = PDFDictionaryText(last)
        let others = [
            "XRefStm", "Type", "W", "Index", "Length", "Filter", "DecodeParms", "F", "FFilter", "FDecodeParms", "DL",
        ]
        for key in others { trailer[key] = nil }
        trailer.set("Prev", "\(end.lastCrossReference)")
        let second = PDFSyntax.hexadecimal(digest)
        let identifiers = last["ID"]
        let own = identifiers.count == 2 ? identifiers[0].bytes : nil
        let first = own.map { PDFSyntax.hexadecimal($0) } ?? second
        trailer["ID"] = Array("[ ".utf8) + first + [32] + second + Array(" ]".utf8)
        return trailer
    }

    /// The first 16 bytes of a digest of the file, so that the same update of the same document has the same bytes.
    private static func digest(_ document: [UInt8], _ update: [UInt8]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        guard let context = EVP_MD_CTX_new() else { return Array(bytes.prefix(16)) }
        defer { EVP_MD_CTX_free(context) }
        EVP_DigestInit_ex(context, EVP_sha256(), nil)
        EVP_DigestUpdate(context, document, document.count)
        EVP_DigestUpdate(context, update, update.count)
        EVP_DigestFinal_ex(context, &bytes, nil)
        return Array(bytes.prefix(16))
    }

    /// - Parameter signature: the place of the object with the hole.
    private func enterRange(in bytes: inout [UInt8], _ signature: Range<Int>) throws(PDFError) {
        let text = bytes[signature]
        guard let hole = text.firstRange(of: SignedDocument.emptyHole),
            let range = text.firstRange(of: SignedDocument.rangePlaceholder)
        else { throw .failed(doing: "sign", reason: "the signature has no place") }
        let end = document.count + hole.upperBound
        let start = end - SignedDocument.digitCount - 2
        bytes.replaceSubrange(
            range, with: SignedDocument.rangeText(hole: start..<end, size: document.count + bytes.count))
    }
}

/// The end of a file, as far as an update must know it.
struct FileEnd {
    enum Kind { case table, stream }

    /// The offset of the last cross-reference, as the file states it.
    private(set) var lastCrossReference = 0
    private(set) var kind = Kind.table

    /// The number of last bytes in which poppler and MuPDF look for the end; libqpdf looks in 1054.
    private static let searched = 1024
    private static let white: Set<UInt8> = [0, 9, 10, 12, 13, 32]

    /// The end of a file that is not read yet.
    init() {}

    /// - Parameter document: a file that libqpdf could read without repairing it.
    /// - Throws: ``PDFError/damaged(reason:)`` if readers could take different revisions for the last one: poppler and
    ///   MuPDF take the last bytes `startxref`, whatever follows them; libqpdf takes the last such word with a number.
    ///   The same error if bytes precede the header: libqpdf and poppler count offsets from the header, MuPDF also
    ///   counts the signed range from there, and pyHanko reads no such file.
    init(_ document: [UInt8]) throws(PDFError) {
        guard Self.isHeader(document.prefix(8)) else {
            throw .damaged(reason: "the file does not begin with %PDF- and a version")
        }
        let end = document.suffix(Self.searched)
        guard let word = end.ranges(of: Array("startxref".utf8)).last else {
            throw .damaged(reason: "there is no startxref at the end")
        }
        let before = document[..<word.lowerBound].last
        let afterWord = document[word.upperBound...]
        let start = afterWord.drop { Self.white.contains($0) }
        let digits = start.prefix(11).prefix { (48...57).contains($0) }
        let afterDigits = document[digits.endIndex...]
        let mark = afterDigits.drop { Self.white.contains($0) }
        guard let before, Self.white.contains(before) || before == UInt8(ascii: ">"),
            start.startIndex > afterWord.startIndex, mark.startIndex > afterDigits.startIndex,
            mark.starts(with: "%%EOF".utf8)
        else { throw .damaged(reason: "the last startxref is not followed by an offset and %%EOF") }
        guard let offset = Int(String(decoding: digits, as: UTF8.self)), offset < document.count else {
            throw .damaged(reason: "startxref has no offset")
        }
        lastCrossReference = offset
        let there = document[offset...].prefix(64).drop { Self.white.contains($0) }
        kind = there.starts(with: Array("xref".utf8)) ? .table : .stream
    }

    /// Whether the bytes are a header as libqpdf demands it; if not, libqpdf takes later bytes for the header.
    /// - Parameter bytes: the first 8 of a file.
    private static func isHeader(_ bytes: ArraySlice<UInt8>) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return bytes.count == 8 && bytes.starts(with: "%PDF-".utf8) && digits.contains(bytes[5])
            && bytes[6] == UInt8(ascii: ".") && digits.contains(bytes[7])
    }
}

/// The offsets of an update's objects (ISO 32000-1, 7.5.4 and 7.5.8), in both forms: a table and a stream.
enum CrossReference {
    private static func sections(_ ids: [PDFObject.ID]) -> [[PDFObject.ID]] {
        var sections: [[PDFObject.ID]] = []
        for id in ids.sorted(by: { $0.number < $1.number }) {
            if let last = sections.last?.last, last.number + 1 == id.number {
                sections[sections.count - 1].append(id)
            } else {
                sections.append([id])
            }
        }
        return sections
    }

    /// - Parameter offsets: below 10^10.
    static func table(_ offsets: [PDFObject.ID: Int]) -> [UInt8] {
        func padded(_ value: Int, _ count: Int) -> String {
            let digits = "\(value)"
            return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
        }
        var text = "xref\n"
        for section in sections(Array(offsets.keys)) {
            text += "\(section[0].number) \(section.count)\n"
            for id in section { text += padded(offsets[id] ?? 0, 10) + " " + padded(id.generation, 5) + " n \n" }
        }
        return Array(text.utf8)
    }

    /// The stream's object, without its number.
    /// - Parameter offsets: below 2^32, with that of the stream itself.
    static func stream(_ offsets: [PDFObject.ID: Int], _ trailer: PDFDictionaryText) -> [UInt8] {
        var index: [String] = []
        var entries: [UInt8] = []
        for section in sections(Array(offsets.keys)) {
            index += ["\(section[0].number)", "\(section.count)"]
            for id in section {
                entries.append(1)
                let offset = UInt32(truncatingIfNeeded: offsets[id] ?? 0)
                for shift in [24, 16, 8, 0] { entries.append(UInt8(truncatingIfNeeded: offset >> UInt32(shift))) }
                entries += [UInt8(truncatingIfNeeded: id.generation >> 8), UInt8(truncatingIfNeeded: id.generation)]
            }
        }
        var dictionary = trailer
        dictionary.set("Type", "/XRef")
        dictionary.set("W", "[ 1 4 2 ]")
        dictionary.set("Index", "[ " + index.joined(separator: " ") + " ]")
        dictionary.set("Length", "\(entries.count)")
        return dictionary.text + Array("\nstream\n".utf8) + entries + Array("\nendstream".utf8)
    }
}
