// SPDX-License-Identifier: Apache-2.0

/// Divides a reply of the panel while it comes: what is long, the content of a file or the records of a list, is handed
/// over in pieces; the rest is kept. A whole reply may have more bytes than this program may use.
package struct ReplyScanner {
    package struct Pieces {
        /// A part of the text in the member `text` or `base64`.
        package var text: [UInt8] = []
        /// Elements of the array `captures`, each as JSON.
        package var elements: [[UInt8]] = []

        package var isEmpty: Bool { text.isEmpty && elements.isEmpty }
    }

    /// Why a reply cannot be used.
    package enum Fault: Error { case malformed, tooLong }

    /// Bytes of the rest, and of an element. Above those of a record's texts.
    private static let limit = 1 << 20
    private static let longMembers: Set<String> = ["text", "base64", "captures"]

    private enum State {
        case rest
        /// Before the value of a long member.
        case value
        case text
        /// A text, after a backslash; the digits that have come of a `\u`.
        case escape([UInt8]?)
        /// The array, between and in elements.
        case elements
    }

    /// The message without the content of long members.
    package private(set) var rest: [UInt8] = []
    package private(set) var isComplete = false
    /// The name of the long member that is a text; nil while none has come.
    package private(set) var textName: String?

    private var state = State.rest
    private var depth = 0
    /// Whether the scanner is in a string of the rest or of an element.
    private var isInString = false
    private var isEscaped = false
    private var stringStart = 0
    /// The last string at the depths of the message and of its parameters.
    private var outerName = ""
    private var name = ""
    private var element: [UInt8] = []
    private var highSurrogate: UInt32?

    package init() {}

    /// Takes what has come.
    /// - Returns: the pieces in it.
    /// - Throws: ``Fault``.
    package mutating func scan(_ bytes: ArraySlice<UInt8>) throws(Fault) -> Pieces {
        var pieces = Pieces()
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if isComplete { throw .malformed }
            if case .text = state {
                // The scanner takes all plain bytes at once: files have millions of bytes.
                let end = bytes[index...].firstIndex { $0 == 0x22 || $0 == 0x5C || $0 < 0x20 } ?? bytes.endIndex
                if end > index {
                    guard highSurrogate == nil else { throw .malformed }
                    pieces.text += bytes[index..<end]
                }
                index = end
                if index == bytes.endIndex { break }
            }
            try scan(bytes[index], &pieces)
            index += 1
        }
        return pieces
    }

    private mutating func scan(_ byte: UInt8, _ pieces: inout Pieces) throws(Fault) {
        switch state {
        case .rest: try scanRest(byte)
        case .value:
            state = .rest
            try scanRest(byte)
            switch byte {
            case UInt8(ascii: "\""):
                isInString = false
                textName = name
                state = .text
            case UInt8(ascii: "["): state = .elements
            case UInt8(ascii: " "): state = .value
            default: break
            }
        case .text:
            switch byte {
            case UInt8(ascii: "\\"): state = .escape(nil)
            case UInt8(ascii: "\"") where highSurrogate == nil:
                rest.append(byte)
                state = .rest
            default: throw .malformed
            }
        case .escape(let digits): try scanEscape(byte, digits, &pieces)
        case .elements: try scanElements(byte, &pieces)
        }
    }

    /// Follows strings and brackets.
    /// - Returns: whether the byte is part of a string.
    private mutating func follow(_ byte: UInt8) -> Bool {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return true
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
        return false
    }

    private mutating func scanRest(_ byte: UInt8) throws(Fault) {
        if byte == 0 {
            guard depth == 0, !isInString else { throw .malformed }
            isComplete = true
            return
        }
        guard rest.count < Self.limit else { throw .tooLong }
        rest.append(byte)
        if follow(byte) {
            if !isInString, depth <= 2 { name = String(decoding: rest[stringStart..<rest.count - 1], as: UTF8.self) }
            return
        }
        if isInString { stringStart = rest.count }
        guard byte == UInt8(ascii: ":") else { return }
        if depth == 1 { outerName = name }
        if depth == 2, outerName == "parameters", Self.longMembers.contains(name) { state = .value }
    }

    private mutating func scanElements(_ byte: UInt8, _ pieces: inout Pieces) throws(Fault) {
        let isString = follow(byte) || isInString
        if !isString, depth == 2 && byte == UInt8(ascii: "]") || depth == 3 && byte == UInt8(ascii: ",") {
            if !element.isEmpty { pieces.elements.append(element) }
            element = []
            if depth == 2 {
                rest.append(byte)
                state = .rest
            }
            return
        }
        guard byte != 0 else { throw .malformed }
        guard element.count < Self.limit else { throw .tooLong }
        element.append(byte)
    }

    // MARK: texts

    private mutating func scanEscape(_ byte: UInt8, _ digits: [UInt8]?, _ pieces: inout Pieces) throws(Fault) {
        guard var digits else {
            let plain: UInt8
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = byte
            case UInt8(ascii: "b"): plain = 0x08
            case UInt8(ascii: "f"): plain = 0x0C
            case UInt8(ascii: "n"): plain = 0x0A
            case UInt8(ascii: "r"): plain = 0x0D
            case UInt8(ascii: "t"): plain = 0x09
            case UInt8(ascii: "u"):
                state = .escape([])
                return
            default: throw .malformed
            }
            guard highSurrogate == nil else { throw .malformed }
            state = .text
            return pieces.text.append(plain)
        }
        digits.append(byte)
        guard digits.count == 4 else {
            state = .escape(digits)
            return
        }
        let text = String(decoding: digits, as: UTF8.self)
        guard text.allSatisfy(\.isHexDigit), let unit = UInt32(text, radix: 16) else { throw .malformed }
        state = .text
        var scalar = unit
        if let high = highSurrogate {
            guard 0xDC00...0xDFFF ~= unit else { throw .malformed }
            scalar = 0x10000 + (high - 0xD800) << 10 + (unit - 0xDC00)
            highSurrogate = nil
        } else if 0xD800...0xDBFF ~= unit {
            highSurrogate = unit
            return
        }
        guard let character = Unicode.Scalar(scalar) else { throw .malformed }
        pieces.text += Array(String(character).utf8)
    }
}
