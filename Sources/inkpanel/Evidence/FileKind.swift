// SPDX-License-Identifier: Apache-2.0

/// What a file to verify is, by its first bytes and its name.
enum FileKind {
    case record, encrypted, seal, signature
    /// Any other file. With a form, it is probably no document.
    case document(FileForm?)

    /// - Parameter start: all of the file, or at least a header.
    init(_ start: [UInt8], _ path: String) {
        if start.starts(with: "age-encryption.org/".utf8) {
            self = .encrypted
        } else if start.starts(with: "-----BEGIN SSH SIGNATURE-----".utf8) {
            self = .signature
        } else if let form = FileForm(start) {
            self = .document(form)
        } else if path.hasSuffix(".seal") || start.contains(#""format":"inkpanel-seal""#.utf8) {
            self = .seal
        } else if path.hasSuffix(".jsonl") || start.contains(#""format":"inkpanel-capture""#.utf8) {
            self = .record
        } else {
            self = .document(nil)
        }
    }
}

/// A form of evidence that is not checked as it is, because its bytes are not those that were sealed.
struct FileForm {
    /// What the file is, and what to do.
    let advice: String

    /// - Returns: nil for anything else, also for documents.
    init?(_ start: [UInt8]) {
        if start.isEmpty {
            advice = "is empty"
        } else if let (program, unpack) = Self.compression(of: start) {
            advice = "is compressed (\(program)): unpack it with \(unpack), and verify what is in it"
        } else if let (what, encoding) = Self.otherEncoding(of: start) {
            advice = "is \(what) in \(encoding), which is not what was sealed: take the file as the panel wrote it"
        } else if start.drop(while: Self.isSpace).starts(with: "-----BEGIN AGE ENCRYPTED FILE-----".utf8) {
            advice = "is an armoured age file, which is not what was sealed: take the binary one, or decrypt it with"
                + " age -d -i IDENTITY, and verify the record"
        } else if start.contains("AGE-SECRET-KEY-1".utf8) {
            advice = "is an identity of age: give it with --identity"
        } else if Self.isAllowedSigners(start) {
            advice = "is a file of allowed signers: give it with --allowed-signers"
        } else if let what = Self.what(start.drop(while: Self.isSpace)), Self.isSpace(start[0]) {
            advice = "is \(what) with white space before it, which is not what was sealed"
        } else {
            return nil
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

    /// The first bytes of compressed files, as in file(1).
    private static func compression(of start: [UInt8]) -> (program: String, unpack: String)? {
        let forms: [([UInt8], String, String)] = [
            ([0x1F, 0x8B], "gzip", "gunzip"), (Array("PK\u{3}\u{4}".utf8), "zip", "unzip"),
            ([0xFD] + Array("7zXZ\0".utf8), "xz", "unxz"), (Array("BZh".utf8), "bzip2", "bunzip2"),
            ([0x28, 0xB5, 0x2F, 0xFD], "zstd", "unzstd"), (Array("7z".utf8) + [0xBC, 0xAF], "7-Zip", "7z x"),
        ]
        return forms.first { start.starts(with: $0.0) }.map { ($0.1, $0.2) }
    }

    private static func otherEncoding(of start: [UInt8]) -> (what: String, encoding: String)? {
        if start.starts(with: [0xEF, 0xBB, 0xBF]) {
            return what(start.dropFirst(3)).map { ($0, "UTF-8 with a byte order mark") }
        }
        // Two or four bytes a character, of which ASCII needs one.
        let text = start.filter { $0 != 0 }.drop { $0 >= 0xFE }
        guard start.prefix(8).contains(0) else { return nil }
        return what(text).map { ($0, start.prefix(8).count { $0 == 0 } > 4 ? "UTF-32" : "UTF-16") }
    }

    private static func what(_ text: ArraySlice<UInt8>) -> String? {
        let marks = [
            ("-----BEGIN SSH SIGNATURE-----", "a signature"), ("age-encryption.org/", "an encrypted record"),
            ("-----BEGIN AGE ENCRYPTED FILE-----", "an armoured age file"),
        ]
        if let mark = marks.first(where: { text.starts(with: $0.0.utf8) }) { return mark.1 }
        guard text.first == UInt8(ascii: "{") else { return nil }
        if text.contains("inkpanel-capture".utf8) { return "a record" }
        return text.contains("inkpanel-seal".utf8) ? "a seal" : nil
    }

    private static func isAllowedSigners(_ start: [UInt8]) -> Bool {
        start.split(separator: UInt8(ascii: "\n")).contains { line in
            line.first != UInt8(ascii: "{") && line.contains(" ecdsa-sha2-nistp256 AAAA".utf8)
        }
    }
}
