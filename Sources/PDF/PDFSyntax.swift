// SPDX-License-Identifier: Apache-2.0
import CQpdf

/// Writes values as the text of a PDF file (ISO 32000-1, 7.3).
enum PDFSyntax {
    /// A name with its slash.
    /// - Parameter name: without it.
    static func name(_ name: some Sequence<UInt8>) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = [UInt8(ascii: "/")]
        for byte in name {
            if isRegular(byte) {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "#"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return text
    }

    /// Whether a byte stands for itself in a name.
    private static func isRegular(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"#()<>[]{}/%".utf8.contains(byte)
    }

    /// A text string (7.9.2.2): in ASCII if all characters are plain, else in UTF-16. No text can be taken for syntax.
    static func string(_ text: String) -> [UInt8] {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: " -_.,:+@".utf8.contains(byte)
            }
        }
        if isPlain { return Array("(\(text))".utf8) }
        var bytes: [UInt8] = [0xFE, 0xFF]
        for unit in text.utf16 { bytes += [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
        return hexadecimal(bytes)
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = [UInt8(ascii: "<")]
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return text + [UInt8(ascii: ">")]
    }

    /// A number with up to four decimals, without an exponent (7.3.3).
    /// - Throws: ``PDFError/failed(doing:reason:)`` for a magnitude of 2^31 or more, and for NaN.
    static func number(_ value: Double) throws(PDFError) -> String {
        guard value.magnitude < 2_147_483_648 else {
            throw .failed(doing: "write a number", reason: "\(value) is beyond those of PDF files")
        }
        let units = Int64((value * 10000).rounded())
        var text = "\(units.magnitude / 10000)"
        var fraction = units.magnitude % 10000
        if fraction != 0 {
            var count = 4
            while fraction % 10 == 0 {
                fraction /= 10
                count -= 1
            }
            let digits = "\(fraction)"
            text += "." + String(repeating: "0", count: count - digits.utf8.count) + digits
        }
        return units < 0 ? "-" + text : text
    }

    static func rectangle(
        _ box: (minX: Double, minY: Double, maxX: Double, maxY: Double)
    ) throws(PDFError) -> String {
        let (left, bottom) = (try number(box.minX), try number(box.minY))
        return "[ \(left) \(bottom) \(try number(box.maxX)) \(try number(box.maxY)) ]"
    }

    static func reference(_ id: PDFObject.ID) -> String { "\(id.number) \(id.generation) R" }

    /// A date of UTC (7.9.4).
    /// - Parameter time: seconds since 1970, from there to the end of the year 9999.
    static func date(_ time: Int64) -> String {
        func padded(_ value: Int64, _ count: Int) -> String {
            let digits = "\(value)"
            return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
        }
        // Days of eras of 400 years that begin in March (H. Hinnant, "chrono-compatible low-level date algorithms").
        let days = time / 86400 + 719_468
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let second = time % 86400
        return "D:" + padded(year, 4) + padded(month, 2) + padded(day, 2) + padded(second / 3600, 2)
            + padded(second / 60 % 60, 2) + padded(second % 60, 2) + "Z"
    }
}

/// A dictionary as text, whose entries can be changed. libqpdf's own objects stay as they are: a change of an object
/// would show wherever it is used.
struct PDFDictionaryText {
    private var entries: [(key: [UInt8], value: [UInt8])] = []

    init() {}

    /// The entries of a dictionary, or of a stream's dictionary.
    init(_ object: PDFObject, level: Int = 0) {
        let dictionary = object.dictionary
        guard dictionary.isDictionary else { return }
        for key in dictionary.keys {
            entries.append((key, dictionary[key].text(isResolved: false, level: level)))
        }
    }

    /// The text of an entry; nil if there is no such entry. Setting nil removes the entry.
    /// - Parameter key: without the slash.
    subscript(key: String) -> [UInt8]? {
        get { entries.first { $0.key.elementsEqual(key.utf8) }?.value }
        set {
            let place = entries.firstIndex { $0.key.elementsEqual(key.utf8) }
            switch (place, newValue) {
            case (let place?, let value?): entries[place].value = value
            case (let place?, nil): entries.remove(at: place)
            case (nil, let value?): entries.append((Array(key.utf8), value))
            case (nil, nil): break
            }
        }
    }

    /// The keys, without slashes.
    var keys: [[UInt8]] { entries.map(\.key) }

    mutating func set(_ key: String, _ text: String) { self[key] = Array(text.utf8) }

    var text: [UInt8] {
        var text = Array("<<".utf8)
        for (key, value) in entries {
            text.append(UInt8(ascii: " "))
            text += PDFSyntax.name(key)
            text.append(UInt8(ascii: " "))
            text += value
        }
        return text + Array(" >>".utf8)
    }
}

extension PDFObject {
    /// The most levels of arrays and dictionaries within an object that are written.
    private static let mostLevels = 64

    /// The text of the object, byte by byte: strings need not be UTF-8. Names are written here, because libqpdf (at
    /// least 11.3) writes a name with a "#" as another name.
    /// - Parameter isResolved: true for the contents of an indirect object, false for a reference to it.
    func text(isResolved: Bool, level: Int = 0) -> [UInt8] {
        if !isResolved, let id { return Array(PDFSyntax.reference(id).utf8) }
        if level < Self.mostLevels, isDictionary { return PDFDictionaryText(self, level: level + 1).text }
        if level < Self.mostLevels, isArray {
            var text = Array("[ ".utf8)
            for index in 0..<count {
                text += self[index].text(isResolved: false, level: level + 1)
                text.append(UInt8(ascii: " "))
            }
            return text + [UInt8(ascii: "]")]
        }
        if let bytes { return PDFSyntax.hexadecimal(bytes) }
        if let nameBytes { return PDFSyntax.name(nameBytes) }
        return call { qpdf_oh_unparse_resolved($0, $1).map { bytesOfText($0) } } ?? Array("null".utf8)
    }

    /// The text of an array with more elements at its end.
    /// - Parameter others: objects in the place of elements with these numbers.
    func arrayText(with others: [ID: PDFObject] = [:], appending elements: [String] = []) -> [UInt8] {
        var text = Array("[ ".utf8)
        for index in 0..<count {
            let element = self[index]
            text += (element.id.flatMap { others[$0] } ?? element).text(isResolved: false, level: 1)
            text.append(UInt8(ascii: " "))
        }
        return text + Array((elements.joined(separator: " ") + " ]").utf8)
    }

    /// Whether an array has a reference to the object with this number.
    func contains(_ id: ID) -> Bool {
        (0..<count).contains { self[$0].id == id }
    }
}

/// The bytes of a C string.
func bytesOfText(_ start: UnsafePointer<CChar>) -> [UInt8] {
    var bytes: [UInt8] = []
    var place = start
    while place.pointee != 0 {
        bytes.append(UInt8(bitPattern: place.pointee))
        place += 1
    }
    return bytes
}
