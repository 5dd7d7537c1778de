// SPDX-License-Identifier: Apache-2.0
import CQpdf
import CZlib
import Glibc

/// The tables that say where a file has its objects (ISO 32000-1, 7.5.4, 7.5.7 and 7.5.8), read from the bytes. A
/// table that contradicts itself is another document for each of libqpdf, poppler, MuPDF and PDFium, and none of them
/// says so.
struct FileStructure {
    enum Entry: Equatable {
        case free
        case object(offset: Int, generation: Int)
        case compressed(stream: Int, index: Int)
    }

    /// The entries of all objects in the last revision.
    private(set) var entries: [Int: Entry] = [:]
    /// The numbers of objects that only readers find that know hybrid files (7.5.8.4).
    private(set) var hidden: Set<Int> = []

    private static let mostSections = 4096
    private static let mostEntries = 4_000_000
    private static let mostNumber = 8_388_607

    /// The structure of a file that is not read yet.
    init() {}

    /// - Parameter offset: of the last cross-reference.
    /// - Throws: ``PDFError/damaged(reason:)``, ``PDFError/tooComplex(reason:)``
    init(_ document: [UInt8], lastCrossReference offset: Int) throws(PDFError) {
        var next: Int? = offset
        var seen: Set<Int> = []
        var count = 0
        while let offset = next {
            guard seen.insert(offset).inserted else { throw .damaged(reason: "its tables of objects go in a circle") }
            guard seen.count <= Self.mostSections else { throw .tooComplex(reason: "it has very many revisions") }
            var section = try Section(document, at: offset)
            if let other = section.trailer["XRefStm"]?.integer { try join(&section, try Section(document, at: other)) }
            for (number, entry) in section.entries where entries[number] == nil { entries[number] = entry }
            count += section.entries.count
            guard count <= Self.mostEntries else { throw .tooComplex(reason: "it has very many objects") }
            next = section.trailer["Prev"]?.integer
        }
    }

    /// Adds the stream of a hybrid section to its table. Readers that know both look into the table first.
    private mutating func join(_ section: inout Section, _ stream: Section) throws(PDFError) {
        for (number, entry) in stream.entries where entry != .free {
            switch section.entries[number] {
            case nil, .free:
                if entries[number] == nil { hidden.insert(number) }
                section.entries[number] = entry
            case entry: break
            default: throw .damaged(reason: "its two tables have object \(number) in different places")
            }
        }
    }

    /// Checks that object streams have the objects that the tables say, where they say it. Readers look for an object
    /// by its number or by its index.
    func checkStreams(of file: PDFFile) throws(PDFError) {
        var streams: [Int: [(number: Int, index: Int)]] = [:]
        for case (let number, .compressed(let stream, let index)) in entries {
            streams[stream, default: []].append((number, index))
        }
        for (stream, objects) in streams {
            guard case .object(_, 0)? = entries[stream] else {
                throw .damaged(reason: "object stream \(stream) is not an object of its own")
            }
            let numbers = try Self.numbers(in: file.object(PDFObject.ID(number: stream, generation: 0)), stream)
            for (number, index) in objects {
                guard numbers.indices.contains(index), numbers[index] == number else {
                    throw .damaged(reason: "object \(number) is not where the table says, in object stream \(stream)")
                }
            }
        }
    }

    /// The numbers of the objects in an object stream.
    private static func numbers(in stream: PDFObject, _ number: Int) throws(PDFError) -> [Int] {
        let damaged = PDFError.damaged(reason: "object stream \(number) has a wrong list of its objects")
        guard stream.isStream, let count = stream["N"].integer, let first = stream["First"].integer,
            (0...mostNumber).contains(count), first >= 0, let head = stream.decoded(atMost: first)
        else { throw damaged }
        var text = Scanner(head, 0)
        var numbers: [Int] = []
        var places: Set<Int> = []
        for _ in 0..<count {
            guard let number = text.integer(), let place = text.integer(), places.insert(place).inserted else {
                throw damaged
            }
            numbers.append(number)
        }
        guard Set(numbers).count == count else { throw damaged }
        return numbers
    }

    /// Checks that a reference has the generation of its object: some readers ignore it.
    func check(_ id: PDFObject.ID) throws(PDFError) {
        let generation: Int
        switch entries[id.number] {
        case .object(_, let own): generation = own
        case .compressed: generation = 0
        case .free, nil: return
        }
        guard id.generation == generation else {
            throw .damaged(reason: "object \(id.number) is referred to with another generation than it has")
        }
    }
}

extension PDFObject {
    /// The first bytes of a stream's decoded data; nil if there are fewer.
    fileprivate func decoded(atMost count: Int) -> [UInt8]? {
        var data: UnsafeMutablePointer<UInt8>?
        var length = 0
        let status = call { qpdf_oh_get_stream_data($0, $1, qpdf_dl_generalized, nil, &data, &length) }
        defer { free(data) }
        guard status & QPDF_ERROR_CODE(QPDF_ERRORS) == 0, length >= count, let data else { return nil }
        return Array(UnsafeBufferPointer(start: data, count: count))
    }
}

