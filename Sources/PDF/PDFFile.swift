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

    /// Frees libqpdf's handles of all objects; no ``PDFObject`` from before may be used any more. The file keeps its
    /// objects.
    func releaseObjects() { qpdf_oh_release_all(data) }
}

/// An object in a file, or null. Looking for something in an object of another kind finds null.
struct PDFObject {
    /// The number and generation that identify an indirect object in the file.
    struct ID: Hashable {
        var number: Int
        var generation: Int
    }

    let file: PDFFile
    /// Valid until ``release()``, and at most as long as the file.
    let handle: qpdf_oh
    private var data: qpdf_data { file.data }

    init(file: PDFFile, handle: qpdf_oh) {
        self.file = file
        self.handle = handle
    }

    /// Frees the handle. Without it, handles stay until the file ends.
    func release() { qpdf_oh_release(data, handle) }

    // MARK: kinds

    var isNull: Bool { qpdf_oh_is_initialized(data, handle) == 0 || qpdf_oh_is_null(data, handle) != 0 }
    /// Not true for streams, whose dictionaries can be read the same way.
    var isDictionary: Bool { qpdf_oh_is_dictionary(data, handle) != 0 }
    var isArray: Bool { qpdf_oh_is_array(data, handle) != 0 }
    var isStream: Bool { qpdf_oh_is_stream(data, handle) != 0 }

    /// nil for direct objects.
    var id: ID? {
        guard qpdf_oh_is_indirect(data, handle) != 0 else { return nil }
        return ID(
            number: Int(qpdf_oh_get_object_id(data, handle)), generation: Int(qpdf_oh_get_generation(data, handle)))
    }

    // MARK: dictionaries and arrays

    /// The dictionary of a stream; else the object itself.
    var dictionary: PDFObject { isStream ? file.object(qpdf_oh_get_dict(data, handle)) : self }

    /// A value of a dictionary, or of a stream's dictionary.
    /// - Parameter key: without the slash.
    subscript(key: String) -> PDFObject {
        let dictionary = dictionary
        defer { if isStream { dictionary.release() } }
        // libqpdf warns of keys of other objects, as of a damaged file.
        guard dictionary.isDictionary else { return file.object(qpdf_oh_new_null(data)) }
        return file.object(qpdf_oh_get_key(data, dictionary.handle, "/" + key))
    }

    /// The value of one of ``keys``.
    subscript(key: [UInt8]) -> PDFObject {
        let dictionary = dictionary
        defer { if isStream { dictionary.release() } }
        guard dictionary.isDictionary else { return file.object(qpdf_oh_new_null(data)) }
        let text = [CChar(bitPattern: UInt8(ascii: "/"))] + key.map { CChar(bitPattern: $0) } + [0]
        return file.object(qpdf_oh_get_key(data, dictionary.handle, text))
    }

    /// Whether there is a value for a key, other than null.
    func has(_ key: String) -> Bool {
        let dictionary = dictionary
        defer { if isStream { dictionary.release() } }
        return dictionary.isDictionary && qpdf_oh_has_key(data, dictionary.handle, "/" + key) != 0
    }

    /// The value of a key as a name. The handle of the value is freed.
    func name(of key: String) -> String? {
        guard has(key) else { return nil }
        let value = self[key]
        defer { value.release() }
        return value.name
    }

    /// The keys of a dictionary, or of a stream's dictionary, without slashes: bytes, which need not be UTF-8.
    var keys: [[UInt8]] {
        let dictionary = dictionary
        defer { if isStream { dictionary.release() } }
        guard dictionary.isDictionary else { return [] }
        var keys: [[UInt8]] = []
        qpdf_oh_begin_dict_key_iter(data, dictionary.handle)
        while qpdf_oh_dict_more_keys(data) != 0 {
            guard let key = qpdf_oh_dict_next_key(data) else { break }
            keys.append(Array(bytesOfText(key).dropFirst()))
        }
        return keys
    }

    /// How many elements an array has; 0 for other objects.
    var count: Int { isArray ? Int(qpdf_oh_get_array_n_items(data, handle)) : 0 }

    /// An element of an array; null beyond its end.
    subscript(index: Int) -> PDFObject {
        // libqpdf warns of an index beyond the end, as of a damaged file.
        guard (0..<count).contains(index) else { return file.object(qpdf_oh_new_null(data)) }
        return file.object(qpdf_oh_get_array_item(data, handle, CInt(index)))
    }

    // MARK: values

    /// A name without its slash.
    var name: String? {
        guard qpdf_oh_is_name(data, handle) != 0, let text = qpdf_oh_get_name(data, handle) else { return nil }
        return String(String(cString: text).dropFirst())
    }

    /// A number, finite.
    var number: Double? {
        var value = 0.0
        guard qpdf_oh_get_value_as_number(data, handle, &value) != 0, value.isFinite else { return nil }
        return value
    }

    var integer: Int? {
        var value: CLongLong = 0
        guard qpdf_oh_is_integer(data, handle) != 0 else { return nil }
        return qpdf_oh_get_value_as_longlong(data, handle, &value) != 0 ? Int(value) : nil
    }

    var flag: Bool? {
        qpdf_oh_is_bool(data, handle) != 0 ? qpdf_oh_get_bool_value(data, handle) != 0 : nil
    }

    /// A text string (ISO 32000-1, 7.9.2.2).
    var text: String? {
        guard isString else { return nil }
        var count = 0
        guard let start = qpdf_oh_get_binary_utf8_value(data, handle, &count) else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The bytes of a string.
    var bytes: [UInt8]? {
        guard isString else { return nil }
        var count = 0
        guard let start = qpdf_oh_get_binary_string_value(data, handle, &count) else { return nil }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private var isString: Bool { qpdf_oh_is_string(data, handle) != 0 }

    /// Four numbers as a rectangle, whichever opposite corners they name (ISO 32000-1, 7.9.5).
    var rectangle: (minX: Double, minY: Double, maxX: Double, maxY: Double)? {
        guard count == 4, let a = self[0].number, let b = self[1].number, let c = self[2].number,
            let d = self[3].number
        else { return nil }
        return (min(a, c), min(b, d), max(a, c), max(b, d))
    }

    // MARK: text of the file

    /// The text of the object within another one: a reference if it is indirect.
    var unparsed: String { qpdf_oh_unparse(data, handle).map { String(cString: $0) } ?? "null" }
    /// The text of its contents, even if it is indirect; for a stream, of its dictionary.
    var unparsedContents: String { qpdf_oh_unparse_resolved(data, handle).map { String(cString: $0) } ?? "null" }
}
