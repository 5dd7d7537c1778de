// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux

/// Parses evemu's text line by line: N, I, P, B and A describe the device, E is an event, # a comment.
///
/// It works on bytes, because comments and names may be in any encoding; a million lines take a second.
struct RecordingParser {
    private(set) var events: [InputEvent] = []
    private let path: String
    private let eventLimit: Int
    private var line = 0
    private var description = DeviceDescription()
    private var isDescribed = false
    private var propertyCount = 0
    /// The number of bits read of each event type: a B line has eight bytes, and the lines of one type follow each
    /// other.
    private var bitCount: [UInt16: Int] = [:]

    init(path: String, eventLimit: Int = Recording.eventLimit) {
        self.path = path
        self.eventLimit = eventLimit
    }

    /// The device as described by N, I, P, B and A lines; nil if they describe no ability.
    var device: DeviceDescription? { isDescribed ? description : nil }

    /// Parses the whole file, in pieces, so that a file of any size needs the memory of a line.
    mutating func parseFile() throws(RecordingError) {
        let file: FileDescriptor
        do throws(Errno) { file = try InputFile.open(path) } catch {
            throw error == .isDirectory || error == .notAFile ? .notAFile(path: path) : .cannotOpen(path: path, error)
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { buffer.deallocate() }
        var pending: [UInt8] = []
        var byteCount = 0
        while true {
            let count: Int
            do throws(Errno) { count = try file.read(into: buffer) } catch { throw .readFailed(path: path, error) }
            if count == 0 { break }
            byteCount += count
            if byteCount > Recording.byteLimit { throw .tooLarge(path: path, line: line + 1) }
            var rest = Array(buffer[..<count])[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if pending.isEmpty {
                    try parse(rest[..<end])
                } else {
                    pending += rest[..<end]
                    try parse(pending[...])
                    pending.removeAll(keepingCapacity: true)
                }
                rest = rest[(end + 1)...]
            }
            pending += rest
            if pending.count > Recording.lineLimit { throw .lineTooLong(path: path, line: line + 1) }
        }
        if !pending.isEmpty { try parse(pending[...]) }
    }

    /// Parses the next line, without its line end.
    mutating func parse(_ bytes: ArraySlice<UInt8>) throws(RecordingError) {
        line += 1
        if bytes.count > Recording.lineLimit { throw .lineTooLong(path: path, line: line) }
        var text = LineScanner(bytes)
        text.skipBlanks()
        guard let letter = text.next(), letter != UInt8(ascii: "#") else { return }
        let starts = "a line that starts with N:, I:, P:, B:, A:, E: or #"
        guard text.next() == UInt8(ascii: ":") else { throw malformed(starts) }
        switch letter {
        case UInt8(ascii: "E"): try parseEvent(&text)
        case UInt8(ascii: "N"): description.name = text.remainder()
        case UInt8(ascii: "I"): try parseIdentity(&text)
        case UInt8(ascii: "P"): try parseProperties(&text)
        case UInt8(ascii: "B"): try parseBits(&text)
        case UInt8(ascii: "A"): try parseAxis(&text)
        // States of LEDs and switches (evemu 1.3).
        case UInt8(ascii: "L"), UInt8(ascii: "S"): break
        default: throw malformed(starts)
        }
    }

    private func malformed(_ expected: String) -> RecordingError {
        .malformed(path: path, line: line, expected: expected)
    }

    private mutating func parseEvent(_ text: inout LineScanner) throws(RecordingError) {
        let form =
            "\"E: seconds.microseconds type code value\", the time not negative and with six decimals, "
            + "type and code in hexadecimal"
        guard let time = text.time(), let type = text.hexadecimal(), let code = text.hexadecimal(),
            let value = text.decimal(), text.isAtEndOrComment()
        else { throw malformed(form) }
        guard events.count < eventLimit else { throw .tooManyEvents(path: path, line: line) }
        events.append(InputEvent(time: time, type: type, code: code, value: value))
    }

    private mutating func parseIdentity(_ text: inout LineScanner) throws(RecordingError) {
        guard let bus = text.hexadecimal(), let vendor = text.hexadecimal(), let product = text.hexadecimal(),
            let version = text.hexadecimal(), text.isAtEndOrComment()
        else { throw malformed("\"I: bus vendor product version\", four hexadecimal numbers") }
        (description.bus, description.vendor) = (bus, vendor)
        (description.product, description.version) = (product, version)
    }

    private mutating func parseProperties(_ text: inout LineScanner) throws(RecordingError) {
        guard let mask = parseMask(&text) else { throw malformed("\"P:\" and up to eight hexadecimal bytes") }
        description.properties.formUnion(mask.bits(from: propertyCount, through: EventCode.lastProperty))
        propertyCount = min(propertyCount + mask.count * 8, 1 << 16)
    }

    private mutating func parseBits(_ text: inout LineScanner) throws(RecordingError) {
        guard let type = text.hexadecimal(), let mask = parseMask(&text) else {
            throw malformed("\"B: type\" and up to eight hexadecimal bytes")
        }
        let start = bitCount[type, default: 0]
        bitCount[type] = min(start + mask.count * 8, 1 << 16)
        guard type == EventCode.typeKey else { return }
        for bit in mask.bits(from: start, through: EventCode.lastKey) {
            description.keys.insert(bit)
            isDescribed = true
        }
    }

    private mutating func parseAxis(_ text: inout LineScanner) throws(RecordingError) {
        let form =
            "\"A: axis minimum maximum fuzz flat resolution\", the axis in hexadecimal, "
            + "the resolution optional"
        guard let axis = text.hexadecimal(), let minimum = text.decimal(), let maximum = text.decimal(),
            let fuzz = text.decimal(), let flat = text.decimal()
        else { throw malformed(form) }
        var resolution: Int32 = 0
        if !text.isAtEndOrComment() {
            guard let number = text.decimal(), text.isAtEndOrComment() else { throw malformed(form) }
            resolution = number
        }
        isDescribed = true
        // Unknown axes are ignored, so that a description stays small whatever the file contains.
        guard axis <= EventCode.lastAbs else { return }
        description.axes[axis] = AxisInfo(
            minimum: minimum, maximum: maximum, fuzz: fuzz, flat: flat, resolution: resolution)
    }

    private func parseMask(_ text: inout LineScanner) -> [UInt8]? {
        var mask: [UInt8] = []
        while !text.isAtEndOrComment() {
            guard mask.count < 8, let byte = text.hexadecimal(), byte <= 0xff else { return nil }
            mask.append(UInt8(byte))
        }
        return mask.isEmpty ? nil : mask
    }
}

extension [UInt8] {
    /// The numbers of the bits set, up to `last`. The first byte's lowest bit is `start`.
    fileprivate func bits(from start: Int, through last: UInt16) -> [UInt16] {
        var bits: [UInt16] = []
        for (index, byte) in enumerated() {
            for bit in 0..<8 where byte & (1 << bit) != 0 {
                let number = start + index * 8 + bit
                if number <= Int(last) { bits.append(UInt16(number)) }
            }
        }
        return bits
    }
}

/// Reads numbers separated by blanks from a line of bytes. All functions return nil for malformed numbers, and for
/// numbers that do not fit the type.
private struct LineScanner {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    private static func isBlank(_ byte: UInt8) -> Bool {
        // Including a carriage return, from Windows.
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    mutating func skipBlanks() {
        while let first = bytes.first, Self.isBlank(first) { bytes.removeFirst() }
    }