/// A table or stream of one revision.
private struct Section {
    var entries: [Int: FileStructure.Entry] = [:]
    private(set) var trailer = Value.other

    private static let damaged = PDFError.damaged(reason: "a table of its objects cannot be read")
    private static let numbers = 0...8_388_607

    init(_ document: [UInt8], at offset: Int) throws(PDFError) {
        guard document.indices.contains(offset) else { throw Self.damaged }
        var text = Scanner(document, offset)
        if text.skip("xref") {
            try readTable(&text)
        } else {
            try readStream(&text, document)
        }
    }

    private mutating func add(_ entry: FileStructure.Entry, _ number: Int) throws(PDFError) {
        guard entries[number] ?? entry == entry else { throw .damaged(reason: "object \(number) is twice in a table") }
        entries[number] = entry
    }

    private mutating func readTable(_ text: inout Scanner) throws(PDFError) {
        while !text.skip("trailer") {
            guard let first = text.integer(), let count = text.integer(), Self.numbers.contains(first),
                Self.numbers.contains(count), Self.numbers.contains(first + count)
            else { throw Self.damaged }
            for number in first..<first + count {
                guard let offset = text.integer(), let generation = text.integer() else { throw Self.damaged }
                if text.skip("n") {
                    try add(.object(offset: offset, generation: generation), number)
                } else if text.skip("f") {
                    try add(.free, number)
                } else {
                    throw Self.damaged
                }
            }
        }
        guard let trailer = text.value() else { throw Self.damaged }
        self.trailer = trailer
    }

