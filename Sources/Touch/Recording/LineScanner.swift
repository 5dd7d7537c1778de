// SPDX-License-Identifier: Apache-2.0

/// Reads numbers separated by blanks from one line of bytes. Every reader returns nil for what it does not understand
/// and for what does not fit its type.
struct LineScanner {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    private static func isBlank(_ byte: UInt8) -> Bool {
        // A carriage return too: files that went through Windows.
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    mutating func skipBlanks() {
        while let first = bytes.first, Self.isBlank(first) { bytes.removeFirst() }
    }

    mutating func next() -> UInt8? { bytes.popFirst() }

    /// Whether nothing but a comment is left.
    mutating func isAtEndOrComment() -> Bool {
        skipBlanks()
        return bytes.isEmpty || bytes.first == UInt8(ascii: "#")
    }

    /// The rest of the line without blanks around it; bytes that are no UTF-8 become U+FFFD.
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

    /// With a sign perhaps, and leading zeros: evemu pads to four places, "-001".
    mutating func decimal() -> Int32? {
        var digits = word()
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits.removeFirst() }
        guard let number = Self.digits(digits) else { return nil }
        return Int32(exactly: isNegative ? -number : number)
    }

    /// `seconds.microseconds`, as microseconds.
    mutating func time() -> Int64? {
        let word = word()
        guard let point = word.firstIndex(of: UInt8(ascii: ".")), word.endIndex - point == 7,
            let seconds = Self.digits(word[..<point]), let microseconds = Self.digits(word[(point + 1)...])
        else { return nil }
        // At most twelve digits of seconds: far from where the sum overflows.
        return seconds * 1_000_000 + microseconds
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
