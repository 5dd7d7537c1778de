// SPDX-License-Identifier: Apache-2.0
/// The kind of a file to verify, by its first bytes, and last by its name.
enum FileKind {
    case record, encrypted, seal, signature
    /// Any other file. With a form, it may be evidence that is not checked as it is.
    case document(FileForm?)

    /// - Parameter start: all of the file, or at least a header.
    init(_ start: [UInt8], _ path: String) {
        // A document may quote a record or a seal, which itself begins with its object.
        let line = start.first == UInt8(ascii: "{") ? start.prefix { $0 != UInt8(ascii: "\n") } : []
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        if Companion.isOfMacOS(start, name) {
            self = .document(nil)
        } else if let form = FileForm(start) {
            self = .document(form)
        } else if start.starts(with: "age-encryption.org/".utf8) {
            self = .encrypted
        } else if start.starts(with: "-----BEGIN SSH SIGNATURE-----".utf8) {
            self = .signature
        } else if line.contains(#""format":"inkpanel-seal""#.utf8) {
            self = .seal
        } else if line.contains(#""format":"inkpanel-capture""#.utf8) {
            self = .record
        } else {
            self = Self.named(path)
        }
    }

    /// The kind that a file without contents of that kind had, or is meant to have.
    private static func named(_ path: String) -> FileKind {
        if path.hasSuffix(".jsonl.age") || path.hasSuffix(".pdf.age") { return .encrypted }
        if path.hasSuffix(".seal.sig") { return .signature }
        if path.hasSuffix(".seal") { return .seal }
        return path.hasSuffix(".jsonl") ? .record : .document(nil)
    }
}

/// A form of evidence that is not checked as it is, because its bytes are not those that were sealed.
struct FileForm {
    /// A predicate that says what the file is, and what to do.
    let advice: String
    /// Whether the file is evidence for sure. Otherwise it may be a document: many have a compressed form.
    let isCertain: Bool

