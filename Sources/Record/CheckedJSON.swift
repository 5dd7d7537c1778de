// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// Decodes JSON from outside with Foundation after checking its strings.
///
/// The decoder of Swift 6.0 unescapes keys late and with `try!` (swift-foundation, JSONDecoder.swift): a key `"\x"`
/// would end the program. So invalid strings (RFC 8259, section 7) are refused first.
public enum CheckedJSON {
    /// - Parameter text: UTF-8.
    /// - Throws: `DecodingError`.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from text: Data, with decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        if let offset = brokenString(in: text) {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "a string is not valid at byte \(offset)"))
        }
        return try decoder.decode(type, from: text)
    }

    /// The offset of the first invalid escape or byte in a string, or nil. The decoder checks that strings end.
    static func brokenString(in text: Data) -> Int? {
        text.withUnsafeBytes { bytes in
            // The decoder may take a text with a zero byte for UTF-16.
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

    /// The length of the escape at the start of `bytes`, or of two for a pair of surrogates; nil if it is invalid.
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

    /// The code unit of `\u` and four digits.
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

extension DecodingError {
    /// The fault in the JSON, and its place.
    package var reason: String {
        func place(_ context: Context) -> String {
            let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
            return path.isEmpty ? "" : " at \(path)"
        }
        switch self {
        case .keyNotFound(let key, let context): return "\"\(key.stringValue)\" is missing\(place(context))"
        case .typeMismatch(_, let context): return "a value of another type was expected\(place(context))"
        case .valueNotFound(_, let context): return "a value is missing\(place(context))"
        // The decoder reports bad syntax and numbers out of range alike, without the place.
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            return "the JSON is truncated or malformed, or a number in it does not fit"
        case .dataCorrupted(let context): return "a value is not one of those allowed\(place(context))"
        @unknown default: return "the JSON cannot be decoded"
        }
    }
}
