// SPDX-License-Identifier: Apache-2.0
import CQpdf
import Document

/// A PDF file in memory, as libqpdf reads it. It belongs to one thread.
///
/// libqpdf reads objects only when they are asked for, so damage shows late: call ``check()`` after reading, before any
/// value is used.
final class PDFFile {
    /// libqpdf's handle of the file, for calls that this type does not wrap.
    let data: qpdf_data
    /// The file, which libqpdf does not copy.
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    /// The number of warnings and errors that ``check()`` has seen.
    private(set) var warningCount = 0
    /// The end of the file, on which all readers agree.
    private(set) var end = FileEnd()
    /// The places of the file's objects.
    private(set) var structure = FileStructure()

    /// Reads the table of objects and the trailer.
    /// - Throws: ``PDFError/tooLarge(byteCount:)``, ``PDFError/noPDF``, ``PDFError/encrypted``,
    ///   ``PDFError/damaged(reason:)``
    init(_ document: [UInt8], longest: Int = PDFLimits.byteCount) throws(PDFError) {
        if document.count > longest { throw .tooLarge(byteCount: document.count) }
        // libqpdf looks for the header in the first 1024 bytes.
        if document.prefix(1024).firstRange(of: Array("%PDF-".utf8)) == nil { throw .noPDF }
        bytes = .allocate(capacity: document.count)
        _ = bytes.initialize(from: document)
        data = qpdf_init()
        qpdf_silence_errors(data)
        qpdf_set_suppress_warnings(data, QPDF_TRUE)
        // Repairing a damaged file is guessing, and takes long.
        qpdf_set_attempt_recovery(data, QPDF_FALSE)
        let count = UInt64(document.count)
        let status = bytes.withMemoryRebound(to: CChar.self) { buffer in
            qpdf_read_memory(data, "document", buffer.baseAddress, count, nil)
        }
        if status & QPDF_ERROR_CODE(QPDF_ERRORS) != 0 {
            let error = qpdf_get_error(data)
            if qpdf_get_error_code(data, error) == qpdf_e_password { throw .encrypted }
            throw .damaged(reason: text(of: error))
        }
        if qpdf_is_encrypted(data) != 0 { throw .encrypted }
        try check()
        end = try FileEnd(document)
        structure = try FileStructure(document, lastCrossReference: end.lastCrossReference)
        try structure.checkStreams(of: self)
        try check()
    }

    deinit {
        // libqpdf writes an error that was not fetched to standard error.
        if qpdf_has_error(data) != 0 { _ = qpdf_get_error(data) }
        var data: qpdf_data? = data
        qpdf_cleanup(&data)
        bytes.deallocate()
    }

    /// Finds out whether libqpdf had to complain since the last call.
    /// - Throws: ``PDFError/damaged(reason:)`` with its first complaint.
    func check() throws(PDFError) {
        var first: String?
        while qpdf_more_warnings(data) != 0 {
            let warning = qpdf_next_warning(data)
            warningCount += 1
            if first == nil { first = text(of: warning) }
        }
        if qpdf_has_error(data) != 0 {
            warningCount += 1
            // Fetching the error marks it as read, as with warnings.
            let error = text(of: qpdf_get_error(data))
            if first == nil { first = error }
        }
        if let first { throw .damaged(reason: first) }
    }

    private func text(of error: qpdf_error?) -> String {
        guard let error, let text = qpdf_get_error_message_detail(data, error) else { return "unknown reason" }
        return PlainText.printable(String(cString: text), atMost: 200)
    }

    var trailer: PDFObject { object(qpdf_get_trailer(data)) }
    /// The catalogue.
    var root: PDFObject { object(qpdf_get_root(data)) }

    func object(_ handle: qpdf_oh) -> PDFObject { PDFObject(file: self, handle: handle) }

    /// The object with this number; null if the file has no such object.
    func object(_ id: PDFObject.ID) -> PDFObject {
        object(qpdf_get_object_by_id(data, CInt(id.number), CInt(id.generation)))
    }
}

/// An object in a file, or null. Looking for something in an object of another kind finds null.
struct PDFObject {
    /// The number and generation that identify an indirect object in the file.
    struct ID: Hashable {
        var number: Int
        var generation: Int
    }

    /// One of libqpdf's handles. It is freed with the last value that has it: a handle that two had would be freed too
    /// early, and handles that nobody frees take memory for each visit of an object.
    private final class Handle {
        let file: PDFFile
        let number: qpdf_oh

        init(_ file: PDFFile, _ number: qpdf_oh) { (self.file, self.number) = (file, number) }

        deinit { qpdf_oh_release(file.data, number) }
    }

    private let handle: Handle
    var file: PDFFile { handle.file }

    /// - Parameter handle: libqpdf's, which this object frees.
    init(file: PDFFile, handle: qpdf_oh) { self.handle = Handle(file, handle) }

    /// Calls libqpdf with the handle, which stays valid meanwhile.
    func call<Result>(_ body: (qpdf_data, qpdf_oh) -> Result) -> Result {
        withExtendedLifetime(handle) { body(handle.file.data, handle.number) }
    }

    /// Whether libqpdf says so.
    private func isSo(_ question: (qpdf_data, qpdf_oh) -> QPDF_BOOL) -> Bool { call(question) != 0 }

    // MARK: kinds

