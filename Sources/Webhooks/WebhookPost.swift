// SPDX-License-Identifier: Apache-2.0
import Configuration
import Foundation
import Linux

/// Sends one message with curl, a program of its own: foreign answers are read outside of this process, and it ends at
/// its time limit, whatever the receiver does.
struct WebhookPost: Sendable {
    enum Result: Equatable {
        case delivered
        /// 410: the receiver wants no more messages.
        case gone
        /// The receiver is there and does not take this message.
        /// - Parameter status: of HTTP.
        case refused(status: Int)
        /// There is no answer, or one of a server that is overloaded or away.
        /// - Parameters:
        ///   - reason: for people, and for a file that all may read: without names and addresses.
        ///   - detail: what curl says, for the log.
        ///   - pause: seconds that it asks for, if any.
        case unreachable(reason: String, detail: String? = nil, pause: Double = 0)
    }

    /// Seconds: for the connection, for all, and until the process is killed.
    private static let connectLimit = 5
    private static let limit = 15
    private static let killLimit: Int64 = 20
    /// Bytes a second, and bytes, of an answer. curl discards it.
    private static let rate = 64 << 10
    private static let longestAnswer = 1 << 20
    /// Bytes of the status and a header; curl takes headers of 300 KB in all.
    private static let longestOutput = 512 << 10

    let endpoint: WebhookEndpoint
    /// The path of curl.
    var program = "/usr/bin/curl"
    let version: String

    /// - Parameters:
    ///   - body: what `file` holds.
    ///   - now: seconds since 1970-01-01 UTC.
    func send(id: String, body: [UInt8], file: String, now: Int64) -> Result {
        let signature = WebhookMessage.signatures(id: id, timestamp: now, body: body, secrets: endpoint.secrets)
        var lines = [
            "url = \(quoted(endpoint.url))", "data-binary = \(quoted("@" + file))",
            "header = \"Content-Type: application/json\"", "header = \"Expect:\"", "header = \"webhook-id: \(id)\"",
            "header = \"webhook-timestamp: \(now)\"", "header = \"webhook-signature: \(signature)\"",
            "user-agent = \"\(version)\"", "proto = \"\(endpoint.url.hasPrefix("https:") ? "=https" : "=http")\"",
            "max-redirs = 0", "noproxy = \"*\"", "tlsv1.2", "globoff", "silent", "show-error", "output = \"/dev/null\"",
            "connect-timeout = \(Self.connectLimit)", "max-time = \(Self.limit)", "limit-rate = \(Self.rate)",
            "max-filesize = \(Self.longestAnswer)", "write-out = \"%{http_code} %header{retry-after}\"",
        ]
        if let authorities = endpoint.authorities { lines.append("cacert = \(quoted(authorities))") }
        // The options come through the pipe: others can see the arguments of a process.
        let curl = FilterProgram(path: program, arguments: ["--disable", "--config", "-"])
        let outcome: FilterProgram.Outcome
        do throws(FilterProgram.Failure) {
            outcome = try curl.outcome(
                input: [Array(lines.joined(separator: "\n").utf8)], mostOutput: Self.longestOutput,
                deadline: MonotonicClock.nanoseconds + Self.killLimit * 1_000_000_000)
        } catch {
            return .unreachable(reason: reason(error))
        }
        let output = outcome.output.split(separator: UInt8(ascii: " "), maxSplits: 1)
        let parts = output.map { String(decoding: $0, as: UTF8.self) }
        let status = parts.first.flatMap { Int($0) } ?? 0
        let pause = parts.count > 1 ? Self.seconds(ofRetryAfter: parts[1], now: now) : 0
        switch outcome.end {
        // Only the status counts: the rest may be too long, have no end, or break off.
        case .status(let code) where code == 0 || status >= 200: return Self.result(of: status, pause: pause)
        case .status(let code):
            let message = String(decoding: outcome.message, as: UTF8.self).printable
            return .unreachable(reason: Self.reason(code), detail: message.isEmpty ? nil : message)
        case .signal: return .unreachable(reason: "curl was killed")
        }
    }

    /// The meaning of an exit code of curl(1).
    static func reason(_ code: CInt) -> String {
        switch code {
        case 6: "the receiver's name is not found"
        case 7: "the receiver cannot be reached"
        case 28: "the receiver is too slow"
        case 52, 55, 56: "the receiver breaks the connection off"
        case 60: "the receiver's certificate is not valid here"
        case 77: "the file of certificates (ca-file) cannot be used"
        case 35, 53, 54, 58, 59, 64, 66, 80, 82, 83, 90, 91: "TLS with the receiver failed"
        default: "curl failed with exit code \(code)"
        }
    }

    /// The value of the header Retry-After in seconds; it may be a date (RFC 9110, 10.2.3). 0 for neither.
    /// - Parameter now: seconds since 1970-01-01 UTC.
    static func seconds(ofRetryAfter text: String, now: Int64) -> Double {
        if let seconds = Double(text), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) { return seconds }
        let format = DateFormatter()
        (format.locale, format.timeZone) = (Locale(identifier: "en_US_POSIX"), TimeZone(secondsFromGMT: 0))
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return max(0, (format.date(from: text)?.timeIntervalSince1970 ?? 0) - Double(now))
    }

    static func result(of status: Int, pause: Double = 0) -> Result {
        switch status {
        case 200..<300: .delivered
        case 410: .gone
        // The server, or one before it, is overloaded or away: others would fail, too.
        case 429, 502, 503, 504: .unreachable(reason: "the receiver answers \(status)", pause: pause)
        default: .refused(status: status)
        }
    }

    private func reason(_ failure: FilterProgram.Failure) -> String {
        switch failure {
        case .notStarted(.noSuchFile): "\(program) is not there: install the package curl"
        case .notStarted(let error), .failed(let error): "\(program): \(error)"
        default: "curl was killed after \(Self.killLimit) s"
        }
    }

    /// A value in a file of options (curl(1), --config).
    private func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
