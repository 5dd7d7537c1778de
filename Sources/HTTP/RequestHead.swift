// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation

/// The request line and the headers of a request (RFC 9112), read strictly: what two readers could take for different
/// requests is refused. Headers that the API does not have are checked and dropped.
struct RequestHead: Sendable {
    /// Bytes of a line, and of all of them. nginx has the same limits (deploy/nginx/nginx.conf).
    static let lineLimit = 8 << 10
    static let limit = 32 << 10
    /// Bytes of the address, and of a header of the API. No call needs more, and these cost more to read.
    static let targetLimit = 1 << 10
    static let valueLimit = 2 << 10
    /// Items of all lists in headers of the API.
    static let itemLimit = 100

    enum Body: Equatable, Sendable {
        /// Bytes.
        case length(Int)
        case chunked
    }

    let method: String
    let target: HTTPRequest.Target
    let headers: HTTPHeaders
    private(set) var body = Body.length(0)
    private(set) var expectsContinue = false
    private(set) var isLast = false
    /// Why the request is refused, although its headers can be read. The connection must end then.
    private(set) var problem: Problem?

    /// Headers of the API that have one value, in lower case. nginx.conf passes these and ``lists``, but those that
    /// concern one connection only.
    private static let single: Set<String> = [
        "host", "authorization", "content-encoding", "content-length", "content-type", "expect", "idempotency-key",
        "last-event-id", "origin", "sec-fetch-site", "sec-websocket-key", "sec-websocket-version", "transfer-encoding",
        "x-inkpanel-address", "x-inkpanel-client",
    ]
    /// Headers of the API that are lists, of which there may be several (RFC 9110, 5.3).
    private static let lists: Set<String> = [
        "connection", "if-none-match", "prefer", "sec-websocket-protocol", "upgrade",
    ]

    /// - Parameter lines: without their ends, at least one.
    /// - Throws: ``Problem`` if they are not those of a request.
    init(lines: [ArraySlice<UInt8>]) throws(Problem) {
        (headers, problem) = try Self.headers(lines.dropFirst())
        let words = lines[0].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy({ 0x41...0x5A ~= $0 }) else {
            throw .malformed("A request begins with a method in upper case, an address, and the version.")
        }
        method = String(decoding: words[0], as: UTF8.self)
        guard words[2].starts(with: Array("HTTP/".utf8)) else { throw .malformed("The version is HTTP/1.1.") }
        guard Self.isTarget(words[1]) else {
            throw .malformed("An address begins with / and has only the characters of RFC 3986, others as %XX.")
        }
        let parts = words[1].prefix(Self.targetLimit)
            .split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        target = HTTPRequest.Target(path: parts[0], query: parts.count > 1 ? parts[1] : "")
        if words[2] != Array("HTTP/1.1".utf8)[...] { problem = .wrongVersion }
        if words[1].count > Self.targetLimit { problem = .addressTooLong }
        do { try readFraming() } catch { problem = error }
    }

    private mutating func readFraming() throws(Problem) {
        isLast = values("Connection").contains("close")
        let codings = headers.values(for: .transferEncoding)
        if let coding = codings.first {
            guard headers[.contentLength] == nil else {
                throw .malformed("A request has Content-Length or Transfer-Encoding, not both.")
            }
            guard coding.lowercased() == "chunked" else { throw .unknownCoding }
            body = .chunked
        } else if let length = headers[.contentLength] {
            // More digits would not fit in a number.
            guard 1...18 ~= length.utf8.count, length.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let count = Int(length)
            else { throw .malformed("Content-Length is a number of bytes.") }
            body = .length(count)
        }
        if let expectation = headers[HTTPHeader("Expect")] {
            guard expectation.lowercased() == "100-continue" else { throw .unknownExpectation }
            expectsContinue = body != .length(0)
        }
    }

    /// The items of a list, in lower case.
    private func values(_ name: String) -> [String] {
        headers.values(for: HTTPHeader(name)).flatMap { $0.split(separator: ",") }
            .map { $0.withoutSpace.lowercased() }
    }