    /// - Returns: nil for anything else, also for documents.
    init?(_ start: [UInt8]) {
        if let certain = Self.certain(start) {
            (advice, isCertain) = (certain, true)
        } else if let possible = Self.possible(start) {
            (advice, isCertain) = (possible, false)
        } else {
            return nil
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

    private static func certain(_ start: [UInt8]) -> String? {
        let asWritten = "which is not what was sealed: take the file as the panel wrote it"
        if start.isEmpty { return "is empty" }
        if let (what, encoding) = otherEncoding(of: start) { return "is \(what) in \(encoding), \(asWritten)" }
        if start.drop(while: isSpace).starts(with: "-----BEGIN AGE ENCRYPTED FILE-----".utf8) {
            return "is an armoured age file, which is not what was sealed: take the binary one, or decrypt it with"
                + " age -d -i IDENTITY, and verify the record"
        }
        if let (what, difference) = otherWhiteSpace(in: start) { return "is \(what) with \(difference), \(asWritten)" }
        return nil
    }

    /// The advice on a file that may be a document as well; nil for others.
    private static func possible(_ start: [UInt8]) -> String? {
        if let (program, unpack) = compression(of: start) {
            return "is compressed (\(program)): unpack it with \(unpack), and verify what is in it"
        }
        let lines = start.split(separator: UInt8(ascii: "\n"))
        // The last one may be cut.
        let whole = start.count < startByteCount ? lines[...] : lines.dropLast()
        let meant = whole.filter { !$0.allSatisfy(isSpace) && $0.first != UInt8(ascii: "#") }
        if meant.isEmpty { return nil }
        if meant.allSatisfy({ $0.starts(with: "AGE-SECRET-KEY-1".utf8) }) {
            return "is an identity of age: give it with --identity"
        }
        if meant.allSatisfy(isAllowedSigner) {
            return "is a file of allowed signers: give it with --allowed-signers"
        }
        // A seal, too, is followed by a signature, and a signature by a second one.
        if start.first == UInt8(ascii: "{") || marks.contains(where: { start.starts(with: $0.0.utf8) }) { return nil }
        let mark = marks.first { mark in mark.0.hasPrefix("-") && lines.contains { $0.starts(with: mark.0.utf8) } }
        return mark.map { "has \($0.1) after other text: take the file as the panel wrote it" }
    }

    /// The number of first bytes by which a file's form is recognised.
    static let startByteCount = 256 << 10

    /// The first bytes of compressed files, as in file(1).
    private static func compression(of start: [UInt8]) -> (program: String, unpack: String)? {
        let forms: [([UInt8], String, String)] = [
            ([0x1F, 0x8B], "gzip", "gunzip"), (Array("PK\u{3}\u{4}".utf8), "zip", "unzip"),
            ([0xFD] + Array("7zXZ\0".utf8), "xz", "unxz"), (Array("BZh".utf8), "bzip2", "bunzip2"),
            ([0x28, 0xB5, 0x2F, 0xFD], "zstd", "unzstd"), (Array("7z".utf8) + [0xBC, 0xAF], "7-Zip", "7z x"),
        ]
        return forms.first { start.starts(with: $0.0) }.map { ($0.1, $0.2) }
    }

    /// Names, perhaps options, then a key.
    static func isAllowedSigner(_ line: ArraySlice<UInt8>) -> Bool {
        let words = line.split { $0 == 0x20 || $0 == 0x09 }
        return words.indices.prefix(3).dropFirst().contains { index in
            ["ecdsa-sha2-", "ssh-", "sk-"].contains { words[index].starts(with: $0.utf8) }
                && index + 1 < words.count && words[index + 1].starts(with: "AAAA".utf8)
        }
    }

    /// Whether a file has keys and comments only.
    static func isSigners(_ start: [UInt8]) -> Bool {
        let meant = start.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            .filter { !$0.allSatisfy(isSpace) && $0.first != UInt8(ascii: "#") }
        return !meant.isEmpty && meant.allSatisfy(isAllowedSigner)
    }

    private static func otherEncoding(of start: [UInt8]) -> (what: String, encoding: String)? {
        if start.starts(with: [0xEF, 0xBB, 0xBF]) {
            return what(start.dropFirst(3)).map { ($0, "UTF-8 with a byte order mark") }
        }
        if start.prefix(8).contains(0) {
            // Two or four bytes a character, of which ASCII needs one.
            let text = start.filter { $0 != 0 }.drop { $0 >= 0xFE }
            return what(text).map { ($0, start.prefix(8).count { $0 == 0 } > 4 ? "UTF-32" : "UTF-16") }
        }
        // A string of JSON.
        if start.starts(with: #""{"#.utf8) {
            return what(start.dropFirst().filter { $0 != UInt8(ascii: "\\") }[...]).map { ($0, "quotes") }
        }
        if let bytes = hex(start), let what = what(bytes[...]) { return (what, "hexadecimal digits") }
        let digits = start.filter { !isSpace($0) }
        // Without the end, which may be in the middle of a group.
        if let bytes = Base64.decode(digits.prefix(digits.count / 4 * 4), isPadded: true), let what = what(bytes[...]) {
            return (what, "Base64")
        }
        return nil
    }

    /// The bytes of a text of hexadecimal digits, or of what xxd prints: `00000000: 7b22 666f  {"fo`.
    private static func hex(_ start: [UInt8]) -> [UInt8]? {
        var digits: [UInt8] = []
        for line in start.split(separator: UInt8(ascii: "\n")) {
            var rest = line
            if let colon = line.prefix(12).firstIndex(of: UInt8(ascii: ":")) {
                rest = line[(colon + 1)...].drop(while: isSpace)
                if let text = zip(rest.indices, rest.dropFirst()).first(where: { rest[$0.0] == 0x20 && $0.1 == 0x20 }) {
                    rest = rest[..<text.0]
                }
            }
            digits += rest.filter { !isSpace($0) }
        }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count - 1, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }

    private static func otherWhiteSpace(in start: [UInt8]) -> (what: String, difference: String)? {
        let text = start.drop(while: isSpace)
        if let what = what(text), isSpace(start[0]) { return (what, "white space before it") }
        let line = start.prefix { $0 != UInt8(ascii: "\n") }
        if line.last == UInt8(ascii: "\r"), let what = what(line) { return (what, "the line ends of Windows") }
        // Other programs write JSON with white space.
        let packed = start.filter { !isSpace($0) }
        guard start.first == UInt8(ascii: "{"), !start.contains(#""format":"inkpanel-"#.utf8),
            packed.contains(#""format":"inkpanel-"#.utf8), let what = what(packed[...])
        else { return nil }
        return (what, "white space in it")
    }

    private static let marks = [
        ("-----BEGIN SSH SIGNATURE-----", "a signature"), ("age-encryption.org/", "an encrypted record"),
        ("-----BEGIN AGE ENCRYPTED FILE-----", "an armoured age file"),
    ]

    private static func what(_ text: ArraySlice<UInt8>) -> String? {
        if let mark = marks.first(where: { text.starts(with: $0.0.utf8) }) { return mark.1 }
        guard text.first == UInt8(ascii: "{") else { return nil }
        if text.contains("inkpanel-capture".utf8) { return "a record" }
        return text.contains("inkpanel-seal".utf8) ? "a seal" : nil
    }
}
