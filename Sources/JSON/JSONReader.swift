// SPDX-License-Identifier: Apache-2.0

/// Reads one JSON text in the one way that every reader reads it, or refuses it.
///
/// The text is UTF-8 without a byte order mark and follows the grammar of RFC 8259. Beyond that, what readers take
/// differently is refused: a name twice in an object, half of a surrogate pair, whole numbers beyond 64 bits, other
/// numbers that no double comes near, values nested deeper than ``deepest``, very many combining marks in a row.
///
/// Names that are canonically equivalent (Unicode, UAX 15) count as the same, as Swift compares them.
public struct JSONReader {
    /// Levels of nesting that are read.
    public static let deepest = 16
    /// The longest number, in bytes. Doubles need 24.
    private static let longestNumber = 64

    private let text: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var depth = 0

    /// Reads a whole text.
    /// - Parameter body: reads the value. Only white space may be left after it.
    public static func read<Value>(
        _ text: some Collection<UInt8>, _ body: (inout JSONReader) throws(JSONFault) -> Value
    ) throws(JSONFault) -> Value {
        func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<Value, JSONFault> {
            var reader = JSONReader(text: bytes)
            do throws(JSONFault) {
                try reader.checkStart()
                let value = try body(&reader)
                reader.skipSpace()
                if reader.index < bytes.count { throw reader.fault("something follows the value") }
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
        let result =
            text.withContiguousStorageIfAvailable(read) ?? Array(text).withUnsafeBufferPointer(read)
        return try result.get()
    }

    private init(text: UnsafeBufferPointer<UInt8>) { self.text = text }

    private func checkStart() throws(JSONFault) {
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { throw fault("it begins with a byte order mark") }
        if text.starts(with: [0xFE, 0xFF]) || text.starts(with: [0xFF, 0xFE]) || text.prefix(4).contains(0) {
            throw fault("it is UTF-16 or UTF-32; only UTF-8 is read")
        }
    }

    /// A fault at the next byte.
    public func fault(_ reason: String) -> JSONFault { fault(reason, at: index) }

    private func fault(_ reason: String, at offset: Int) -> JSONFault {
        let before = text[..<min(offset, text.count)]
        let line = before[(before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)...]
        return JSONFault(
            reason: reason, line: 1 + before.count { $0 == UInt8(ascii: "\n") },
            // Continuation bytes of UTF-8 begin no character.
            column: 1 + line.count { $0 & 0xC0 != 0x80 })
    }

    // MARK: values

    public mutating func value() throws(JSONFault) -> JSONValue {
        skipSpace()
        guard index < text.count else { throw fault("it ends where a value is missing") }
        switch text[index] {
        case UInt8(ascii: "{"):
            var members: [String: JSONValue] = [:]
            try eachMember { name, start, reader throws(JSONFault) in
                let value: JSONValue
                do throws(JSONFault) { value = try reader.value() } catch { throw error.within(name) }
                if members.updateValue(value, forKey: name) != nil { throw reader.repeated(name, at: start) }
            }
            return .object(members)
        case UInt8(ascii: "["):
            var list: [JSONValue] = []
            try elements { reader throws(JSONFault) in list.append(try reader.value()) }
            return .list(list)
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default:
            for (word, value) in Self.words where text[index...].starts(with: word) {
                index += word.count
                return value
            }
            throw fault("this begins no value")
        }
    }

    private static let words: [([UInt8], JSONValue)] = [
        (Array("true".utf8), .flag(true)), (Array("false".utf8), .flag(false)), (Array("null".utf8), .null),
    ]

    /// Reads an object, whose members `body` reads.
    public mutating func members(
        _ body: (_ name: String, inout JSONReader) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        var names: Set<String> = []
        try eachMember { name, start, reader throws(JSONFault) in
            guard names.insert(name).inserted else { throw reader.repeated(name, at: start) }
            do throws(JSONFault) { try body(name, &reader) } catch { throw error.within(name) }
        }
    }

    private func repeated(_ name: String, at start: Int) -> JSONFault {
        fault("the name \"\(JSONFault.short(name))\" is there twice", at: start)
    }

    /// Reads an object whose names `body` compares.
    private mutating func eachMember(
        _ body: (_ name: String, _ start: Int, inout JSONReader) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        try enter(UInt8(ascii: "{"), "an object is expected here")
        defer { depth -= 1 }
        if skip(UInt8(ascii: "}")) { return }
        repeat {
            skipSpace()
            let start = index
            guard index < text.count, text[index] == UInt8(ascii: "\"") else {
                throw fault("a name in quotes is missing")
            }
            let name = try string()
            guard skip(UInt8(ascii: ":")) else { throw fault("a colon is missing after a name") }
            try body(name, start, &self)
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "}")) else { throw fault("a comma or } is missing") }
    }

    /// Reads a list, whose elements `body` reads.
    public mutating func elements(_ body: (inout JSONReader) throws(JSONFault) -> Void) throws(JSONFault) {
        try enter(UInt8(ascii: "["), "a list is expected here")
        defer { depth -= 1 }
        if skip(UInt8(ascii: "]")) { return }
        var position = 0
        repeat {
            do throws(JSONFault) { try body(&self) } catch { throw error.within(position) }
            position += 1
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "]")) else { throw fault("a comma or ] is missing") }
    }

