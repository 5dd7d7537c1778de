// SPDX-License-Identifier: Apache-2.0
internal import CLibcrypto

/// The first part of an age file (c2sp.org/age, "Header"): for each recipient a stanza with the wrapped file key, and
/// an authentication code.
struct AgeHeader {
    struct Stanza: Equatable {
        /// The type and what belongs to it. At least one; each has one or more visible ASCII characters.
        var arguments: [String]
        var body: [UInt8]
    }

    var stanzas: [Stanza]
    /// The header up to and with `---`.
    private(set) var authenticated: [UInt8]
    /// 32 bytes.
    private(set) var code: [UInt8]
    /// The number of bytes of the whole header.
    var byteCount: Int { authenticated.count + " \n".utf8.count + Self.codeLength }

    /// The longest header that is read, in bytes: about 650 recipients. Each costs time before the code can be checked.
    static let longest = 64 << 10
    private static let version = Array("age-encryption.org/v1".utf8)
    private static let stanzaStart = Array("-> ".utf8)
    private static let end = Array("---".utf8)
    private static let lineLength = 64
    /// 32 bytes in Base64.
    private static let codeLength = 43
    private static let newline = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")

    // MARK: Reading

    /// - Parameter file: the whole file.
    init(_ file: [UInt8]) throws(EvidenceError) {
        var scanner = Scanner(rest: file.prefix(Self.longest), isWhole: file.count <= Self.longest)
        let first = try scanner.line()
        guard first == Self.version[...] else {
            if first.starts(with: Array("-----BEGIN AGE".utf8)) {
                throw .ageFile(reason: "its header is armoured text; encrypt without -a, or decrypt it with age")
            }
            if first.starts(with: Array("age-encryption.org/".utf8)) {
                throw .ageFile(reason: "its header is of another version than v1; decrypt it with a newer age")
            }
            throw .ageFile(reason: "its header is not that of age")
        }
        stanzas = []
        while true {
            let start = scanner.rest.startIndex
            let line = try scanner.line()
            if line.starts(with: Self.stanzaStart) {
                stanzas.append(try Self.stanza(line.dropFirst(Self.stanzaStart.count), &scanner))
                continue
            }
            guard !stanzas.isEmpty, line.starts(with: Self.end + [Self.space]),
                let code = Base64.decode(line.dropFirst(Self.end.count + 1), isPadded: false),
                code.count == HMACSHA256.byteCount
            else { throw .ageFile(reason: "its header has a line that is no recipient and no authentication code") }
            authenticated = Array(file[..<(start + Self.end.count)])
            self.code = code
            return
        }
    }

    private static func stanza(
        _ line: ArraySlice<UInt8>, _ scanner: inout Scanner
    ) throws(EvidenceError) -> Stanza {
        let arguments = line.split(separator: space, omittingEmptySubsequences: false)
        guard arguments.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x21...0x7e).contains($0) } }) else {
            throw .ageFile(reason: "its header has a recipient with an invalid argument")
        }
        var body: [UInt8] = []
        while true {
            let line = try scanner.line()
            // 64 digits are 48 bytes, so that each line can be decoded by itself.
            guard line.count <= lineLength, let bytes = Base64.decode(line, isPadded: false) else {
                throw .ageFile(reason: "its header has a recipient with an invalid body")
            }
            body += bytes
            if line.count < lineLength { break }
        }
        return Stanza(arguments: arguments.map { String(decoding: $0, as: UTF8.self) }, body: body)
    }

    private struct Scanner {
        var rest: ArraySlice<UInt8>
        /// Whether the file ends where `rest` does.
        let isWhole: Bool

        /// The next line without its newline.
        mutating func line() throws(EvidenceError) -> ArraySlice<UInt8> {
            guard let end = rest.firstIndex(of: AgeHeader.newline) else {
                throw .ageFile(
                    reason: isWhole
                        ? "its header is cut, or it is no age file" : "its header is longer than \(longest) bytes")
            }
            defer { rest = rest[(end + 1)...] }
            return rest[..<end]
        }
    }

    /// Whether whoever wrote the header had the file key.
    func isAuthentic(fileKey: Secret) throws(EvidenceError) -> Bool {
        let expected = try Self.code(of: authenticated, fileKey: fileKey)
        return CRYPTO_memcmp(expected, code, expected.count) == 0
    }

    // MARK: Writing

    /// - Parameters:
    ///   - stanzas: at least one.
    ///   - fileKey: what they wrap.
    init(_ stanzas: [Stanza], fileKey: Secret) throws(EvidenceError) {
        var bytes = Self.version + [Self.newline]
        for stanza in stanzas {
            bytes += Self.stanzaStart
            bytes += Array(stanza.arguments.joined(separator: " ").utf8)
            bytes.append(Self.newline)
            let text = Base64.encode(stanza.body, isPadded: false)
            // The last line is shorter than the others, empty if need be.
            for start in stride(from: 0, through: text.count, by: Self.lineLength) {
                bytes += text[start..<min(start + Self.lineLength, text.count)]
                bytes.append(Self.newline)
            }
        }
        bytes += Self.end
        self.stanzas = stanzas
        authenticated = bytes
        code = try Self.code(of: bytes, fileKey: fileKey)
    }

    var bytes: [UInt8] {
        var bytes = authenticated
        bytes.append(Self.space)
        bytes += Base64.encode(code, isPadded: false)
        bytes.append(Self.newline)
        return bytes
    }

    private static func code(of authenticated: [UInt8], fileKey: Secret) throws(EvidenceError) -> [UInt8] {
        let key = try HKDFSHA256.derive(from: fileKey, salt: [], info: "header")
        return try HMACSHA256.authenticate(authenticated, with: key)
    }
}
