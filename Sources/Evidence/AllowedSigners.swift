// SPDX-License-Identifier: Apache-2.0
import HostAPI

/// The keys that an organisation trusts: a file `allowed_signers` of OpenSSH (ssh-keygen(1), "ALLOWED SIGNERS"), as far
/// as panels need it. Its lines allow what they allow to `ssh-keygen -Y verify`; as there, a line that cannot be used
/// allows nobody, and the others count.
///
/// Keys of other types than P-256 are left out. Times without `Z` are taken as UTC; `ssh-keygen` takes them as times of
/// its machine.
public struct AllowedSigners: Sendable {
    /// The longest file that is read, in bytes: about 10,000 keys.
    public static let longestFile = 4 << 20

    /// A line of the file.
    public struct Signer: Equatable, Sendable {
        /// Patterns of names, as in the file; at least one. Bytes that are no UTF-8 are U+FFFD here, which is in no
        /// name.
        public let principals: [String]
        /// Patterns of what the key may sign; nil for everything.
        public let namespaces: [String]?
        /// The first and the last second in which the key may sign, since 1970, UTC; nil for no limit.
        public let validAfter: Int64?
        public let validBefore: Int64?
        public let key: PublicKey

        /// - Parameter time: in seconds since 1970, UTC.
        public func isValid(at time: Int64) -> Bool {
            (validAfter.map { $0 <= time } ?? true) && (validBefore.map { time <= $0 } ?? true)
        }
    }

    /// The lines of P-256 keys, in the order of the file.
    public let signers: [Signer]
    /// The lines that cannot be used, from 1, and why.
    public let unusable: [(line: Int, reason: String)]

