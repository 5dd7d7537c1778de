// SPDX-License-Identifier: Apache-2.0

/// The keys that an organisation trusts: a file `allowed_signers` of OpenSSH (ssh-keygen(1), "ALLOWED SIGNERS"), as far
/// as panels need it.
///
/// Keys of other types than P-256 are left out. Certificate authorities are an error, because leaving them out would
/// change whom the file allows. Times without `Z` are taken as UTC; `ssh-keygen` takes them as times of its machine.
public struct AllowedSigners: Sendable {
    /// The longest file that is read, in bytes: about 10,000 keys.
    public static let longestFile = 4 << 20

    /// A line of the file.
    public struct Signer: Equatable, Sendable {
        /// Patterns of names, as in the file; at least one.
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

    public init(_ text: [UInt8]) throws(EvidenceError) {
        guard text.count <= Self.longestFile else { throw .longAllowedSigners }
        var signers: [Signer] = []
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            do throws(LineError) {
                if let signer = try Self.signer(line) { signers.append(signer) }
            } catch {
                throw .allowedSigners(line: index + 1, reason: error.reason)
            }
        }
        self.signers = signers
    }

    /// The signers with this key that may sign for `namespace`, at whatever time (``Signer/isValid(at:)``).
    public func signers(of key: PublicKey, namespace: String) -> [Signer] {
        signers.filter { $0.key == key && ($0.namespaces.map { Self.matches(namespace, $0) } ?? true) }
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

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// - Returns: nil for an empty line, a comment and a key of another type.
    private static func signer(_ line: ArraySlice<UInt8>) throws(LineError) -> Signer? {
        var line = line
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        var rest = line.drop(while: isSpace)
        guard let first = rest.first, first != UInt8(ascii: "#") else { return nil }
        let principals = try principals(try field(&rest))
        var second = try field(&rest)
        var options = Options()
        if !isKey(second, rest) {
            options = try Options(second)
            second = try field(&rest)
            guard isKey(second, rest) else { throw LineError(reason: "there is no key after the names and options") }
        }
        let key = try field(&rest)
        guard second.elementsEqual(PublicKey.type.utf8) else { return nil }
        guard let blob = Base64.decode(key, isPadded: true), let publicKey = PublicKey(blob: blob) else {
            throw LineError(reason: "the key is damaged; copy it whole")
        }
        return Signer(
            principals: principals, namespaces: options.namespaces, validAfter: options.validAfter,
            validBefore: options.validBefore, key: publicKey)
    }

    /// Reads up to white space outside of quotes.
    private static func field(_ rest: inout ArraySlice<UInt8>) throws(LineError) -> ArraySlice<UInt8> {
        rest = rest.drop(while: isSpace)
        var isQuoted = false
        var index = rest.startIndex
        while index < rest.endIndex, isQuoted || !isSpace(rest[index]) {
            if rest[index] == UInt8(ascii: "\\"), index + 1 < rest.endIndex, rest[index + 1] == UInt8(ascii: "\"") {
                index += 1
            } else if rest[index] == UInt8(ascii: "\"") {
                isQuoted.toggle()
            }
            index += 1
        }
        guard !isQuoted else { throw LineError(reason: "a quotation mark is missing") }
        guard index > rest.startIndex else { throw LineError(reason: "it ends too early: names, options, a key") }
        defer { rest = rest[index...] }
        return rest[..<index]
    }

    private static func principals(_ field: ArraySlice<UInt8>) throws(LineError) -> [String] {
        var field = field
        if field.count >= 2, field.first == UInt8(ascii: "\""), field.last == UInt8(ascii: "\"") {
            field = field.dropFirst().dropLast()
        }
        let text = try Self.text(field)
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !text.contains("\""), names.allSatisfy({ !$0.isEmpty }) else {
            throw LineError(reason: "the names must be separated by one comma each, all in quotes or none")
        }
        return names
    }

    /// Whether `type` and the field after it are a key of any type: its bytes begin with its type.
    private static func isKey(_ type: ArraySlice<UInt8>, _ rest: ArraySlice<UInt8>) -> Bool {
        let blob = Array(rest.drop(while: isSpace).prefix { !isSpace($0) })
        guard let bytes = Base64.decode(blob, isPadded: true) else { return false }
        var reader = SSHReader(bytes)
        return reader.string()?.elementsEqual(type) ?? false
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(LineError) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            throw LineError(reason: "it is not UTF-8 without control characters")
        }
        return text
    }

    // MARK: Options

    private struct Options {
        var namespaces: [String]?
        var validAfter: Int64?
        var validBefore: Int64?

        init() {}

        /// - Parameter field: `NAME="VALUE"`, separated by commas.
        init(_ field: ArraySlice<UInt8>) throws(LineError) {
            var rest = try AllowedSigners.text(field)[...]
            var names: Set<String> = []
            repeat {
                let written = rest.prefix { $0 != "=" && $0 != "," }
                let name = written.lowercased()
                rest = rest[written.endIndex...]
                guard names.insert(name).inserted else { throw LineError(reason: "\(name) is there twice") }
                switch name {
                case "namespaces":
                    let value = try Self.value(of: name, &rest)
                    let patterns = value.split(separator: ",", omittingEmptySubsequences: false)
                    guard patterns.allSatisfy({ !$0.isEmpty && $0 != "!" }) else {
                        throw LineError(reason: "namespaces must be separated by one comma each")
                    }
                    namespaces = patterns.map(String.init)
                case "valid-after": validAfter = try Self.time(of: name, &rest)
                case "valid-before": validBefore = try Self.time(of: name, &rest)
                case "cert-authority":
                    throw LineError(
                        reason: "certificate authorities (cert-authority) are not supported; list the keys of panels")
                default:
                    throw LineError(
                        reason: "\(name) is no option: namespaces=\"…\", valid-after=\"…\" or valid-before=\"…\", or it"
                            + " is a key that is not whole")
                }
                guard rest.isEmpty || rest.first == "," && rest.count > 1 else {
                    throw LineError(reason: "a comma is missing after \(name), or an option after the comma")
                }
                rest = rest.dropFirst()
            } while !rest.isEmpty
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

    /// - Parameter text: 8, 12 or 14 digits, and optionally `Z` or `UTC`.
    /// - Returns: seconds since 1970; nil for other texts, for times that do not exist and for those up to 1970.
    private static func time(_ text: String) -> Int64? {
        var digits = Array(text.utf8)[...]
        for suffix in ["UTC", "Z"] where digits.count > suffix.utf8.count && text.hasSuffix(suffix) {
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
            let hour = next(2, 0...23), let minute = next(2, 0...59), let second = next(2, 0...59)
        else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[Int(month) - 1] else { return nil }
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
