// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// JSON from outside, decoded by Foundation after a look at its strings.
///
/// The decoder of Swift 6.0 takes strings as they are and unescapes them when they are asked for, keys with `try!`
/// (swift-foundation, JSONDecoder.swift): an object with `"\x"` for a key would end the program. So strings that are
/// none (RFC 8259, section 7) are refused before it sees them.
public enum CheckedJSON {
    /// - Parameter text: UTF-8.
    /// - Throws: `DecodingError`.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from text: Data, with decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        if let offset = brokenString(in: text) {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "a string is broken at byte \(offset)"))
        }
        return try decoder.decode(type, from: text)
    }

    /// Where the first string is no string; nil when all are. That each ends is the decoder's to say.
    static func brokenString(in text: Data) -> Int? {
        text.withUnsafeBytes { bytes in
            // With a zero in it the decoder may take it for UTF-16, in which strings are elsewhere.
            if let zero = bytes.firstIndex(of: 0) { return zero }
            if String(validating: bytes, as: UTF8.self) == nil { return 0 }
            var isInString = false
            var index = 0
            while index < bytes.count {
                switch bytes[index] {
                case UInt8(ascii: "\""): isInString.toggle()
                case UInt8(ascii: "\\") where isInString:
                    guard let length = escapeLength(in: bytes[index...]) else { return index }
                    index += length
                    continue
                case 0..<0x20 where isInString: return index
                default: break
                }
                index += 1
            }
            return nil
        }
    }

    /// Bytes of the escape that begins there, two of them for a pair of surrogates; nil when it is none.
    private static func escapeLength(in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        let rest = bytes.dropFirst()
        guard let kind = rest.first else { return nil }
        if "\"\\/bfnrt".utf8.contains(kind) { return 2 }
        guard let unit = codeUnit(in: bytes) else { return nil }
        if UTF16.isTrailSurrogate(unit) { return nil }
        guard UTF16.isLeadSurrogate(unit) else { return 6 }
        guard let next = codeUnit(in: bytes.dropFirst(6)), UTF16.isTrailSurrogate(next) else { return nil }
        return 12
    }

    /// Of `\u` and four digits.
    private static func codeUnit(in bytes: Slice<UnsafeRawBufferPointer>) -> UInt16? {
        let escape = bytes.prefix(6)
        guard escape.count == 6, escape.starts(with: "\\u".utf8) else { return nil }
        var unit: UInt16 = 0
        for digit in escape.dropFirst(2) {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(value)
        }
        return unit
    }
}