    private mutating func readStream(_ text: inout Scanner, _ document: [UInt8]) throws(PDFError) {
        guard text.integer() != nil, text.integer() != nil, text.skip("obj"), let dictionary = text.value(),
            text.skip("stream"), let length = dictionary["Length"]?.integer,
            let widths = dictionary["W"]?.integers, widths.count == 3, widths.allSatisfy({ (0...8).contains($0) }),
            let size = dictionary["Size"]?.integer
        else { throw Self.damaged }
        trailer = dictionary
        let index = dictionary["Index"]?.integers ?? [0, size]
        let row = widths.reduce(0, +)
        var count = 0
        for place in stride(from: 0, to: index.count, by: 2) {
            guard place + 1 < index.count, index[place...place + 1].allSatisfy({ Self.numbers.contains($0) }),
                Self.numbers.contains(index[place] + index[place + 1])
            else { throw Self.damaged }
            count += index[place + 1]
        }
        guard row > 0, Self.numbers.contains(count), length >= 0, let start = text.startOfData,
            length <= document.count - start,
            let data = dictionary.data(document[start..<start + length], count: count, row: row)
        else { throw Self.damaged }
        var at = 0
        func field(_ number: Int, else missing: Int) -> Int {
            if widths[number] == 0 { return missing }
            defer { at += widths[number] }
            // Numbers beyond 2^62 wrap; they are no offsets of this file anyway.
            return Int(truncatingIfNeeded: data[at..<at + widths[number]].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        for place in stride(from: 0, to: index.count, by: 2) {
            for number in index[place]..<index[place] + index[place + 1] {
                let (kind, second, third) = (field(0, else: 1), field(1, else: 0), field(2, else: 0))
                switch kind {
                case 0: try add(.free, number)
                case 1: try add(.object(offset: second, generation: third), number)
                case 2: try add(.compressed(stream: second, index: third), number)
                // Other kinds are references to nothing (table 18).
                default: try add(.free, number)
                }
            }
        }
    }
}

/// A value in the dictionary of a table, as far as it matters there.
private indirect enum Value {
    case integer(Int)
    case name(String)
    case list([Value])
    case dictionary([String: Value])
    case other

    subscript(key: String) -> Value? { if case .dictionary(let entries) = self { entries[key] } else { nil } }

    var integer: Int? { if case .integer(let number) = self { number } else { nil } }

    var integers: [Int]? {
        guard case .list(let values) = self else { return nil }
        let numbers = values.compactMap(\.integer)
        return numbers.count == values.count ? numbers : nil
    }

    /// The filter and its parameters of a stream's dictionary: those of the only one, if it is a list.
    private func only(_ key: String) -> Value? {
        guard case .list(let values)? = self[key] else { return self[key] }
        return values.count == 1 ? values[0] : .other
    }

    /// The decoded data of a cross-reference stream; nil if they are fewer, or have other filters than writers use.
    /// - Parameters:
    ///   - count: of rows.
    ///   - row: bytes of one.
    func data(_ bytes: ArraySlice<UInt8>, count: Int, row: Int) -> [UInt8]? {
        guard let filter = only("Filter") else { return bytes.count >= count * row ? Array(bytes) : nil }
        guard case .name("FlateDecode") = filter else { return nil }
        let parameters = only("DecodeParms")
        let predictor = parameters?["Predictor"]?.integer ?? 1
        guard predictor == 1 || (10...15).contains(predictor) && parameters?["Columns"]?.integer == row else {
            return nil
        }
        let stored = predictor == 1 ? row : row + 1
        // Some writers add bytes at the end.
        var data = [UInt8](repeating: 0, count: count * stored + 4096)
        var length = uLongf(data.count)
        let status = bytes.withUnsafeBufferPointer { uncompress(&data, &length, $0.baseAddress, uLong($0.count)) }
        guard status == Z_OK, Int(length) >= count * stored else { return nil }
        return predictor == 1 ? data : Self.unfiltered(data, count: count, row: row)
    }

    /// Takes back PNG's filters (7.4.4.4), of which writers use "none", "sub" and "up" here.
    private static func unfiltered(_ data: [UInt8], count: Int, row: Int) -> [UInt8]? {
        var result = [UInt8](repeating: 0, count: count * row)
        for line in 0..<count {
            let (from, to) = (line * (row + 1) + 1, line * row)
            let kind = data[from - 1]
            guard kind <= 2 else { return nil }
            for place in 0..<row {
                let left = place == 0 ? 0 : result[to + place - 1]
                let above = line == 0 ? 0 : result[to + place - row]
                result[to + place] = data[from + place] &+ (kind == 0 ? 0 : kind == 1 ? left : above)
            }
        }
        return result
    }
}

/// Reads the values of tables of objects.
private struct Scanner {
    private let bytes: [UInt8]
    private var at: Int
    private static let mostLevels = 32

    init(_ bytes: [UInt8], _ at: Int) { (self.bytes, self.at) = (bytes, at) }

    private static func isRegular(_ byte: UInt8) -> Bool {
        ![0, 9, 10, 12, 13, 32].contains(byte) && !"()<>[]{}/%".utf8.contains(byte)
    }

    private mutating func skipWhite() {
        while at < bytes.count {
            if bytes[at] == UInt8(ascii: "%") {
                while at < bytes.count, bytes[at] != 10, bytes[at] != 13 { at += 1 }
            } else if [0, 9, 10, 12, 13, 32].contains(bytes[at]) {
                at += 1
            } else {
                return
            }
        }
    }

    /// Goes beyond some bytes if they are the next ones.
    mutating func skip(_ word: String) -> Bool {
        skipWhite()
        guard bytes[at...].starts(with: word.utf8) else { return false }
        at += word.utf8.count
        return true
    }

    mutating func integer() -> Int? {
        skipWhite()
        let start = at
        while at < bytes.count, at - start < 19, (48...57).contains(bytes[at]) { at += 1 }
        return Int(String(decoding: bytes[start..<at], as: UTF8.self))
    }

    /// The offset of a stream's data, after the word `stream` (7.3.8.1).
    var startOfData: Int? {
        if bytes[at...].starts(with: [13, 10]) { return at + 2 }
        return bytes[at...].first == 10 ? at + 1 : nil
    }

    private mutating func word() -> String {
        let start = at
        while at < bytes.count, Self.isRegular(bytes[at]) { at += 1 }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    /// - Returns: nil at the end of the bytes, and for a part of a value.
    mutating func value(level: Int = 0) -> Value? {
        guard level < Self.mostLevels else { return nil }
        if skip("<<") { return dictionary(level) }
        skipWhite()
        guard at < bytes.count else { return nil }
        switch bytes[at] {
        case UInt8(ascii: "/"):
            at += 1
            return .name(word())
        case UInt8(ascii: "["):
            at += 1
            var values: [Value] = []
            while !skip("]") {
                guard let value = value(level: level + 1) else { return nil }
                values.append(value)
            }
            return .list(values)
        case UInt8(ascii: "<"):
            guard let end = bytes[at...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
            at = end + 1
            return .other
        case UInt8(ascii: "("): return skipString() ? .other : nil
        default:
            let text = word()
            guard !text.isEmpty else { return nil }
            let end = at
            // A reference.
            if Int(text) != nil, integer() != nil, skip("R") { return .other }
            at = end
            return Int(text).map { .integer($0) } ?? .other
        }
    }

    private mutating func dictionary(_ level: Int) -> Value? {
        var entries: [String: Value] = [:]
        while !skip(">>") {
            guard case .name(let key)? = value(level: level + 1), let value = value(level: level + 1) else {
                return nil
            }
            entries[key] = value
        }
        return .dictionary(entries)
    }

    /// Goes beyond a string in parentheses (7.3.4.2).
    private mutating func skipString() -> Bool {
        var depth = 0
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "\\"): at += 1
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            default: break
            }
            at += 1
            if depth == 0 { return true }
        }
        return false
    }
}
