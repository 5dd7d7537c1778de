// SPDX-License-Identifier: Apache-2.0
import CLibsystemd
import Glibc

/// Messages for the person who runs the panel: journal entries if standard error is connected to the journal, else
/// lines on standard error. Each message is one system call, so messages of different threads do not mix.
public struct Log: Sendable {
    /// syslog(3) priorities.
    public enum Priority: Int, Sendable, Comparable {
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6

        public static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
    }

    /// The subject of a message, for `journalctl NAME=VALUE`. Touch coordinates are never logged: they are what people
    /// draw.
    public enum Field: Equatable, Sendable {
        /// INKPANEL_DISPLAY: a connector's name, e.g. "HDMI-A-1".
        case display(String)
        /// INKPANEL_DEVICE: an input device's name.
        case device(String)
        /// INKPANEL_CAPTURE: a record's ID.
        case capture(String)

        /// The journal's NAME=VALUE. journald adds process, time and unit itself.
        fileprivate var assignment: String {
            switch self {
            case .display(let name): "INKPANEL_DISPLAY=\(name)"
            case .device(let name): "INKPANEL_DEVICE=\(name)"
            case .capture(let id): "INKPANEL_CAPTURE=\(id)"
            }
        }
    }

    /// Less urgent messages are not written.
    public let threshold: Priority
    /// Name of the program: it begins each line, and is SYSLOG_IDENTIFIER in the journal.
    public let identifier: String
    private let usesJournal: Bool

    public init(identifier: String = "inkpanel", threshold: Priority = .info) {
        self.identifier = identifier
        self.threshold = threshold
        usesJournal = Self.isJournal(STDERR_FILENO, stream: getenv("JOURNAL_STREAM").map { String(cString: $0) })
    }

    public func error(_ message: String, _ fields: Field...) { write(.error, message, fields) }
    public func warning(_ message: String, _ fields: Field...) { write(.warning, message, fields) }
    public func notice(_ message: String, _ fields: Field...) { write(.notice, message, fields) }
    public func info(_ message: String, _ fields: Field...) { write(.info, message, fields) }

    private func write(_ priority: Priority, _ message: String, _ fields: [Field]) {
        guard priority <= threshold else { return }
        if usesJournal {
            if Self.sendToJournal(entry(priority, message, fields)) { return }
            // The journal also reads standard error, where the priority comes first (sd-daemon(3)).
            return Self.writeLine("<\(priority.rawValue)>\(Self.singleLine(message))\n")
        }
        Self.writeLine(line(message))
    }

    /// The message in one line: each line break, after which text would look like another message, becomes a space, and
    /// characters that control a terminal are replaced. In the journal, too: `journalctl` shows such entries as blobs.
    static func singleLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ").printable
    }

    /// The line for standard error.
    func line(_ message: String) -> String { "\(identifier): \(Self.singleLine(message))\n" }

    private static func writeLine(_ line: String) {
        line.utf8.withContiguousStorageIfAvailable { bytes in
            // A failure cannot be reported anywhere.
            _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }

    // MARK: The journal

    /// Whether a descriptor is the stream that systemd connected to the journal. It may have been redirected since
    /// (systemd.exec(5)).
    /// - Parameter stream: the value of JOURNAL_STREAM, DEVICE:INODE.
    static func isJournal(_ descriptor: CInt, stream: String?) -> Bool {
        guard let stream else { return false }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    /// The fields of an entry, each NAME=VALUE (systemd.journal-fields(7)).
    func entry(_ priority: Priority, _ message: String, _ fields: [Field]) -> [String] {
        ["MESSAGE=\(Self.singleLine(message))", "PRIORITY=\(priority.rawValue)", "SYSLOG_IDENTIFIER=\(identifier)"]
            + fields.map(\.assignment)
    }

    /// - Returns: false if the journal did not accept the entry.
    private static func sendToJournal(_ entry: [String]) -> Bool {
        var bytes = entry.flatMap(\.utf8)
        return bytes.withUnsafeMutableBytes { buffer in
            var rest = buffer.baseAddress
            let parts = entry.map { field in
                let count = field.utf8.count
                defer { rest = rest.map { $0 + count } }
                return iovec(iov_base: rest, iov_len: count)
            }
            return sd_journal_sendv(parts, CInt(parts.count)) >= 0
        }
    }
}

extension String {
    /// The text without characters that control a terminal, in one line: text from a record, a panel or a device could
    /// contain some. Each becomes U+FFFD.
    public var printable: String { printable(keeping: nil) }

    /// The same with line feeds kept.
    public var printableLines: String { printable(keeping: "\n") }

    private func printable(keeping kept: Unicode.Scalar?) -> String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.steersTerminal && $0 != kept ? "\u{FFFD}" : $0 }))
    }
}

extension Unicode.Scalar {
    /// Whether a terminal may do more than show the character: control characters (C0, DEL and C1) move its cursor and
    /// change its settings, and bidirectional controls (UAX #9, 2.1 to 2.6) change the direction of the text after
    /// them.
    public var steersTerminal: Bool {
        switch self {
        case "\u{61C}", "\u{200E}", "\u{200F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
        default: properties.generalCategory == .control
        }
    }

    /// The escape for it in a string of JSON or TOML, `\u` and four digits. Only for scalars of 16 bits.
    public var escape: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