    var isNull: Bool { !isSo(qpdf_oh_is_initialized) || isSo(qpdf_oh_is_null) }
    /// Not true for streams, whose dictionaries can be read the same way.
    var isDictionary: Bool { isSo(qpdf_oh_is_dictionary) }
    var isArray: Bool { isSo(qpdf_oh_is_array) }
    var isStream: Bool { isSo(qpdf_oh_is_stream) }

    /// nil for direct objects.
    var id: ID? {
        guard isSo(qpdf_oh_is_indirect) else { return nil }
        return ID(number: Int(call(qpdf_oh_get_object_id)), generation: Int(call(qpdf_oh_get_generation)))
    }

    // MARK: dictionaries and arrays

    /// The dictionary of a stream; else the object itself.
    var dictionary: PDFObject { isStream ? file.object(call(qpdf_oh_get_dict)) : self }

    private var null: PDFObject { file.object(qpdf_oh_new_null(file.data)) }

    /// A value of a dictionary, or of a stream's dictionary.
    /// - Parameter key: without the slash.
    subscript(key: String) -> PDFObject { self[Array(key.utf8)] }

    /// The value of one of ``keys``.
    subscript(key: [UInt8]) -> PDFObject {
        let dictionary = dictionary
        // libqpdf warns of keys of other objects, as of a damaged file.
        guard dictionary.isDictionary else { return null }
        let text = [CChar(bitPattern: UInt8(ascii: "/"))] + key.map { CChar(bitPattern: $0) } + [0]
        return file.object(dictionary.call { qpdf_oh_get_key($0, $1, text) })
    }

    /// Whether there is a value for a key, other than null.
    func has(_ key: String) -> Bool {
        let dictionary = dictionary
        return dictionary.isDictionary && dictionary.isSo { qpdf_oh_has_key($0, $1, "/" + key) }
    }

    /// The keys of a dictionary, or of a stream's dictionary, without slashes: bytes, which need not be UTF-8.
    var keys: [[UInt8]] {
        let dictionary = dictionary
        guard dictionary.isDictionary else { return [] }
        return dictionary.call { data, handle in
            var keys: [[UInt8]] = []
            qpdf_oh_begin_dict_key_iter(data, handle)
            while qpdf_oh_dict_more_keys(data) != 0 {
                guard let key = qpdf_oh_dict_next_key(data) else { break }
                keys.append(Array(bytesOfText(key).dropFirst()))
            }
            return keys
        }
    }

    /// How many elements an array has; 0 for other objects.
    var count: Int { isArray ? Int(call(qpdf_oh_get_array_n_items)) : 0 }

    /// An element of an array; null beyond its end.
    subscript(index: Int) -> PDFObject {
        // libqpdf warns of an index beyond the end, as of a damaged file.
        guard (0..<count).contains(index) else { return null }
        return file.object(call { qpdf_oh_get_array_item($0, $1, CInt(index)) })
    }

    // MARK: values

    /// A name without its slash.
    var name: String? {
        guard isSo(qpdf_oh_is_name) else { return nil }
        // libqpdf keeps the text until the next call.
        return call { qpdf_oh_get_name($0, $1).map { String(String(cString: $0).dropFirst()) } }
    }

    /// The bytes of a name without its slash.
    var nameBytes: [UInt8]? {
        guard isSo(qpdf_oh_is_name) else { return nil }
        return call { qpdf_oh_get_name($0, $1).map { Array(bytesOfText($0).dropFirst()) } }
    }

    /// A number, finite.
    var number: Double? {
        var value = 0.0
        guard isSo({ qpdf_oh_get_value_as_number($0, $1, &value) }), value.isFinite else { return nil }
        return value
    }

    var integer: Int? {
        var value: CLongLong = 0
        guard isSo(qpdf_oh_is_integer) else { return nil }
        return isSo { qpdf_oh_get_value_as_longlong($0, $1, &value) } ? Int(value) : nil
    }

    var flag: Bool? { isSo(qpdf_oh_is_bool) ? isSo(qpdf_oh_get_bool_value) : nil }

    /// A text string (ISO 32000-1, 7.9.2.2).
    var text: String? {
        string(qpdf_oh_get_binary_utf8_value).map { String(decoding: $0, as: UTF8.self).withoutLanguageEscapes }
    }

    /// The bytes of a string.
    var bytes: [UInt8]? { string(qpdf_oh_get_binary_string_value) }

    private func string(
        _ value: (qpdf_data, qpdf_oh, UnsafeMutablePointer<Int>) -> UnsafePointer<CChar>?
    ) -> [UInt8]? {
        guard isSo(qpdf_oh_is_string) else { return nil }
        var count = 0
        return call { data, handle in
            value(data, handle, &count).map { Array(UnsafeRawBufferPointer(start: $0, count: count)) }
        }
    }

    /// Four numbers as a rectangle, whichever opposite corners they name (ISO 32000-1, 7.9.5).
    var rectangle: (minX: Double, minY: Double, maxX: Double, maxY: Double)? {
        guard count == 4, let a = self[0].number, let b = self[1].number, let c = self[2].number,
            let d = self[3].number
        else { return nil }
        return (min(a, c), min(b, d), max(a, c), max(b, d))
    }

    // MARK: text of the file

    /// The text of the object within another one: a reference if it is indirect.
    var unparsed: String { call { qpdf_oh_unparse($0, $1).map { String(cString: $0) } } ?? "null" }
    /// The text of its contents, even if it is indirect; for a stream, of its dictionary.
    var unparsedContents: String { call { qpdf_oh_unparse_resolved($0, $1).map { String(cString: $0) } } ?? "null" }
}