    /// Reads a list of whole numbers into the start of `numbers`, as long as they have room there.
    /// - Returns: how many the list has; nil if one is no whole number, or if there is no room for it.
    public mutating func integers(_ numbers: inout [Int64]) throws(JSONFault) -> Int? {
        try enter(UInt8(ascii: "["), "a list is expected here")
        defer { depth -= 1 }
        if skip(UInt8(ascii: "]")) { return 0 }
        var count = 0
        repeat {
            if count == numbers.count { return nil }
            if let number = usualInteger() {
                numbers[count] = number
            } else {
                skipSpace()
                guard index < text.count, text[index] == UInt8(ascii: "-") || Self.isDigit(text[index]),
                    let number = try number().integer
                else { return nil }
                numbers[count] = number
            }
            count += 1
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "]")) else { throw fault("a comma or ] is missing") }
        return count
    }

    /// A whole number in the form that our own files have: up to 18 digits, with a comma or bracket after it. nil, and
    /// nothing is read, for any other.
    private mutating func usualInteger() -> Int64? {
        var end = index
        let isNegative = end < text.count && text[end] == UInt8(ascii: "-")
        if isNegative { end += 1 }
        let first = end
        var value: Int64 = 0
        while end < text.count, end - first <= 18, Self.isDigit(text[end]) {
            value = value &* 10 &+ Int64(text[end] &- UInt8(ascii: "0"))
            end += 1
        }
        guard 1...18 ~= end - first, end < text.count,
            text[end] == UInt8(ascii: ",") || text[end] == UInt8(ascii: "]"),
            text[first] != UInt8(ascii: "0") || end - first == 1 && !isNegative
        else { return nil }
        index = end
        return isNegative ? -value : value
    }

    /// The number of occurrences of a byte in the rest of the text: to reserve memory.
    public func count(of byte: UInt8) -> Int { text[index...].count { $0 == byte } }

    // MARK: tokens

    private mutating func skipSpace() {
        while index < text.count {
            switch text[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    /// Skips a byte with white space around it.
    private mutating func skip(_ byte: UInt8) -> Bool {
        skipSpace()
        guard index < text.count, text[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func enter(_ bracket: UInt8, _ expectation: String) throws(JSONFault) {
        skipSpace()
        guard index < text.count, text[index] == bracket else { throw fault(expectation) }
        // Before anything deeper is read, so that no text exhausts the stack.
        if depth == Self.deepest { throw fault("it is nested deeper than \(Self.deepest)") }
        depth += 1
        index += 1
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private mutating func skipDigits() -> Range<Int> {
        let start = index
        while index < text.count, Self.isDigit(text[index]) { index += 1 }
        return start..<index
    }

    private mutating func number() throws(JSONFault) -> JSONValue {
        let start = index
        let isNegative = text[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        let whole = skipDigits()
        guard !whole.isEmpty else { throw fault("a digit is missing") }
        if whole.count > 1, text[whole.lowerBound] == UInt8(ascii: "0") {
            throw fault("a number begins with 0", at: start)
        }
        var isWhole = true
        if index < text.count, text[index] == UInt8(ascii: ".") {
            isWhole = false
            index += 1
            if skipDigits().isEmpty { throw fault("a digit is missing") }
        }
        let significand = whole.lowerBound..<index
        if index < text.count, text[index] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            index += 1
            if index < text.count, text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "-") { index += 1 }
            if skipDigits().isEmpty { throw fault("a digit is missing") }
        }
        if index - start > Self.longestNumber {
            throw fault("a number has more than \(Self.longestNumber) characters", at: start)
        }
        if isWhole {
            // Readers keep or lose the sign of zero; it is a double's.
            if isNegative, whole.count == 1, text[whole.lowerBound] == UInt8(ascii: "0") { return .number(-0.0) }
            return .integer(try integer(whole, isNegative, at: start))
        }
        // The characters are those of a number.
        let value = Double(String(decoding: text[start..<index], as: UTF8.self)) ?? .nan
        let isZero = text[significand].allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }
        guard value.isFinite, value != 0 || isZero else { throw fault("no double is near this number", at: start) }
        return .number(value)
    }

    private func integer(_ digits: Range<Int>, _ isNegative: Bool, at start: Int) throws(JSONFault) -> Int64 {
        var value: Int64 = 0
        var hasOverflow = false
        for index in digits {
            let digit = Int64(text[index] - UInt8(ascii: "0"))
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            // Summed up below zero, because there is one more negative number.
            let (sum, overflowToo) = product.subtractingReportingOverflow(digit)
            value = sum
            hasOverflow = hasOverflow || overflow || overflowToo
        }
        if hasOverflow || !isNegative && value == .min {
            throw fault("a whole number has more than 64 bits", at: start)
        }
        return isNegative ? value : -value
    }

    // MARK: strings

    /// Reads from the opening quote on.
    private mutating func string() throws(JSONFault) -> String {
        index += 1
        let start = index
        while index < text.count, text[index] >= 0x20, text[index] != UInt8(ascii: "\""),
            text[index] != UInt8(ascii: "\\")
        {
            index += 1
        }
        if index < text.count, text[index] == UInt8(ascii: "\"") {
            defer { index += 1 }
            return try string(UnsafeBufferPointer(rebasing: text[start..<index]), at: start)
        }
        var bytes = Array(text[start..<index])
        while true {
            guard index < text.count else { throw fault("a string has no end") }
            switch text[index] {
            case UInt8(ascii: "\""):
                defer { index += 1 }
                return try string(bytes, at: start)
            case UInt8(ascii: "\\"): bytes += UTF8.encode(try escape())!
            case 0..<0x20: throw fault("a control character in a string is not escaped")
            default:
                bytes.append(text[index])
                index += 1
            }
        }
    }

    private func string(_ bytes: some Sequence<UInt8>, at start: Int) throws(JSONFault) -> String {
        // Surrogates and overlong forms are not valid.
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw fault("a string is not UTF-8", at: start)
        }
        guard Self.hasFewMarks(string) else {
            throw fault("a string has more than \(Self.mostMarks) combining marks in a row", at: start)
        }
        return string
    }

    /// Whoever compares strings as Unicode does sorts the marks of each character, in a time that grows with the square
    /// of their count. Languages need fewer than 30 (UAX #15, "Stream-Safe Text Format").
    private static let mostMarks = 100

    private static func hasFewMarks(_ string: String) -> Bool {
        var count = 0
        for scalar in string.unicodeScalars {
            guard scalar.value >= 0x300, isMark(scalar.properties.generalCategory) else {
                count = 0
                continue
            }
            count += 1
            if count > mostMarks { return false }
        }
        return true
    }

    private static func isMark(_ category: Unicode.GeneralCategory) -> Bool {
        switch category {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    private static let escapes: [UInt8: Unicode.Scalar] = [
        UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/", UInt8(ascii: "b"): "\u{8}",
        UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]

    /// Reads from a backslash on.
    private mutating func escape() throws(JSONFault) -> Unicode.Scalar {
        let start = index
        guard index + 1 < text.count else { throw fault("a string has no end") }
        if let scalar = Self.escapes[text[index + 1]] {
            index += 2
            return scalar
        }
        guard let unit = codeUnit() else { throw fault("this is no escape", at: start) }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard UTF16.isLeadSurrogate(unit), let next = codeUnit(), UTF16.isTrailSurrogate(next) else {
            throw fault("this is half of a surrogate pair", at: start)
        }
        let offset = UInt32(unit & 0x3FF) << 10 | UInt32(next & 0x3FF)
        // Every pair is a scalar.
        return Unicode.Scalar(0x1_0000 + offset)!
    }

    /// Reads `\u` and four digits.
    private mutating func codeUnit() -> UInt16? {
        guard index + 6 <= text.count, text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var unit: UInt16 = 0
        for digit in text[index + 2..<index + 6] {
            let letter = digit | 0x20
            switch (digit, letter) {
            case (UInt8(ascii: "0")...UInt8(ascii: "9"), _): unit = unit << 4 | UInt16(digit - UInt8(ascii: "0"))
            case (_, UInt8(ascii: "a")...UInt8(ascii: "f")): unit = unit << 4 | UInt16(letter - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        index += 6
        return unit
    }
}

extension JSONValue {
    /// Reads one value and nothing else; ``JSONReader`` says what is refused.
    public init(_ text: some Collection<UInt8>) throws(JSONFault) {
        self = try JSONReader.read(text) { reader throws(JSONFault) in try reader.value() }
    }
}

/// Why a text is not read as JSON, and where.
public struct JSONFault: Error, Equatable, Sendable, CustomStringConvertible {
    public var reason: String
    /// The position, from 1; the column counts characters (Unicode scalars).
    public var line, column: Int
    /// The value that was being read, such as `policy.minima.length` or `prompt[2]`; empty for the whole text.
    public var path = ""

    public var description: String { "line \(line), \(place)" }

    /// The description of a fault in a text of one line.
    public var place: String { "column \(column)\(path.isEmpty ? "" : " (\(path))"): \(reason)" }

    /// The fault as one in a member of an object.
    package func within(_ name: String) -> JSONFault { within(Self.short(name), isIndex: false) }

    package func within(_ index: Int) -> JSONFault { within("[\(index)]", isIndex: true) }

    /// A name for a message, which may come from anybody.
    static func short(_ name: String) -> String {
        name.unicodeScalars.count > 64 ? String(String.UnicodeScalarView(name.unicodeScalars.prefix(64))) + "…" : name
    }

    private func within(_ step: String, isIndex: Bool) -> JSONFault {
        var fault = self
        fault.path = path.isEmpty || path.hasPrefix("[") ? step + path : "\(step).\(path)"
        return fault
    }
}