    // MARK: lines

    private static func headers(
        _ lines: ArraySlice<ArraySlice<UInt8>>
    ) throws(Problem) -> (headers: HTTPHeaders, problem: Problem?) {
        var headers = HTTPHeaders()
        var problem: Problem?
        var itemCount = 0
        for line in lines {
            // A line that begins with a space would go on with the one before (obs-fold).
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy(isNameCharacter)
            else { throw .malformed("A header is a name, a colon without a space before it, and a value.") }
            let value = trimmed(line[(colon + 1)...])
            guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw .malformed("A header has a control character.")
            }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            guard single.contains(name) || lists.contains(name) else { continue }
            guard value.count <= valueLimit else {
                problem = .headersTooLarge
                continue
            }
            if lists.contains(name) { itemCount += 1 + value.count { $0 == UInt8(ascii: ",") } }
            guard itemCount <= itemLimit else {
                problem = .headersTooLarge
                continue
            }
            let header = HTTPHeader(name)
            // The gateway's own check of Host says more.
            if single.contains(name), name != "host", !headers.values(for: header).isEmpty {
                problem = .malformed("There are two headers \(name).")
            }
            headers.addValue(String(decoding: value, as: UTF8.self), for: header)
        }
        return (headers, problem)
    }

    /// Without spaces and tabs at both ends.
    private static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        let rest = value.drop(while: isSpace)
        return rest.prefix(rest.lastIndex { !isSpace($0) }.map { $0 + 1 - rest.startIndex } ?? 0)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
    }

    private static let nameMarks = Set("!#$%&'*+-.^_`|~".utf8)
    private static let targetMarks = Set("/?-._~!$&'()*+,;=:@".utf8)

    /// RFC 9110, 5.6.2.
    private static func isNameCharacter(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || nameMarks.contains(byte) }

    /// A path with a query, RFC 3986.
    private static func isTarget(_ target: ArraySlice<UInt8>) -> Bool {
        guard target.first == UInt8(ascii: "/") else { return false }
        var escaped = 0
        for byte in target {
            if escaped > 0 {
                guard 0x30...0x39 ~= byte || 0x41...0x46 ~= byte || 0x61...0x66 ~= byte else { return false }
                escaped -= 1
            } else if byte == UInt8(ascii: "%") {
                escaped = 2
            } else if !isAlphanumeric(byte), !targetMarks.contains(byte) {
                return false
            }
        }
        return escaped == 0
    }
}

extension StringProtocol {
    /// The text without the optional white space of RFC 9110 (5.6.3) at both ends: spaces and tabs, and no other of
    /// Unicode.
    var withoutSpace: String { trimmingCharacters(in: CharacterSet(charactersIn: " \t")) }
}

/// Why a request is refused before anybody looks at what it asks for. deploy/nginx/nginx.conf has the same names.
extension Problem {
    static func malformed(_ detail: String) -> Problem {
        Problem(name: .badRequest, status: 400, detail: "This is not a well-formed HTTP request. " + detail)
    }

    static let wrongVersion = Problem(
        name: .wrongVersion, status: 505, detail: "Use HTTP/1.1; through nginx, HTTP/2, too.")
    static let addressTooLong = Problem(
        name: .addressTooLong, status: 414,
        detail: "An address has at most \(RequestHead.targetLimit) bytes, with its query.")
    static let headersTooLarge = Problem(
        name: .headersTooLarge, status: 431,
        detail: "A header has at most \(RequestHead.lineLimit) bytes, one that the API has \(RequestHead.valueLimit), "
            + "all together \(RequestHead.limit); lists in these have at most \(RequestHead.itemLimit) items.")
    static let unknownCoding = Problem(
        name: .notImplemented, status: 501, detail: "The only Transfer-Encoding is chunked.")
    static let unknownExpectation = Problem(
        name: .unknownExpectation, status: 417, detail: "The only expectation is 100-continue.")
    /// The client's time, not the panel's.
    static let slowRequest = Problem(
        name: .tooSlow, status: 408, detail: "The request did not arrive in time.")
}