    public init(_ text: [UInt8]) throws(EvidenceError) {
        guard text.count <= Self.longestFile else { throw .longAllowedSigners }
        var signers: [Signer] = []
        var unusable: [(line: Int, reason: String)] = []
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            do throws(LineError) {
                if let signer = try Self.signer(line) { signers.append(signer) }
            } catch {
                unusable.append((index + 1, error.reason))
            }
        }
        (self.signers, self.unusable) = (signers, unusable)
    }

    /// The signers with this key that may sign for `namespace`, at whatever time (``Signer/isValid(at:)``).
    /// - Parameter principal: the name that they must have; nil for any.
    public func signers(of key: PublicKey, namespace: String, principal: String? = nil) -> [Signer] {
        // Patterns have it for any byte that is no UTF-8.
        if let principal, principal.unicodeScalars.contains("\u{FFFD}") { return [] }
        return signers.filter { signer in
            signer.key == key && signer.namespaces.map { Self.matches(namespace, $0) } ?? true
                && principal.map { Self.matches($0, signer.principals) } ?? true
        }
    }

    /// A line for such a file, without its newline.
    /// - Parameters:
    ///   - principal: a name such as `panel-12@example.org`. Characters that have a meaning in the file become `-`.
    ///   - namespace: as ``SSHSignature/namespace``, without quotes, commas, `*`, `?` and `!`.
    ///   - validAfter: `YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, with `Z` for UTC; nil for no limit.
    public static func line(principal: String, key: PublicKey, namespace: String, validAfter: String?) -> String {
        let name = String(
            String.UnicodeScalarView(
                principal.unicodeScalars.map {
                    $0.value <= 0x20 || $0.value == 0x7f || "\"',*?!#\\".unicodeScalars.contains($0) ? "-" : $0
                }))
        let from = validAfter.map { ",valid-after=\"\($0)\"" } ?? ""
        return "\(name.isEmpty ? "-" : name) namespaces=\"\(namespace)\"\(from) \(key.text)"
    }

    // MARK: Lines

    private struct LineError: Error {
        var reason: String
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func isSpace(_ byte: UInt8) -> Bool { isBlank(byte) || byte == UInt8(ascii: "\r") }

    /// Reads a line as parse_principals_key_and_options() of OpenSSH does (sshsig.c).
    /// - Returns: nil for an empty line, a comment and a key of another type.
    private static func signer(_ line: ArraySlice<UInt8>) throws(LineError) -> Signer? {
        // OpenSSH ends a line at its first zero byte, and finds no names in a line that begins with CR.
        var rest = line.prefix { $0 != 0 }.drop(while: isBlank)
        guard let first = rest.first, first != UInt8(ascii: "#"), !rest.allSatisfy(isSpace) else { return nil }
        guard let names = firstWord(&rest) else { throw LineError(reason: "it ends too early: names, options, a key") }
        let principals = text(names).split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if isKeyOfOtherType(rest) { return nil }
        var options = Options()
        var key = try key(rest)
        if key == nil {
            options = try Options(try optionField(&rest))
            if isKeyOfOtherType(rest) { return nil }
            key = try self.key(rest)
        }
        guard let key else { throw LineError(reason: "there is no key after the names and options") }
        if options.isAuthority {
            throw LineError(
                reason: "certificate authorities (cert-authority) are not supported; list the keys of panels")
        }
        return Signer(
            principals: principals, namespaces: options.namespaces, validAfter: options.validAfter,
            validBefore: options.validBefore, key: key)
    }

    /// Reads the names and the white space after them: up to white space, or to the end of a part in quotes, which has
    /// no escapes.
    private static func firstWord(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let quote = UInt8(ascii: "\"")
        guard let end = rest.firstIndex(where: { isSpace($0) || $0 == quote }) else { return nil }
        let quoteEnds = rest[end] == quote
        var word = rest[..<end]
        rest = rest[(end + 1)...]
        if quoteEnds {
            guard let close = rest.firstIndex(of: quote) else { return nil }
            word += rest[..<close]
            rest = rest[(close + 1)...]
        }
        rest = rest.drop(while: isSpace)
        return word
    }

    /// Reads up to a blank outside of quotes, and the blanks after it.
    private static func optionField(_ rest: inout ArraySlice<UInt8>) throws(LineError) -> ArraySlice<UInt8> {
        var isQuoted = false
        var index = rest.startIndex
        while index < rest.endIndex, isQuoted || !isBlank(rest[index]) {
            if rest[index] == UInt8(ascii: "\\"), index + 1 < rest.endIndex, rest[index + 1] == UInt8(ascii: "\"") {
                index += 1
            } else if rest[index] == UInt8(ascii: "\"") {
                isQuoted.toggle()
            }
            index += 1
        }
        guard !isQuoted else { throw LineError(reason: "a quotation mark is missing") }
        guard index < rest.endIndex else { throw LineError(reason: "it ends too early: names, options, a key") }
        defer { rest = rest[index...].drop(while: isBlank) }
        return rest[..<index]
    }

    /// The type and the Base64 of a key at the start of `rest`.
    private static func keyFields(_ rest: ArraySlice<UInt8>) -> (type: ArraySlice<UInt8>, blob: [UInt8]) {
        let type = rest.prefix { !isBlank($0) }
        let word = rest.dropFirst(type.count).drop(while: isBlank).prefix { !isBlank($0) }
        // OpenSSH's Base64 passes over vertical tabs, form feeds and CR.
        return (type, word.filter { !(0x0B...0x0D).contains($0) })
    }

    /// - Returns: nil if there is no key at the start of `rest`.
    private static func key(_ rest: ArraySlice<UInt8>) throws(LineError) -> PublicKey? {
        let (type, blob) = keyFields(rest)
        guard type.elementsEqual(PublicKey.type.utf8) else { return nil }
        guard let bytes = Base64.decode(blob, isPadded: true), let key = PublicKey(blob: bytes) else {
            throw LineError(reason: "the key is damaged; copy it whole")
        }
        return key
    }

    /// Whether a key of another type is at the start of `rest`: its bytes begin with its type.
    private static func isKeyOfOtherType(_ rest: ArraySlice<UInt8>) -> Bool {
        let (type, blob) = keyFields(rest)
        guard !type.elementsEqual(PublicKey.type.utf8), let bytes = Base64.decode(blob, isPadded: true) else {
            return false
        }
        var reader = SSHReader(bytes)
        return reader.string()?.elementsEqual(type) ?? false
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    // MARK: Options

    private struct Options {
        var namespaces: [String]?
        var validAfter: Int64?
        var validBefore: Int64?
        var isAuthority = false

        init() {}

        /// - Parameter field: `NAME="VALUE"`, separated by commas, names in any case (sshsigopt_parse() of OpenSSH).
        init(_ field: ArraySlice<UInt8>) throws(LineError) {
            var rest = AllowedSigners.text(field)[...]
            while !rest.isEmpty {
                // OpenSSH takes more commas than one.
                if rest.first == ",", rest.count > 1 {
                    rest = rest.dropFirst()
                    continue
                }
                let written = rest.prefix { $0 != "=" && $0 != "," }
                let name = written.lowercased()
                rest = rest[written.endIndex...]
                switch name {
                case "namespaces" where namespaces == nil:
                    namespaces = try Self.value(of: name, &rest)
                        .split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                case "valid-after" where validAfter == nil: validAfter = try Self.time(of: name, &rest)
                case "valid-before" where validBefore == nil: validBefore = try Self.time(of: name, &rest)
                case "namespaces", "valid-after", "valid-before": throw LineError(reason: "\(name) is there twice")
                case "cert-authority": isAuthority = true
                default:
                    throw LineError(
                        reason: "\(name) is no option: namespaces=\"…\", valid-after=\"…\" or valid-before=\"…\", or it"
                            + " is a key that is not whole")
                }
                guard rest.isEmpty || rest.first == "," && rest.count > 1 else {
                    throw LineError(reason: "a comma is missing after \(name), or an option after the comma")
                }
                rest = rest.dropFirst()
            }
            if let validAfter, let validBefore, validBefore <= validAfter {
                throw LineError(reason: "valid-before is not after valid-after")
            }
        }

        private static func value(of name: String, _ rest: inout Substring) throws(LineError) -> String {
            guard rest.hasPrefix("=\"") else { throw LineError(reason: "\(name) must have a value in quotes") }
            rest = rest.dropFirst(2)
            var value = ""
            while let character = rest.popFirst(), character != "\"" {
                value.append(character == "\\" && rest.first == "\"" ? rest.removeFirst() : character)
            }
            return value
        }

        private static func time(of name: String, _ rest: inout Substring) throws(LineError) -> Int64 {
            guard let time = AllowedSigners.time(try value(of: name, &rest)) else {
                throw LineError(
                    reason: "\(name) is not a time: YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, with Z after it for UTC")
            }
            return time
        }
    }

    /// - Parameter text: 8, 12 or 14 digits, and optionally `Z` or `UTC`. A day or second that does not exist counts on
    ///   from the last one, as in C.
    /// - Returns: seconds since 1970; nil for other texts and for times up to 1970.
    private static func time(_ text: String) -> Int64? {
        var digits = Array(text.utf8)[...]
        for suffix in ["UTC", "Z"] where digits.count > suffix.utf8.count && text.uppercased().hasSuffix(suffix) {
            digits = digits.dropLast(suffix.utf8.count)
            break
        }
        guard [8, 12, 14].contains(digits.count) else { return nil }
        func next(_ count: Int, _ range: ClosedRange<Int64>) -> Int64? {
            guard !digits.isEmpty else { return 0 }
            let part = digits.prefix(count)
            digits = digits.dropFirst(count)
            guard part.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
            let value = part.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
            return range.contains(value) ? value : nil
        }
        guard let year = next(4, 1970...9999), let month = next(2, 1...12), let day = next(2, 1...31),
            let hour = next(2, 0...23), let minute = next(2, 0...59), let second = next(2, 0...61)
        else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        let before = year - 1
        // 719162 days are before 1970 in the Gregorian calendar from the year 1.
        var days = before * 365 + before / 4 - before / 100 + before / 400 - 719_162
        days += lengths[..<(Int(month) - 1)].reduce(0, +) + day - 1
        let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
        return seconds > 0 ? seconds : nil
    }

    // MARK: Patterns

    /// Whether one of `patterns` matches `text`, and none that begins with `!`.
    private static func matches(_ text: String, _ patterns: [String]) -> Bool {
        let text = Array(text.utf8)
        var isMatched = false
        for pattern in patterns {
            if pattern.utf8.first == UInt8(ascii: "!") {
                if matches(text[...], Array(pattern.utf8.dropFirst())[...]) { return false }
            } else if matches(text[...], Array(pattern.utf8)[...]) {
                isMatched = true
            }
        }
        return isMatched
    }

    /// `*` matches any text and `?` any byte. Goes back to the last `*` only, so that no pattern takes long.
    private static func matches(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        var (text, pattern) = (text, pattern)
        var retry: (text: ArraySlice<UInt8>, pattern: ArraySlice<UInt8>)?
        while true {
            if pattern.first == UInt8(ascii: "*") {
                pattern = pattern.dropFirst()
                retry = (text, pattern)
            } else if let byte = text.first, let wanted = pattern.first, wanted == UInt8(ascii: "?") || wanted == byte {
                text = text.dropFirst()
                pattern = pattern.dropFirst()
            } else if text.isEmpty, pattern.isEmpty {
                return true
            } else if let last = retry, !last.text.isEmpty {
                retry = (last.text.dropFirst(), last.pattern)
                text = last.text.dropFirst()
                pattern = last.pattern
            } else {
                return false
            }
        }
    }
}