    mutating func next() -> UInt8? { bytes.popFirst() }

    /// Whether only a comment is left, if anything.
    mutating func isAtEndOrComment() -> Bool {
        skipBlanks()
        return bytes.isEmpty || bytes.first == UInt8(ascii: "#")
    }

    /// The rest of the line without surrounding blanks; bytes that are not UTF-8 become U+FFFD.
    mutating func remainder() -> String {
        skipBlanks()
        while let last = bytes.last, Self.isBlank(last) { bytes.removeLast() }
        defer { bytes = [] }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func word() -> ArraySlice<UInt8> {
        skipBlanks()
        let end = bytes.firstIndex(where: Self.isBlank) ?? bytes.endIndex
        defer { bytes = bytes[end...] }
        return bytes[..<end]
    }

    mutating func hexadecimal() -> UInt16? {
        let word = word()
        guard !word.isEmpty, word.count <= 8 else { return nil }
        var value: UInt32 = 0
        for byte in word {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            value = value << 4 | UInt32(digit)
        }
        return UInt16(exactly: value)
    }

    /// A number, perhaps with a sign and leading zeros: evemu pads to four places, "-001".
    mutating func decimal() -> Int32? {
        var digits = word()
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits.removeFirst() }
        guard let number = Self.digits(digits) else { return nil }
        return Int32(exactly: isNegative ? -number : number)
    }

    /// Reads `seconds.microseconds`.
    mutating func time() -> Timestamp? {
        let word = word()
        guard let point = word.firstIndex(of: UInt8(ascii: ".")), word.endIndex - point == 7,
            let seconds = Self.digits(word[..<point]), let microseconds = Self.digits(word[(point + 1)...])
        else { return nil }
        // Cannot overflow with at most twelve digits of seconds.
        return Timestamp(microseconds: seconds * 1_000_000 + microseconds)
    }

    /// One to twelve decimal digits.
    private static func digits(_ word: ArraySlice<UInt8>) -> Int64? {
        guard !word.isEmpty, word.count <= 12 else { return nil }
        var value: Int64 = 0
        for byte in word {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
